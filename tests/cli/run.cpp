#include "run.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <utility>

namespace gridcast::cli::test {
Run run(const std::vector<std::string>& words, const Setting& setting) {
  support::Ended ended = support::run_program(words, setting);
  return {ended.exit_code, std::move(ended.output), std::move(ended.errors)};
}

Run run_gridcast(std::vector<std::string> words, const Setting& setting) {
  words.insert(words.begin(), GRIDCAST_EXECUTABLE);
  return run(words, setting);
}

Run run_predictor(std::vector<std::string> words, const Setting& setting) {
  words.insert(words.begin(), PREDICTOR_EXECUTABLE);
  return run(words, setting);
}

bool failed_with(const Run& run, int exit_code, const std::vector<std::string>& texts) {
  UNSCOPED_INFO("exit code " << run.exit_code << ", stderr: " << run.err << "stdout: " << run.out);
  const bool one_line = std::count(run.err.begin(), run.err.end(), '\n') == 1 &&
                        run.err.ends_with('\n') && run.err.starts_with("gridcast: ");
  const bool all_texts = std::all_of(texts.begin(), texts.end(), [&run](const std::string& text) {
    return run.err.find(text) != std::string::npos;
  });
  return run.exit_code == exit_code && one_line && all_texts && run.out.empty();
}

void write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  REQUIRE(file.good());
}

std::string file_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  INFO(path.string());
  REQUIRE(file.good());
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<std::string> names_in(const std::filesystem::path& directory) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string config(const std::string& name) {
  return std::string(GRIDCAST_SOURCE_DIR) + "/configs/" + name;
}

std::string example(const std::string& name) { return config("examples/" + name); }

std::string data(const std::string& name) {
  return std::string(GRIDCAST_SOURCE_DIR) + "/tests/data/" + name;
}

std::string trace_text(const std::string& calls) {
  return "RTS VERSION = 2889\n ProcCount=1;      PSRank=2;      PSSize= 1 1;\nVProcCount=0;\n"
         "ret_dvm_Init TIME=0.125 LINE=1 FILE=a.c\n" +
         calls + "Event_dvm_exit TIME=0.5 LINE=99 FILE=a.c\n";
}

std::string call(const std::string& name, const std::string& parameters,
                 const std::string& results) {
  return "call_" + name + " TIME=1.00000000 LINE=2 FILE=a.c\n" + parameters + "\nret_" + name +
         " TIME=0.25000000 LINE=2 FILE=a.c\n" + results + "\n";
}

}  // namespace gridcast::cli::test
