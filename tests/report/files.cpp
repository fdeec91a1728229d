#include "files.h"

#include <cstdlib>
#include <fstream>

namespace gridcast::report::test {
namespace {

/// The text as one word of the shell.
void append_quoted(std::string& command, std::string_view word) {
  command += '\'';
  for (const char character : word) {
    if (character == '\'') {
      command += "'\\'";
    }
    command += character;
  }
  command += '\'';
}

}  // namespace

std::filesystem::path write_sample(const std::string& name,
                                   const std::function<void(std::ostream&)>& write) {
  const std::filesystem::path folder =
      std::filesystem::path(GRIDCAST_BINARY_DIR) / "report-samples";
  std::filesystem::create_directories(folder);
  std::ofstream file(folder / name, std::ios::binary);
  write(file);
  return folder / name;
}

bool python_accepts(const std::string& script, const std::filesystem::path& file,
                    std::initializer_list<std::string_view> expectations) {
  std::string command = "/usr/bin/python3 ";
  append_quoted(command, GRIDCAST_SOURCE_DIR "/tests/report/");
  command += script + " ";
  append_quoted(command, file.string());
  for (const std::string_view expectation : expectations) {
    command += ' ';
    append_quoted(command, expectation);
  }
  return std::system(command.c_str()) == 0;
}

}  // namespace gridcast::report::test
