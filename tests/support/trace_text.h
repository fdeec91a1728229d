#pragma once
/// Small traces written by hand, for tests.

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "gridcast/base/error.h"
#include "gridcast/trace/program.h"

namespace gridcast::trace::test {

/// The lines up to ret_dvm_Init: 7.
inline const std::string preamble =
    "RTS VERSION = 2889\n"
    "          ProcCount=1  HasCurrent=1  CentralProc=0  IOProc=0\n"
    " ProcCount=1;      PSRank=2;      PSSize= 1 1;\n"
    "VProcCount=0;\n"
    "call_mps_Barrier           TIME=0.5 LINE=16     FILE=main.cdv\n"
    "ret_mps_Barrier            TIME=0.25 LINE=16     FILE=main.cdv\n"
    "ret_dvm_Init               TIME=0.125 LINE=16     FILE=main.cdv\n";

inline const std::string ending =
    "Event_dvm_exit             TIME=8.0 LINE=99     FILE=main.cdv\nrc=0;\n";

/// A call with call_time 1 s, ret_time 0.25 s.
inline std::string call(const std::string& name, const std::string& parameters = {},
                        const std::string& results = {}) {
  return "call_" + name + " TIME=1.00000000 LINE=20 FILE=a.cdv\n" + parameters +
         (parameters.empty() ? "" : "\n") + "ret_" + name +
         " TIME=0.25000000 LINE=20 FILE=a.cdv\n" + results + (results.empty() ? "" : "\n");
}

inline std::string trace_of(const std::string& calls) { return preamble + calls + ending; }

inline Program parse(const std::string& calls) { return parse_program(trace_of(calls), "t.ptr"); }

/// The message of the InputError that reading the text throws.
inline std::string error_of(const std::string& text) {
  try {
    static_cast<void>(parse_program(text, "t.ptr"));
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

inline std::filesystem::path data(const std::string& name) {
  return std::filesystem::path(GRIDCAST_SOURCE_DIR) / "tests" / "data" / name;
}

inline std::string file_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline const Call& call_at(const Program& program, std::size_t record) {
  return program.calls.at(program.records.at(record).call);
}

/// All calls of one kind in the order of the run.
template <class Kind>
std::vector<Kind> all(const Program& program) {
  std::vector<Kind> found;
  for (const Record& record : program.records) {
    if (const auto* call = std::get_if<Kind>(&program.calls[record.call])) {
      found.push_back(*call);
    }
  }
  return found;
}

/// The calls of the run without times and places.
inline std::vector<Call> calls_of(const Program& program) {
  std::vector<Call> calls;
  for (const Record& record : program.records) {
    calls.push_back(program.calls[record.call]);
  }
  return calls;
}

}  // namespace gridcast::trace::test
