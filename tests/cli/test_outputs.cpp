// Outputs never overwrite what a command reads, nor each other.

#include <catch2/catch.hpp>
#include <filesystem>

#include "run.h"

using namespace gridcast::cli::test;

namespace {

/// Copies of a trace, a machine and a description, and a store made of them.
class Workplace {
public:
  Workplace() {
    std::filesystem::copy_file(jacobi, trace);
    std::filesystem::copy_file(config("workstations.par"), machine);
    std::filesystem::copy_file(config("programs/jacobi2d.toml"), description);
    const Run made = run_gridcast({"sweep", trace, "-m", machine, "--mode", "0", "--store", store});
    REQUIRE(made.exit_code == 0);
  }

  const TemporaryDirectory directory;
  const std::string trace = directory / "t.ptr.gz";
  const std::string machine = directory / "m.par";
  const std::string description = directory / "p.toml";
  const std::string store = directory / "s.h5";
};

}  // namespace

TEST_CASE("no output takes the place of an input") {
  const Workplace here;
  const std::string link = here.directory / "link";
  const std::string hard = here.directory / "hard";
  std::filesystem::create_symlink(here.machine, link);
  std::filesystem::create_hard_link(here.store, hard);
  const std::string around =
      here.directory / ("../" + here.directory.path().filename().string() + "/t.ptr.gz");
  const std::vector<std::vector<std::string>> commands{
      {"export", here.store, "--csv", here.store},
      {"export", here.store, "--csv", hard},
      {"report", here.store, "--html", here.store},
      {"status", here.store, "--json", here.store},
      {"predict", here.trace, "-m", here.machine, "--html", here.machine},
      {"predict", here.trace, "-m", here.machine, "--json", link},
      {"predict", here.trace, "-m", here.machine, "--json", around},
      {"plan", here.trace, "-m", here.machine, "--json", here.machine},
      {"machine", "time", here.machine, "--from", "0", "--to", "1", "--bytes", "1", "--json",
       here.machine},
      {"trace", "generate", here.description, "-o", here.description},
      {"trace", "merge", here.trace, "-o", here.trace},
      {"trace", "average", here.trace, here.trace, "-o", here.trace},
      {"trace", "interpolate", "1=" + here.trace, "2=" + here.trace, "--size", "3", "-o",
       here.trace},
      {"sweep", here.trace, "-m", here.machine, "--store", here.directory / "n.h5", "--events",
       here.trace},
      {"sweep", here.trace, "-m", here.machine, "--store", here.directory / "n.h5", "--best-html",
       here.machine},
      {"merge", here.store, here.store, "--store", here.store}};
  const auto contents = [&] {
    return file_text(here.trace) + file_text(here.machine) + file_text(here.description) +
           file_text(here.store);
  };
  const std::string before = contents();
  const std::vector<std::string> names = names_in(here.directory.path());
  for (const std::vector<std::string>& words : commands) {
    INFO(words[0] << " " << words[1] << " ... " << words.back());
    CHECK(failed_with(run_gridcast(words), 2, {"over the input"}));
    CHECK(contents() == before);
    CHECK(names_in(here.directory.path()) == names);
  }
}

TEST_CASE("no output takes the place of another") {
  const Workplace here;
  const std::string out = here.directory / "out";
  const std::string same = here.directory / "./out";
  CHECK(failed_with(
      run_gridcast({"predict", here.trace, "-m", here.machine, "--json", out, "--html", same}), 2,
      {"--html", "--json"}));
  CHECK(failed_with(run_gridcast({"sweep", here.trace, "-m", here.machine, "--store", out,
                                  "--best-html", same + ".next"}),
                    2, {"--best-html", "--store"}));
  CHECK_FALSE(std::filesystem::exists(out));
  // Standard output and devices are no files that could be lost.
  CHECK(run_gridcast({"predict", here.trace, "-m", here.machine, "--json", "/dev/null", "--html",
                      "/dev/null"})
            .exit_code == 0);
}

TEST_CASE("the historical command line does not overwrite its files either") {
  const Workplace here;
  const std::string before = file_text(here.machine);
  const Run refused = run_predictor({here.machine, here.trace, here.machine, "2", "2"});
  CHECK(refused.exit_code == 2);
  CHECK(contains(refused.err, "over the input"));
  CHECK(file_text(here.machine) == before);
}

TEST_CASE("a store needs a name") {
  const Workplace here;
  CHECK(failed_with(run_gridcast({"sweep", here.trace, "-m", here.machine, "--store", ""}), 2,
                    {"empty name of a store"}));
  CHECK(failed_with(run_gridcast({"status", ""}), 2, {"empty name of a store"}));
  CHECK(failed_with(run_gridcast({"merge", here.store, "--store", ""}), 2,
                    {"empty name of a store"}));
}

TEST_CASE(
    "a sweep reads its inputs once: they may come through pipes, page of the best grid and all") {
  const Workplace here;
  const std::string page = here.directory / "best.html";
  const std::string command =
      "exec \"$0\" sweep <(cat \"$1\") -m <(cat \"$2\") --mode 3 --max-processors 8 --store \"$3\" "
      "--best-html \"$4\"";
  const Run swept = run({"/bin/bash", "-c", command, GRIDCAST_EXECUTABLE, here.trace, here.machine,
                         here.directory / "n.h5", page});
  CHECK(swept.exit_code == 0);
  CHECK(file_text(page).find("</html>") != std::string::npos);
}
