#pragma once
/// Programs from descriptions, as if their traces had been read.

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "gridcast/retrace/generate.h"
#include "gridcast/retrace/merge.h"
#include "gridcast/trace/program.h"

namespace gridcast::model::test {

/// The program that the text of a description stands for.
inline trace::Program described(const std::string& text) {
  std::ostringstream trace;
  trace::generate_trace(text, "described.toml", trace);
  return trace::parse_program(trace.str(), "described.ptr");
}

/// One of configs/programs, with these values of its parameters.
inline trace::Program shipped_program(const std::string& name,
                                      const trace::ParameterValues& values = {}) {
  const std::vector<std::filesystem::path> files{std::filesystem::path(GRIDCAST_SOURCE_DIR) /
                                                 "configs" / "programs" / (name + ".toml")};
  return trace::read_run(files, {}, values);
}

}  // namespace gridcast::model::test
