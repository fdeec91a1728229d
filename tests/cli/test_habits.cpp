// What every command has: JSON, options from a file, completion, a manual page, suggestions. Goes
// over the definition of the command line, as the manual pages list it.

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "run.h"

using namespace gridcast::cli::test;
using nlohmann::json;

namespace {

/// The words of every command that does something: "trace info".
std::vector<std::string> command_paths(const TemporaryDirectory& directory) {
  REQUIRE(run_gridcast({"manual", directory / "man"}).exit_code == 0);
  std::vector<std::string> paths;
  for (const std::string& name : names_in(directory / "man")) {
    std::string path = name.substr(0, name.size() - std::string(".1").size());
    if (path == "gridcast") {
      continue;
    }
    path = path.substr(std::string("gridcast-").size());
    std::replace(path.begin(), path.end(), '-', ' ');
    paths.push_back(path);
  }
  // A group such as "trace" is one whose name begins others.
  std::erase_if(paths, [&](const std::string& path) {
    return std::any_of(paths.begin(), paths.end(),
                       [&](const std::string& other) { return other.starts_with(path + " "); });
  });
  return paths;
}

std::vector<std::string> words_in(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) {
    words.push_back(word);
  }
  return words;
}

/// What bash offers behind a line that ends at the cursor.
std::vector<std::string> offered(const std::string& script, const std::string& line) {
  const std::string program = "source " + script + "; COMP_WORDS=(" + line +
                              "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _gridcast; "
                              "printf '%s\\n' \"${COMPREPLY[@]}\"";
  const Run shown = run({"/bin/bash", "-c", program});
  INFO(shown.err);
  REQUIRE(shown.exit_code == 0);
  return words_in(shown.out);
}

bool has(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

TEST_CASE("every command has JSON, options from a file, and a page that man reads") {
  const TemporaryDirectory directory;
  const std::vector<std::string> paths = command_paths(directory);
  REQUIRE(paths.size() >= 20);
  for (const std::string& path : paths) {
    CAPTURE(path);
    std::vector<std::string> words = words_in(path);
    words.emplace_back("--help");
    const Run help = run_gridcast(words);
    CHECK(help.exit_code == 0);
    CHECK(contains(help.out, "--json"));
    CHECK(contains(help.out, "--config"));
    std::string name = path;
    std::replace(name.begin(), name.end(), ' ', '-');
    const std::string page = file_text(directory / "man" + "/gridcast-" + name + ".1");
    CHECK(contains(page, "\\fB\\-\\-json\\fR"));
    CHECK(page.starts_with(".TH "));
  }
}

TEST_CASE("commands without JSON of their own write what they say") {
  const TemporaryDirectory directory;
  const Run info = run_gridcast({"trace", "info", jacobi});
  const Run as_json = run_gridcast({"trace", "info", jacobi, "--json", "-"});
  REQUIRE(as_json.exit_code == 0);
  const json result = json::parse(as_json.out);
  CHECK(result["schema"] == "gridcast.result/1");
  CHECK(result["command"] == "gridcast trace info");
  CHECK(result["exit_code"] == 0);
  std::string text;
  for (const json& line : result["lines"]) {
    text += line.get<std::string>() + "\n";
  }
  CHECK(text == info.out);
  const std::string trace = directory / "t.ptr";
  REQUIRE(run_gridcast({"trace", "generate", config("programs/sor.toml"), "-o", trace, "--json",
                        directory / "made.json"})
              .exit_code == 0);
  CHECK(json::parse(file_text(directory / "made.json"))["exit_code"] == 0);
  CHECK(failed_with(run_gridcast({"trace", "info", directory / "none.ptr", "--json", "-"}), 2,
                    {"none.ptr"}));
}

TEST_CASE("sweep writes the state of its store as JSON, alone on standard output") {
  const TemporaryDirectory directory;
  const Run swept =
      run_gridcast({"sweep", config("programs/jacobi1d.toml"), "-m", config("mvs.par"),
                    "--max-processors", "8", "--store", directory / "s.h5", "-q", "--json", "-"});
  REQUIRE(swept.exit_code == 0);
  const Run status = run_gridcast({"status", directory / "s.h5", "--json", "-"});
  CHECK(json::parse(swept.out)["best"] == json::parse(status.out)["best"]);
  CHECK(json::parse(swept.out)["state"] == "complete");
}

TEST_CASE("completion of bash knows commands, options and words") {
  const TemporaryDirectory directory;
  const std::string script = directory / "gridcast.bash";
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    const Run printed = run_gridcast({"completion", shell});
    REQUIRE(printed.exit_code == 0);
    CHECK(contains(printed.out, "node-hours"));
    CHECK(contains(printed.out, "memory-per-processor"));
    if (shell == "bash") {
      write_file(script, printed.out);
    }
  }
  CHECK(has(offered(script, "gridcast sw"), "sweep"));
  CHECK(offered(script, "gridcast trace gen") == std::vector<std::string>{"generate"});
  CHECK(has(offered(script, "gridcast sweep a.ptr --mac"), "--machine"));
  CHECK(offered(script, "gridcast sweep a.ptr --objective node") ==
        std::vector<std::string>{"node-hours"});
  CHECK(has(offered(script, "gridcast machine time m.par --fr"), "--from"));
  CHECK(run_gridcast({"completion", "tcsh"}).exit_code == 2);
}

TEST_CASE("completion of bash offers every command and its options") {
  const TemporaryDirectory directory;
  const std::string script = directory / "gridcast.bash";
  write_file(script, run_gridcast({"completion", "bash"}).out);
  for (const std::string& path : command_paths(directory)) {
    INFO(path);
    const std::size_t last = path.find_last_of(' ') + 1;  // 0: a command without a group
    CHECK(has(offered(script, "gridcast " + path), path.substr(last)));
    for (const char* option : {"--help", "--json", "--config", "--quiet"}) {
      CHECK(has(offered(script, "gridcast " + path + " " + option), option));
    }
  }
}

TEST_CASE("options come from a file, and the command line counts more") {
  const TemporaryDirectory directory;
  const std::string file = directory / "sweep.toml";
  write_file(file, "trace = '" + config("programs/heat3d.toml") + "'\nmachine = '" +
                       config("cluster128x64.par") +
                       "'\nmax-processors = 16\nparam = ['n=20', 'steps=2']\nwithin = '5%'\n"
                       "whole-nodes = false\nquiet = true\nset = ['node.TStart=1', "
                       "'cluster128x64.TStart=3']\n");
  const Run from_file = run_gridcast({"sweep", "--config", file, "--store", directory / "a.h5"});
  INFO(from_file.err);
  REQUIRE(from_file.exit_code == 0);
  const Run by_hand = run_gridcast(
      {"sweep", config("programs/heat3d.toml"), "-m", config("cluster128x64.par"),
       "--max-processors", "16", "--param", "n=20", "--param", "steps=2", "--within", "5%", "-q",
       "--set", "node.TStart=1", "cluster128x64.TStart=3", "--store", directory / "b.h5"});
  REQUIRE(by_hand.exit_code == 0);
  CHECK(from_file.out == by_hand.out);
  const Run other = run_gridcast({"sweep", "--config=" + file, "--max-processors", "4", "--store",
                                  directory / "c.h5", "--json", "-"});
  REQUIRE(other.exit_code == 0);
  CHECK(json::parse(other.out)["candidates"] == 13);  // ordered triples with a product up to 4
  write_file(file, "max_processors = 3\n");
  CHECK(failed_with(run_gridcast({"sweep", "--config", file, "--store", directory / "d.h5"}), 2,
                    {"sweep.toml:1", "max_processors", "did you mean max-processors?"}));
  write_file(file, "machine = true\n");
  CHECK(failed_with(run_gridcast({"sweep", "--config", file, "--store", directory / "d.h5"}), 2,
                    {"sweep.toml:1", "machine"}));
  write_file(file, "machine =\n");
  CHECK(failed_with(run_gridcast({"sweep", "--config", file, "--store", directory / "d.h5"}), 2,
                    {"sweep.toml:1"}));
  CHECK(failed_with(run_gridcast({"plan", "--config", directory / "none.toml"}), 2, {"none.toml"}));
}

TEST_CASE("what is mistyped is told") {
  CHECK(failed_with(run_gridcast({"predit", "a.ptr"}), 2, {"did you mean predict?"}));
  CHECK(failed_with(run_gridcast({"trace", "generat"}), 2, {"did you mean generate?"}));
  CHECK(failed_with(run_gridcast({"predict", "a.ptr", "-m", "m.par", "--gird", "4"}), 2,
                    {"did you mean --grid?"}));
  CHECK_FALSE(contains(run_gridcast({"xyzzy"}).err, "did you mean"));
}

TEST_CASE("examples are listed and copied, and their steps run") {
  const TemporaryDirectory directory;
  const Run list = run_gridcast({"examples"});
  REQUIRE(list.exit_code == 0);
  for (const std::string name : {"fft3d", "heat3d", "cg", "panels", "sor"}) {
    CHECK(has(words_in(list.out), name));
  }
  REQUIRE(run_gridcast({"examples", "cg", "--directory", directory / "cg"}).exit_code == 0);
  CHECK(names_in(directory / "cg") ==
        std::vector<std::string>{"cg.toml", "cluster.par", "steps.sh"});
  CHECK(failed_with(run_gridcast({"examples", "cg", "--directory", directory / "cg"}), 2,
                    {"cg.toml", "is there already"}));
  CHECK(failed_with(run_gridcast({"examples", "nothing"}), 2, {"nothing"}));
}
