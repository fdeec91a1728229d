#pragma once
/// Traces of the processes of one run, written by hand, and a directory for the files of a test.

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "process.h"
#include "trace_text.h"

namespace gridcast::trace::test {

using Directory = support::ScratchDirectory;

/// The lines up to ret_dvm_Init of one process of a run on a grid: 6.
inline std::string preamble_on(int processes, const std::string& rank, const std::string& grid) {
  return "RTS VERSION = 2889\n ProcCount=" + std::to_string(processes) + ";      PSRank=" + rank +
         ";      PSSize= " + grid +
         ";\nVProcCount=0;\n"
         "call_dvm_Init TIME=0.5 LINE=16 FILE=a.cdv\n"
         "ret_dvm_Init TIME=0.125 LINE=16 FILE=a.cdv\n \n";
}

/// A call with its times (seconds, as text) and place.
inline std::string event(const std::string& name, const std::string& call_time,
                         const std::string& ret_time, const std::string& parameters = {},
                         const std::string& results = {}, int line = 20) {
  const std::string place = " LINE=" + std::to_string(line) + " FILE=a.cdv\n";
  return "call_" + name + " TIME=" + call_time + place + parameters +
         (parameters.empty() ? "" : "\n") + "ret_" + name + " TIME=" + ret_time + place + results +
         (results.empty() ? "" : "\n");
}

/// A template n distributed over the first dimension of the grid, an array A over it (header a0,
/// handle a1), a loop (reference 10) over A. All addresses begin with `own`.
inline std::string loop_over_array(const std::string& own, const std::string& grid_axes = "1") {
  const std::string count = grid_axes == "0" ? "0" : "1";
  return event("crtamv_", "0", "0", "AMRef=0; Rank=1; StaticSign=1;\nSizeArray[0]=8;",
               "AMViewRef=" + own + "c0;") +
         event("distr_", "0", "0",
               "AMViewRef=" + own + "c0; PSRef=0; ParamCount=" + count + ";\nAxisArray[0]=1;") +
         event("crtda_", "0", "0",
               "ArrayHeader=" + own +
                   "a0; Rank=1; TypeSize=8; StaticSign=1;\nSizeArray[0]=8;\n"
                   "LowShdWidthArray[0]=0;\nHiShdWidthArray[0]=0;",
               "ArrayHandlePtr=" + own + "a1;") +
         event("align_", "0", "0",
               "ArrayHeader=" + own + "a0; ArrayHandlePtr=" + own +
                   "a1; PatternRefPtr=1; PatternRef=" + own +
                   "c0 (AMView);\nAxisArray[0]=1;\nCoeffArray[0]=1;\nConstArray[0]=0;") +
         event("crtpl_", "0", "0", "Rank=1;", "LoopRef=" + own + "10;") +
         event("mappl_", "0", "0",
               "LoopRef=" + own + "10; PatternRefPtr=" + own + "a0; PatternRef=" + own +
                   "a1 (DisArray);\nAxisArray[0]=1;\nCoeffArray[0]=1;\nConstArray[0]=0;\n"
                   "InInitIndexArray[0]=0;\nInLastIndexArray[0]=7;\nInStepArray[0]=1;");
}

/// dopl_ of that loop.
inline std::string portion(const std::string& own, const std::string& call_time, bool continues,
                           const std::string& ret_time = "0") {
  return event("dopl_", call_time, ret_time, "LoopRef=" + own + "10;",
               continues ? "DoPL=1;" : "DoPL=0;");
}

/// The calls of a function in a program.
inline std::vector<Record> records_of(const Program& program, const std::string& function) {
  std::vector<Record> found;
  for (const Record& record : program.records) {
    if (program.function_of(record) == function) {
      found.push_back(record);
    }
  }
  return found;
}

}  // namespace gridcast::trace::test
