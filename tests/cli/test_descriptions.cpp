// Descriptions of programs in the place of traces: the same tables and figures as with the trace
// that is generated from them.

#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "run.h"

using namespace gridcast::cli::test;
using nlohmann::json;

namespace {

/// Options whose default is another one for a description than for a trace.
const std::vector<std::string> same_model{"--processes=together", "--reduction=tree",
                                          "--block-rule=ceil", "--library-costs=on"};

/// What a sweep of `program` stores, as text: all columns of all grids, and of their intervals.
std::string table_of(const TemporaryDirectory& directory, const std::string& name,
                     const std::string& program, const std::string& mode,
                     const std::vector<std::string>& more) {
  std::vector<std::string> words{"sweep",
                                 program,
                                 "-m",
                                 config("mvs.par"),
                                 "--store",
                                 directory / name,
                                 "--mode",
                                 mode,
                                 "--max-processors",
                                 "24",
                                 "-q",
                                 "--intervals"};
  words.insert(words.end(), same_model.begin(), same_model.end());
  words.insert(words.end(), more.begin(), more.end());
  const Run swept = run_gridcast(words);
  INFO(swept.err);
  REQUIRE(swept.exit_code == 0);
  const Run table = run_gridcast({"export", directory / name, "--csv", "-"});
  const Run intervals = run_gridcast({"export", directory / name, "--intervals", "--csv", "-"});
  REQUIRE(table.exit_code == 0);
  REQUIRE(intervals.exit_code == 0);
  CHECK(std::count(table.out.begin(), table.out.end(), '\n') > 2);
  return table.out + intervals.out;
}

}  // namespace

TEST_CASE("a description and the trace generated from it give identical tables") {
  const std::vector<std::string> files = names_in(config("programs"));
  REQUIRE(files.size() >= 13);
  for (const std::string& file : files) {
    CAPTURE(file);
    const TemporaryDirectory directory;
    const std::string description = config("programs/" + file);
    const std::string trace = directory / "t.ptr";
    REQUIRE(run_gridcast({"trace", "generate", description, "--set", "n=24", "-o", trace, "-q"})
                .exit_code == 0);
    for (const std::string mode : {"3", "4"}) {
      CAPTURE(mode);
      CHECK(table_of(directory, "description" + mode + ".h5", description, mode,
                     {"--param", "n=24"}) ==
            table_of(directory, "trace" + mode + ".h5", trace, mode, {}));
    }
    const std::vector<std::string> more{"-m", config("mvs.par"), "--grid", "3", "--json", "-"};
    std::vector<std::string> first{"predict", description, "--param", "n=24"};
    std::vector<std::string> second{"predict", trace};
    first.insert(first.end(), more.begin(), more.end());
    second.insert(second.end(), more.begin(), more.end());
    first.insert(first.end(), same_model.begin(), same_model.end());
    second.insert(second.end(), same_model.begin(), same_model.end());
    json of_description = json::parse(run_gridcast(first).out);
    json of_trace = json::parse(run_gridcast(second).out);
    for (const char* name : {"trace", "assumed"}) {
      of_description.erase(name);
      of_trace.erase(name);
    }
    CHECK(of_description == of_trace);
  }
}

TEST_CASE("times of kernels come from a table, and options go before it") {
  const TemporaryDirectory directory;
  const std::string table = directory / "times.csv";
  const std::string description = config("programs/sor.toml");
  const auto time_with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"predict", description, "-m", config("mvs.par"), "--json", "-"};
    words.insert(words.end(), more.begin(), more.end());
    const Run predicted = run_gridcast(words);
    INFO(predicted.err);
    REQUIRE(predicted.exit_code == 0);
    return json::parse(predicted.out)["intervals"][0]["execution_time"].get<double>();
  };
  write_file(table, "# measured\nkernel,seconds,runs\n\n point , 3e-9 ,17\nn,200\n");
  CHECK(time_with({"--times", table}) == time_with({"--param", "point=3e-9", "--param", "n=200"}));
  CHECK(time_with({"--times", table, "--param", "n=400"}) ==
        time_with({"--param", "point=3e-9", "--param", "n=400"}));
  const auto refused = [&](const std::vector<std::string>& more,
                           const std::vector<std::string>& texts) {
    std::vector<std::string> words{"predict", description, "-m", config("mvs.par")};
    words.insert(words.end(), more.begin(), more.end());
    return failed_with(run_gridcast(words), 2, texts);
  };
  write_file(table, "point,3e-9\npoint\n");
  CHECK(refused({"--times", table}, {"times.csv:2"}));
  write_file(table, "point,-1\n");
  CHECK(refused({"--times", table}, {"times.csv:1"}));
  write_file(table, "pint,1\n");
  CHECK(refused({"--times", table}, {"pint", "expected one of"}));
  CHECK(refused({"--times", directory / "none.csv"}, {"none.csv"}));
  CHECK(refused({"--param", "point"}, {"--param 'point'"}));
  CHECK(failed_with(run_gridcast({"predict", jacobi, "-m", config("mvs.par"), "--param", "n=3"}), 2,
                    {"parameters", "description"}));
  CHECK(failed_with(run_gridcast({"predict", jacobi, description, "-m", config("mvs.par")}), 2,
                    {"sor.toml", "expected one description"}));
}

TEST_CASE("tables of intervals and lines of JSON have what the store has") {
  const TemporaryDirectory directory;
  const std::string store = directory / "s.h5";
  REQUIRE(run_gridcast({"sweep", config("programs/sor.toml"), "--param", "n=40", "-m",
                        config("mvs.par"), "--mode", "3", "--max-processors", "6", "--intervals",
                        "--store", store, "-q"})
              .exit_code == 0);
  const Run lines = run_gridcast({"export", store, "--jsonl", "-"});
  const Run csv = run_gridcast({"export", store, "--csv", "-"});
  CHECK(std::count(lines.out.begin(), lines.out.end(), '\n') == 14);  // ordered pairs up to 6
  CHECK(std::count(csv.out.begin(), csv.out.end(), '\n') == 15);
  const json first = json::parse(lines.out.substr(0, lines.out.find('\n')));
  const std::string header = csv.out.substr(0, csv.out.find('\n'));
  std::size_t columns = 1;
  for (const char c : header) {
    columns += c == ',' ? 1 : 0;
  }
  CHECK(first.size() == columns);
  CHECK(first["p1"] == 1);
  const Run pieces = run_gridcast({"export", store, "--jsonl", "-", "--intervals"});
  // The program and its loop, for each grid; the program first, with the same figures.
  CHECK(std::count(pieces.out.begin(), pieces.out.end(), '\n') == 28);
  const json program = json::parse(pieces.out.substr(0, pieces.out.find('\n')));
  CHECK(program["interval"] == 1);
  CHECK(program["execution_time"] == first["execution_time"]);
  CHECK(program["lost_time"] == first["lost_time"]);
  CHECK(failed_with(run_gridcast({"export", store}), 2, {"--csv", "--jsonl"}));
  const std::string plain = directory / "plain.h5";
  REQUIRE(run_gridcast({"sweep", config("programs/sor.toml"), "-m", config("mvs.par"),
                        "--max-processors", "4", "--store", plain, "-q"})
              .exit_code == 0);
  CHECK(failed_with(run_gridcast({"export", plain, "--csv", "-", "--intervals"}), 2,
                    {"plain.h5", "--intervals"}));
}

TEST_CASE("parameters without quotes in a description are told how to be written") {
  const TemporaryDirectory directory;
  for (const char* name : {"nx", "ix", "tx", "mx", "_x"}) {
    write_file(directory / "p.toml", "[parameters]\nnx = 4\n[[array]]\nname = \"A\"\nextents = [" +
                                         std::string(name) + ", 4]\n");
    CHECK(failed_with(run_gridcast({"predict", directory / "p.toml", "-m", config("mvs.par")}), 2,
                      {"p.toml:5", "in quotes", "[\"nx\", \"ny + 2\"]"}));
  }
}
