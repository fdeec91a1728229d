#include <algorithm>
#include <catch2/catch.hpp>
#include <sstream>

#include "run.h"

using namespace gridcast::cli::test;

namespace {

/// The commands that the help of a command lists, with all below them.
void add_commands_below(const std::vector<std::string>& words,
                        std::vector<std::vector<std::string>>& commands) {
  std::vector<std::string> asked = words;
  asked.emplace_back("--help");
  std::istringstream lines(run_gridcast(asked).out);
  bool listed = false;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream text(line);
    std::string name;
    if (listed && line.starts_with("  ") && line[2] != ' ' && text >> name) {
      commands.push_back(words);
      commands.back().push_back(name);
      add_commands_below(std::vector(commands.back()), commands);
    }
    listed = line == "Subcommands:" || (listed && line.starts_with("  "));
  }
}

}  // namespace

TEST_CASE("every command explains itself with an example") {
  std::vector<std::vector<std::string>> commands{{}};
  add_commands_below({}, commands);
  CHECK(commands.size() > 30);
  for (std::vector<std::string> words : commands) {
    std::string command = "gridcast";
    for (const std::string& word : words) {
      command += " " + word;
    }
    words.emplace_back("--help");
    const Run help = run_gridcast(words);
    INFO(command);
    CHECK(help.exit_code == 0);
    CHECK(help.err.empty());
    const std::size_t at = help.out.find("Example:\n");
    REQUIRE(at != std::string::npos);
    CHECK(help.out.find(command, at) != std::string::npos);
  }
}

TEST_CASE("the version names the libraries") {
  const Run version = run_gridcast({"--version"});
  CHECK(version.exit_code == 0);
  CHECK(version.out.starts_with("gridcast "));
  for (const char* library :
       {"HDF5", "MPI", "Boost", "zlib", "fmt", "spdlog", "CLI11", "OpenSSL", "toml++"}) {
    CHECK(version.out.find("\n  " + std::string(library) + " ") != std::string::npos);
  }
}

TEST_CASE("bad usage is one line that says where to read on") {
  CHECK(failed_with(run_gridcast({}), 2, {"required", "gridcast --help"}));
  CHECK(failed_with(run_gridcast({"predikt"}), 2, {"unknown command 'predikt'", "predict, plan"}));
  CHECK(failed_with(run_gridcast({"trace", "inof"}), 2, {"unknown command 'inof'", "info"}));
  CHECK(failed_with(run_gridcast({"trace"}), 2, {"gridcast trace --help"}));
  CHECK(failed_with(run_gridcast({"predict"}), 2, {"TRACE", "gridcast predict --help"}));
  CHECK(
      failed_with(run_gridcast({"predict", "a.ptr"}), 2, {"--machine", "gridcast predict --help"}));
  CHECK(failed_with(run_gridcast({"predict", "a.ptr", "--machine", "m", "--grdi", "4"}), 2,
                    {"--grdi", "gridcast predict --help"}));
  CHECK(failed_with(run_gridcast({"plan", "a.ptr", "-m", "m", "--max-processors", "many"}), 2,
                    {"--max-processors", "many"}));
  CHECK(failed_with(run_gridcast({"predict", "a.ptr", "-m", "m", "--startup=maybe"}), 2,
                    {"--startup", "'maybe'", "count|skip"}));
  CHECK(failed_with(run_gridcast({"predict", "a.ptr", "-m", "m", "--grid", "4xx2"}), 2, {"4xx2"}));
  CHECK(failed_with(run_gridcast({"sweep", "a.ptr", "-m", "m", "--store", "s", "--mode", "7"}), 2,
                    {"search mode 7"}));
  CHECK(failed_with(run_gridcast({"predict", "a.ptr", "-m", "m", "--json", "-", "--html", "-"}), 2,
                    {"--json - and --html -"}));
  CHECK(failed_with(run_gridcast({"dataset", "d.toml", "--store", "s", "--threads", "2"}), 2,
                    {"unknown option --threads (see gridcast dataset --help)"}));
  const Run range = run_gridcast({"predict", "a.ptr", "-m", "m", "--threads", "2,4"});
  CHECK(failed_with(range, 2, {"--threads: '2,4' is out of range (expected N:POSITIVE)"}));
  CHECK(range.err.size() < 150);
}

TEST_CASE("a line break in a file name does not break the message") {
  CHECK(failed_with(run_gridcast({"trace", "info", "a\nb.ptr"}), 2,
                    {"a\uFFFD"
                     "b.ptr"}));
}

TEST_CASE("help COMMAND shows what COMMAND --help shows") {
  CHECK(run_gridcast({"help", "sweep"}).out == run_gridcast({"sweep", "--help"}).out);
  CHECK(run_gridcast({"help", "trace", "check"}).out ==
        run_gridcast({"trace", "check", "--help"}).out);
  CHECK(run_gridcast({"help"}).out == run_gridcast({"--help"}).out);
  CHECK(failed_with(run_gridcast({"help", "swep"}), 2, {"did you mean sweep?"}));
}

TEST_CASE("lines on a terminal have at most 100 columns, and no characters that it may not have") {
  const std::vector<std::vector<std::string>> commands{
      {"predict", config("programs/adi.toml"), "-m", config("cluster128x64.par"), "-g", "3x5"},
      {"predict", config("programs/fft3d.toml"), "-m", config("hdr128x2x32.par"), "-g", "8x8"},
      {"machine", "show", config("hdr128x2x32.par")},
      {"analyse", "match", config("programs/heat3d.toml"), "-m", config("mvs15k.par"), "-m",
       config("cluster128x64.par")},
      {"examples"},
      {"sweep", "--help"},
      {"compare", "--help"},
      {"calibrate", "--help"}};
  for (const std::vector<std::string>& words : commands) {
    const Run shown = run_gridcast(words);
    REQUIRE(shown.exit_code == 0);
    CHECK_FALSE(contains(shown.out, "\u202F"));
    std::istringstream lines(shown.out);
    for (std::string line; std::getline(lines, line);) {
      const auto columns = std::count_if(line.begin(), line.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
      });
      // The names of files stand on the first line.
      if (line.find('/') == std::string::npos) {
        INFO(line);
        CHECK(columns <= 100);
      }
    }
  }
}
