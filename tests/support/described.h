#pragma once
/// Programs from descriptions, as if their traces had been read.

#include <filesystem>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "gridcast/retrace/generate.h"
#include "gridcast/retrace/merge.h"
#include "gridcast/trace/program.h"

namespace gridcast::model::test {

/// The program that the text of a description stands for.
inline trace::Program described(const std::string& text) {
  std::ostringstream trace;
  trace::GenerateResult result = trace::generate_calls(text, "described.toml", trace);
  trace::Program program = trace::parse_program(trace.str(), "described.ptr");
  program.blocks = std::move(result.blocks);
  program.description = std::move(result.description);
  return program;
}

/// One of configs/programs, with these values of its parameters.
inline trace::Program shipped_program(const std::string& name,
                                      const trace::ParameterValues& values = {}) {
  const std::vector<std::filesystem::path> files{std::filesystem::path(GRIDCAST_SOURCE_DIR) /
                                                 "configs" / "programs" / (name + ".toml")};
  return trace::read_run(files, {}, values);
}

}  // namespace gridcast::model::test
