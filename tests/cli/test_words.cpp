// What sweeps, pages and messages say about what was done.

#include <catch2/catch.hpp>

#include "run.h"

using namespace gridcast::cli::test;

namespace {

std::vector<std::string> sweep_of(const std::string& store, std::vector<std::string> options) {
  std::vector<std::string> words{"sweep",   jacobi, "-m", config("workstations.par"),
                                 "--store", store};
  words.insert(words.end(), options.begin(), options.end());
  return words;
}

std::string page_of(const std::string& store, const std::string& page) {
  const Run made = run_gridcast({"report", store, "--html", page});
  INFO(made.err);
  REQUIRE(made.exit_code == 0);
  return file_text(page);
}

/// What of a page is no script: text and tags.
std::string without_scripts(std::string page) {
  for (std::size_t begin = 0; (begin = page.find("<script", begin)) != std::string::npos;) {
    const std::size_t end = page.find("</script>", begin);
    REQUIRE(end != std::string::npos);
    page.erase(begin, end - begin);
    ++begin;
  }
  return page;
}

}  // namespace

TEST_CASE("a sweep whose machine asks for no search searches exactly and finds the best grid") {
  const TemporaryDirectory directory;
  const Run sweep = run_gridcast(sweep_of(directory / "s.h5", {"-q"}));
  CHECK(sweep.exit_code == 0);
  const Run all = run_gridcast(sweep_of(directory / "all.h5", {"-q", "--mode", "3"}));
  const auto best_of = [](const std::string& text) {
    const std::size_t at = text.find("Best grid");
    return text.substr(at, text.find('\n', at) - at);
  };
  CHECK(best_of(sweep.out) == best_of(all.out));
  CHECK(contains(run_gridcast({"status", directory / "s.h5"}).out, "Mode           4,"));
  const std::string page = page_of(directory / "s.h5", directory / "s.html");
  CHECK(contains(page, "<dt>Best grid</dt>"));
  CHECK(contains(page, "excluded by bounds: none of them is better"));
  CHECK(contains(page, "The chosen grid is proved to be the best"));
  CHECK_FALSE(contains(page, "Every candidate was evaluated"));
  CHECK(contains(page_of(directory / "all.h5", directory / "all.html"),
                 "Every candidate was evaluated: gap 0."));
}

TEST_CASE("one candidate, one variant and one rank have no plural") {
  const TemporaryDirectory directory;
  const std::string store = directory / "s.h5";
  const std::string ranks = directory / "ranks";
  const Run sweep = run_gridcast(sweep_of(store, {"--max-processors", "1", "--rankfile", ranks}));
  CHECK(contains(sweep.err, "grids: 1 candidate, 1 without empty processors, 1 evaluated"));
  CHECK(contains(sweep.out, "Evaluated 1 of 1 candidate (1 without empty processors)"));
  CHECK(contains(file_text(ranks), "placement row: 1 rank on 1 node\n"));
  CHECK(contains(file_text(ranks + ".sh"), "has fewer than 1 node\""));
  CHECK(contains(run_gridcast({"status", store}).out, "1, 1 of them without empty processors"));
  write_file(directory / "d.toml", "traces = [\"" + jacobi + "\"]\nmachines = [\"" +
                                       config("workstations.par") + "\"]\ngrids = [\"2\"]\n");
  const Run made = run_gridcast({"dataset", directory / "d.toml", "--store", directory / "d.h5"});
  CHECK(contains(made.out, "1 variant, 1 prediction in "));
}

TEST_CASE("a given grid that no search looks at, or with idle dimensions, is warned of") {
  const TemporaryDirectory directory;
  const Run unused = run_gridcast(sweep_of(directory / "a.h5", {"--grid", "2x2"}));
  CHECK(unused.exit_code == 0);
  CHECK(contains(unused.err, "mode 4 does not use the given grid 2x2"));
  const Run deep =
      run_gridcast({"predict", jacobi, "-m", config("mvs.par"), "--grid", "4x4x4", "--json", "-"});
  CHECK(deep.exit_code == 0);
  CHECK(contains(deep.err, "grid 4x4x4: the program distributes over 2 dimensions"));
  CHECK(contains(deep.out, "grid 4x4x4: the program distributes over 2 dimensions"));
  CHECK(contains(run_gridcast(sweep_of(directory / "b.h5", {"--mode", "0", "--grid", "2x2x2"})).err,
                 "grid 2x2x2: the program distributes over 2 dimensions"));
  const Run tasks = run_gridcast(
      {"predict", config("programs/taskjacobi.toml"), "-m", config("mvs.par"), "--grid", "4x4"});
  CHECK(contains(tasks.err, "grid 4x4: the program distributes over 1 dimension, "));
  const Run flat = run_gridcast({"predict", jacobi, "-m", config("mvs.par"), "--grid", "4x4x1"});
  CHECK(flat.err.empty());
}

TEST_CASE("runs that were merged and variants of a data set are not ranked together") {
  const TemporaryDirectory directory;
  REQUIRE(run_gridcast(sweep_of(directory / "a.h5", {"--mode", "2"})).exit_code == 0);
  REQUIRE(run_gridcast(sweep_of(directory / "b.h5", {"--mode", "3"})).exit_code == 0);
  REQUIRE(run_gridcast(
              {"merge", directory / "a.h5", directory / "b.h5", "--store", directory / "all.h5"})
              .exit_code == 0);
  const std::string merged = page_of(directory / "all.h5", directory / "all.html");
  CHECK_FALSE(contains(without_scripts(merged), "-1"));
  CHECK_FALSE(contains(merged, "best grids"));
  CHECK(contains(merged, "on workstations, mode 2<"));
  CHECK(contains(merged, "on workstations, mode 3<"));
  write_file(directory / "d.toml", "traces = [\"" + jacobi + "\"]\nmachines = [\"" +
                                       config("mvs.par") +
                                       "\"]\ngrids = [\"1x1\", \"2x2\", \"4x4\"]\n"
                                       "design = {kind = \"full-factorial\"}\n[parameters]\n"
                                       "mvs.TStart = {values = [1, 100]}\n");
  const Run made = run_gridcast({"dataset", directory / "d.toml", "--store", directory / "d.h5"});
  INFO(made.err);
  REQUIRE(made.exit_code == 0);
  const std::string data = page_of(directory / "d.h5", directory / "d.html");
  CHECK(contains(data, "The fastest evaluated grid of each variant"));
  CHECK(contains(data, "<th>mvs.TStart</th>"));
  CHECK(contains(data, "<td>1</td></tr>"));
  CHECK(contains(data, "<td>100</td></tr>"));
  CHECK_FALSE(contains(data, "best grids"));
  CHECK(contains(run_gridcast({"status", directory / "d.h5"}).out, "each variant has its own"));
}

TEST_CASE("a difference far into a long line of options is shown") {
  const TemporaryDirectory directory;
  REQUIRE(run_gridcast(sweep_of(directory / "s.h5", {"--mode", "2"})).exit_code == 0);
  CHECK(failed_with(run_gridcast(sweep_of(directory / "s.h5",
                                          {"--mode", "2", "--resume", "--min-efficiency", "0.5"})),
                    2, {"\"min_efficiency\":null", "\"min_efficiency\":0.5"}));
}

TEST_CASE("a message is timed without setting up a large machine") {
  const TemporaryDirectory directory;
  const std::string machine = directory / "m.par";
  write_file(machine,
             "cluster = c; c = {1000000000 x n}; n = {2 x p}; p = 1;\n"
             "c.CommType = myrinet(2147483647); c.TStart = 7; c.TByte = 0.004;\n"
             "n.CommType = ethernet; n.TStart = 1; n.TByte = 0.001;\n");
  Setting little;
  little.memory_limit = 512L << 20;
  const auto time = [&](const std::string& from, const std::string& to) {
    return run_gridcast({"machine", "time", machine, "--from", from, "--to", to, "--bytes", "1K"},
                        little);
  };
  if (run_gridcast({"--version"}, little).exit_code != 0) {
    WARN("skipped: the executable does not start in this little address space");
    return;
  }
  CHECK(time("0", "1999999999").out == "11.00 µs\n");
  CHECK(time("1999999998", "1999999999").out == "2.000 µs\n");
  CHECK(time("1999999997", "1999999998").out == "11.00 µs\n");
}

TEST_CASE("a grid for which there was not enough memory is predicted by the next start") {
  const TemporaryDirectory directory;
  const std::string machine = directory / "m.par";
  // Two kinds of processors, so that each of the 250,000 has clocks of its own.
  write_file(machine,
             "cluster = c; c = {1000 x p, 1000000 x q}; p = 1; q = 2;\n"
             "c.CommType = myrinet(1); c.TStart = 1; c.TByte = 1;\n");
  const std::string store = directory / "s.h5";
  const std::vector<std::string> words{"sweep",  jacobi,    "-m",      machine, "--mode",       "0",
                                       "--grid", "500x500", "--store", store,   "--resume=auto"};
  Setting little;
  Run run;
  // The least address space in which the run gets as far as the prediction.
  for (long megabytes = 40; megabytes <= 400 && run.exit_code != 3; megabytes += 8) {
    little.memory_limit = megabytes << 20;
    run = run_gridcast(words, little);
    if (run.exit_code == 0) {
      WARN("skipped: the executable does not start in less address space than it needs");
      return;
    }
  }
  INFO(run.err);
  REQUIRE(run.exit_code == 3);
  CHECK(contains(run.err, "1 for want of memory"));
  const Run status = run_gridcast({"status", store, "--json", "-"});
  CHECK(contains(status.out, "\"state\":\"stopped\""));
  CHECK(contains(status.out, "\"evaluated\":0,\"failed\":0,\"to_retry\":1"));
  CHECK(contains(run_gridcast({"status", store}).out, "To be retried  1 "));
  const Run again = run_gridcast(words);
  INFO(again.err);
  CHECK(again.exit_code == 0);
  CHECK(contains(run_gridcast({"status", store, "--json", "-"}).out,
                 "\"evaluated\":1,\"failed\":0,\"to_retry\":0"));
}
