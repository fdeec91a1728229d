/// gridcast tune: recorded runs under mpirun, description and search in one command.

#include <unistd.h>

#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "run.h"

namespace gridcast::cli::test {
namespace {

using Words = std::vector<std::string>;

/// mpirun that starts any number of ranks, as root too.
Words launcher(const std::string& ranks) {
  Words words{MPIEXEC_EXECUTABLE, "--oversubscribe", "-n", ranks};
  if (::geteuid() == 0) {
    words.insert(words.begin() + 1, "--allow-run-as-root");
  }
  return words;
}

std::string app(const std::string& name) { return std::string(APPS) + "/" + name; }

/// `tune OPTIONS... -o FOLDER -- mpirun -n {} PROGRAM...`.
Words tuned(const std::string& folder, const Words& options, const Words& program) {
  Words words{"tune", "-m", config("cluster128x64.par"), "-o", folder};
  words.insert(words.end(), options.begin(), options.end());
  words.emplace_back("--");
  const Words mpirun = launcher("{}");
  words.insert(words.end(), mpirun.begin(), mpirun.end());
  words.insert(words.end(), program.begin(), program.end());
  return words;
}

/// Manifest of each recording, which holds its number.
std::map<std::string, std::string> manifests(const std::string& folder) {
  std::map<std::string, std::string> found;
  for (const std::string& name : names_in(folder + "/runs")) {
    found[name] = file_text(folder + "/runs/" + name + "/recording.toml");
  }
  return found;
}

/// What `infer` says of the recordings.
std::string inferred(const std::string& folder) {
  Words words{"infer"};
  for (const std::string& name : names_in(folder + "/runs")) {
    words.push_back(folder + "/runs/" + name);
  }
  return run_gridcast(words).out;
}

const Words small{"--extents", "100x71", "--max-processors", "16"};
const Words jacobi_words{app("jacobi2d"), "{n1}", "{n2}", "{p1}", "{p2}", "6"};

}  // namespace

TEST_CASE("tune records, infers and searches, again it records nothing", "[tune][slow]") {
  const TemporaryDirectory directory;
  const std::string folder = directory / "d";
  Words options = small;
  options.insert(options.end(), {"--param", "iterations=500", "--mode", "3"});
  const Run first = run_gridcast(tuned(folder, options, jacobi_words));
  INFO(first.err);
  REQUIRE(first.exit_code == 0);
  CHECK(contains(first.err, "run 1 of 11, messages along dimension 1: "));
  CHECK(contains(first.err, "run 11 of 11, "));
  CHECK(names_in(folder) == Words{"app.toml", "runs", "search.h5"});
  CHECK(names_in(folder + "/runs") == Words{"1x1-100x71", "1x1-25x35", "1x1-50x71", "1x1-75x17",
                                            "1x2-100x71", "1x3-100x71", "2x1-100x71", "2x2-82x44",
                                            "2x3-100x71", "3x1-100x71", "3x2-100x71"});
  CHECK(file_text(folder + "/runs/2x1-100x71/output.txt").starts_with("change "));
  CHECK(file_text(folder + "/app.toml") == inferred(folder));
  const Run swept =
      run_gridcast({"sweep", folder + "/app.toml", "-m", config("cluster128x64.par"),
                    "--max-processors", "16", "--param", "nx=100", "--param", "ny=71", "--param",
                    "iterations=500", "--mode", "3", "--store", directory / "s.h5"});
  REQUIRE(swept.exit_code == 0);
  CHECK(contains(swept.out, "Best grid"));
  CHECK(contains(swept.out, "\nOpen MPI       mpirun -n "));
  CHECK(first.out == swept.out);

  const auto made = manifests(folder);
  const Run second = run_gridcast(tuned(folder, options, jacobi_words));
  INFO(second.err);
  CHECK(second.exit_code == 0);
  CHECK(contains(second.err, "runs/3x2-100x71 is there"));
  CHECK(second.out == first.out);
  CHECK(manifests(folder) == made);

  // A damaged recording is made again, no other one.
  write_file(folder + "/runs/3x1-100x71/rank-2.gcr", "damaged");
  options.insert(options.end(), {"--store", directory / "third.h5", "--json", "-"});
  const Run third = run_gridcast(tuned(folder, options, jacobi_words));
  INFO(third.err);
  REQUIRE(third.exit_code == 0);
  CHECK(nlohmann::json::parse(third.out)["state"] == "complete");
  for (const auto& [name, text] : manifests(folder)) {
    INFO(name);
    CHECK((text == made.at(name)) == (name != "3x1-100x71"));
  }
}

TEST_CASE("a program that fails ends tune, which goes on from what is there", "[tune][slow]") {
  const TemporaryDirectory directory;
  const std::string folder = directory / "d";
  const std::string script = directory / "app.sh";
  write_file(script, "[ \"$3\" != 3 ] || [ -e " + (directory / "repaired") + " ] || exit 7\nexec " +
                         app("jacobi2d") + " \"$@\"\n");
  Words program{"sh", script};
  program.insert(program.end(), jacobi_words.begin() + 1, jacobi_words.end());
  const Run broken = run_gridcast(tuned(folder, small, program));
  CHECK(broken.exit_code == 1);
  CHECK(contains(broken.err, script + " 100 71 3 1 6 ended with exit code 7"));
  CHECK(contains(broken.err, "what was recorded is kept"));
  const auto made = manifests(folder);
  REQUIRE(made.size() == 3);
  write_file(directory / "repaired", "");
  const Run whole = run_gridcast(tuned(folder, small, program));
  INFO(whole.err);
  CHECK(whole.exit_code == 0);
  CHECK(contains(whole.out, "Best grid"));
  const auto all = manifests(folder);
  CHECK(all.size() == 11);
  CHECK(all.at("2x1-100x71") == made.at("2x1-100x71"));
  CHECK(all.at("1x2-100x71") == made.at("1x2-100x71"));
}

TEST_CASE("sizes on one process come from commands of their own", "[tune][slow]") {
  const TemporaryDirectory directory;
  const std::string folder = directory / "d";
  Words options{"--extents", "4000x3000", "--run-extents", "100x71", "--max-processors", "16"};
  for (const std::string size : {"300x200", "150x200", "80x60"}) {
    std::string command;
    for (const std::string& word : launcher("{}")) {
      command += word + " ";
    }
    // "{n1} {n2}" or what stands in a file of the program.
    options.insert(options.end(),
                   {"--size-run", size + "=" + command + app("jacobi2d") + " " +
                                      size.substr(0, size.find('x')) + " '{n2}' {p1} {p2} \"6\""});
  }
  const Run own =
      run_gridcast(tuned(folder, options, {app("jacobi2d"), "100", "71", "{p1}", "{p2}", "6"}));
  INFO(own.err);
  REQUIRE(own.exit_code == 0);
  const std::string text = file_text(folder + "/app.toml");
  CHECK(contains(text,
                 "# Times: least of all iterations but the first, from 3 sizes on one process.\n"));
  CHECK(contains(text, "runs/1x1-150x200: grid 1x1, extents 150x200\n"));
  CHECK(names_in(folder + "/runs").size() == 10);
}

TEST_CASE("a Fortran program of one size, compiled again, it is recorded again", "[tune][slow]") {
  const TemporaryDirectory directory;
  const std::string folder = directory / "d";
  const std::string program = directory / "handgrid";
  std::filesystem::copy_file(app("handgrid_f08"), program);
  Words options{"--extents", "50x50", "--run-extents", "50x50", "--max-processors", "16"};
  const Words words{program, "{p1}", "{p2}", "6"};
  const Run one = run_gridcast(tuned(folder, options, words));
  INFO(one.err);
  REQUIRE(one.exit_code == 0);
  CHECK(contains(one.err, "computation is fitted from one size, 50x50"));
  const auto made = manifests(folder);
  CHECK(made.size() == 7);
  std::filesystem::last_write_time(program, std::filesystem::file_time_type::clock::now());
  options.insert(options.end(), {"--store", directory / "again.h5"});
  CHECK(run_gridcast(tuned(folder, options, words)).exit_code == 0);
  for (const auto& [name, text] : manifests(folder)) {
    INFO(name);
    CHECK(text != made.at(name));
  }
}

TEST_CASE("a program with one extent for all has cubes", "[tune][slow]") {
  const TemporaryDirectory directory;
  const std::string folder = directory / "d";
  const Run run = run_gridcast(tuned(
      folder, {"--extents", "192x192x192", "--run-extents", "24x24x24", "--max-processors", "8"},
      {app("heat3d"), "{n1}", "{p1}", "{p2}", "{p3}", "6"}));
  INFO(run.err);
  REQUIRE(run.exit_code == 0);
  const std::vector<std::string> names = names_in(folder + "/runs");
  // The program cuts evenly: 24 on 1, 2 and 3 processes; 24, 12, 6 and 18 on one.
  CHECK(names.front() == "1x1x1-12x12x12");
  CHECK(names.back() == "3x2x1-24x24x24");
  CHECK(contains(file_text(folder + "/app.toml"), "periodic = [true, true, true]"));
}

TEST_CASE("tune refuses with one line", "[tune]") {
  const TemporaryDirectory directory;
  const std::string folder = directory / "d";
  const auto refused = [&](const Words& options, const Words& program, const Words& texts) {
    return failed_with(run_gridcast(tuned(folder, options, program)), 2, texts);
  };
  const std::string name = app("jacobi2d");
  CHECK(refused(small, {name, "{n1}", "{n2}", "{p1}", "{p4}", "6"},
                {"unknown name {p4}", "{p1} to {p2}"}));
  CHECK(refused(small, {name, "{x}"}, {"unknown name {x}"}));
  CHECK(refused({"--max-processors", "4"}, jacobi_words, {"--extents is required"}));
  CHECK(refused({"--extents", "10xy"}, jacobi_words, {"--extents 10xy"}));
  CHECK(refused(small, {name, "100", "71", "{p1}", "{p2}"}, {"the size", "--run-extents"}));
  CHECK(refused(small, {name, "{n1}", "{n2}"}, {"the same for 2x1 of 100x71 and 1x2 of 100x71"}));
  CHECK(refused(small, {name, "{n1}", "{p1}", "{p2}"}, {"not name all extents of 100x71"}));
  const auto refused_option = [&](const std::string& option, const std::string& value,
                                  const Words& texts) {
    Words options = small;
    options.insert(options.end(), {option, value});
    return refused(options, jacobi_words, texts);
  };
  CHECK(refused_option("--rank", "3", {"--rank 3"}));
  CHECK(refused_option("--run-extents", "100", {"--run-extents 100", "2 numbers"}));
  CHECK(refused_option("--size-run", "100x50", {"--size-run 100x50"}));
  CHECK(refused_option("--size-run", "50=./app", {"--size-run 50", "2 numbers"}));
  CHECK(refused_option("--size-run", "50x50=./app {p3}", {"unknown name {p3}"}));
  CHECK(refused_option("--size-run", "50x50=./app | cat", {"--size-run './app | cat'"}));
  CHECK(refused_option("--param", "iterations", {"--param 'iterations'"}));
  CHECK(refused_option("--set", "nobody.TStart=1", {"nobody"}));
  CHECK_FALSE(std::filesystem::exists(folder));
  const Run none = run_gridcast({"tune", "-m", config("mvs.par"), "--extents", "9x9"});
  CHECK(failed_with(none, 2, {"tune needs a command"}));
}

TEST_CASE("tune ends with the failure of the program or the refusal of infer", "[tune]") {
  const TemporaryDirectory directory;
  const auto quietly = [&](const std::string& folder, const Words& program) {
    Words words{"tune",      "-q",  "-m", config("mvs.par"), "-o", directory / folder,
                "--extents", "9x9", "--"};
    words.insert(words.end(), program.begin(), program.end());
    return run_gridcast(words);
  };
  CHECK(failed_with(quietly("a", {"sh", "-c", "echo lost; exit 7", "{extents}", "{grid}"}), 1,
                    {"a/runs/2x1-13x13: ", "13x13 2x1 ended with exit code 7", "output.txt"}));
  CHECK(file_text(directory / "a/runs/2x1-13x13/output.txt") == "lost\n");
  CHECK(failed_with(quietly("b", {"true", "{extents}", "{grid}"}), 2, {"no file of rank 0"}));
  // What one run tells is told before the next.
  Words window = launcher("{}");
  window.insert(window.end(), {app("refused"), "window", "{extents}", "{grid}"});
  CHECK(failed_with(quietly("c", window), 2, {"refused.c:", "communicates one-sided"}));
  CHECK(names_in(directory / "c/runs").size() == 1);
}

}  // namespace gridcast::cli::test
