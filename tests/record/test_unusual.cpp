/// Runs that end early, fork or call very often; files that are damaged.

#include <cstring>
#include <fstream>
#include <map>
#include <set>

#include "gridcast/record/format.h"
#include "recorded.h"

namespace gridcast::record::test {
namespace {

void write_bytes(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

}  // namespace

TEST_CASE("Killed processes leave what they called", "[kill]") {
  const Run run("2", {"unusual", "kill"});
  CHECK(run.ended.exit_code != 0);
  int killed = 0;
  for (const RankRecording& rank : run.read().ranks) {
    CHECK(counts(rank).at("Allreduce") == 100);
    killed += rank.state == State::running ? 1 : 0;
    CHECK(warnings(rank).at(0) == "ended without MPI_Finalize");
    CHECK(rank.tick > 1e-11);
  }
  CHECK(killed == 2);
}

TEST_CASE("MPI_Abort ends the recording, its code is that of the run", "[abort]") {
  const Run run("1", {"unusual", "abort"});
  CHECK(run.ended.exit_code == 7);
  const Recording recording = run.read();
  CHECK(recording.ranks[0].state == State::aborted);
  CHECK(counts(recording.ranks[0]) == Counts{{"Init", 1}, {"Barrier", 1}, {"Abort", 1}});
}

TEST_CASE("Calls of a child process are not recorded", "[fork]") {
  const Run run("2", {"unusual", "fork"});
  CHECK(run.ended.exit_code == 0);
  CHECK(run.ended.output == "child ended with 3, 5\nchild ended with 3, 5\n");
  for (const RankRecording& rank : run.read().ranks) {
    CHECK(counts(rank) == Counts{{"Init", 1}, {"Barrier", 1}, {"Finalize", 1}});
  }
}

TEST_CASE("Threads that call MPI at once: every call is there, with a warning", "[threads]") {
  const Run run("2", {"unusual", "threads"});
  REQUIRE(run.ended.exit_code == 0);
  for (const RankRecording& rank : run.read().ranks) {
    CHECK(counts(rank) ==
          Counts{{"Init_thread", 1}, {"Comm_dup", 2}, {"Allreduce", 2000}, {"Finalize", 1}});
    CHECK(rank.thread_level == 3);
    REQUIRE(warnings(rank).size() == 1);
    CHECK_THAT(warnings(rank)[0], Catch::Contains("several threads"));
  }
}

TEST_CASE("A file that is full ends the recording, not the program, a rank is recorded once",
          "[limit]") {
  const support::ScratchDirectory scratch;
  Manifest manifest;
  const std::filesystem::path folder = scratch / "run";
  begin_run(folder, manifest);
  const std::vector<std::string> command = recorded_command(
      {"env", "GRIDCAST_RECORD_LIMIT=1060000", std::string(APPS) + "/unusual", "many", "500000"},
      RECORDER, folder, manifest.run);
  CHECK(support::run_program(command).exit_code == 0);
  const RankRecording rank = read_recording(folder).ranks.at(0);
  REQUIRE(warnings(rank).size() == 1);
  CHECK_THAT(warnings(rank)[0], Catch::Contains("largest size of a file"));
  CHECK(rank.events > 300000);
  CHECK(rank.events < 353000);
  CHECK(std::filesystem::file_size(folder / "rank-0.gcr") <= 1060000);
  const support::Ended again = support::run_program(command);
  CHECK(again.exit_code == 0);
  CHECK_THAT(again.errors, Catch::Contains("another process has recorded this rank"));
  CHECK(read_recording(folder).ranks.at(0).events == rank.events);
}

TEST_CASE("The exit code of the program is that of the recorded run", "[exit]") {
  const Run run("1", {"unusual", "exit", "42"});
  CHECK(run.ended.exit_code == 42);
  CHECK(run.read().manifest.exit_code == 42);
}

TEST_CASE("Ten million calls take at most 64 MB", "[slow]") {
  const Run run("1", {"unusual", "many", "10000000"});
  REQUIRE(run.ended.exit_code == 0);
  CHECK(std::filesystem::file_size(run.folder / "rank-0.gcr") <= 64000000);
  const Recording recording = run.read();
  CHECK(counts(recording.ranks[0]).at("Allreduce") == 10000000);
  CHECK(warnings(recording.ranks[0]).empty());
}

TEST_CASE("Calls that are all alike take three bytes each", "[size]") {
  const Run run("1", {"unusual", "poll", "100000"});
  CHECK(counts(run.read().ranks[0]).at("Iprobe") == 100000);
  const std::uintmax_t size = std::filesystem::file_size(run.folder / "rank-0.gcr");
  CHECK(size >= 300000);
  CHECK(size <= 300000 + 8192);
}

TEST_CASE("More different calls than the tables hold: all are counted, some in part", "[tables]") {
  const Run run("1", {"unusual", "shapes", "50000"});
  const Recording recording = run.read();
  const RankRecording& rank = recording.ranks[0];
  CHECK(counts(rank).at("Send") == 100000);
  CHECK(rank.shapes.size() < 70000);
  REQUIRE(warnings(rank).size() == 1);
  CHECK(warnings(rank)[0].find("more different calls") != std::string::npos);
}

TEST_CASE("A stripped program is recorded, sites are places in its file", "[stripped]") {
  const support::ScratchDirectory scratch;
  const std::filesystem::path program = scratch / "stripped";
  std::filesystem::copy_file(std::string(APPS) + "/jacobi2d", program);
  REQUIRE(support::run_program({"strip", program.string()}).exit_code == 0);
  Manifest manifest;
  manifest.grid = machine::Grid::parse("1x1");
  const std::filesystem::path folder = scratch / "run";
  begin_run(folder, manifest);
  const std::vector<std::string> command{program.string(), "8", "8", "1", "1", "3"};
  REQUIRE(
      support::run_program(recorded_command(command, RECORDER, folder, manifest.run)).exit_code ==
      0);
  const Recording recording = read_recording(folder);
  const RankRecording& rank = recording.ranks.at(0);
  CHECK(counts(rank).at("Sendrecv") == 12);
  const Site& site = rank.sites[static_cast<std::size_t>(shapes_of(rank, "Sendrecv").at(0).site)];
  CHECK(rank.modules[static_cast<std::size_t>(site.module)].path ==
        std::filesystem::canonical(program));
  const Run whole("1x1", {"jacobi2d", "8", "8", "1", "1", "3"});
  const RankRecording with_symbols = whole.read().ranks.at(0);
  const Shape same = shapes_of(with_symbols, "Sendrecv").at(0);
  CHECK(site.offset == with_symbols.sites[static_cast<std::size_t>(same.site)].offset);
}

TEST_CASE("Damaged recordings are refused with one line", "[damaged]") {
  const Run run("2", {"unusual", "variety"});
  const std::filesystem::path file = run.folder / "rank-1.gcr";
  const std::string good = support::read_text(file);
  const auto refused = [&](const std::string& bytes) {
    write_bytes(file, bytes);
    const std::string line = refusal([&] { static_cast<void>(run.read()); });
    CHECK(line.find('\n') == std::string::npos);
    return line;
  };
  CHECK_THAT(refused(good.substr(0, good.size() - 5)), Catch::Contains("rank-1.gcr: ends after"));
  CHECK_THAT(refused(good.substr(0, 20)), Catch::Contains("is no file of a recording"));
  CHECK_THAT(refused(""), Catch::Contains("is no file of a recording"));
  std::string other = good;
  other[8] = 9;
  CHECK_THAT(refused(other), Catch::Contains("has format 9 (this gridcast reads format 1"));
  // Every byte changed once: used or refused, never a crash.
  for (std::size_t at = 0; at < good.size(); at += at < 128 || at >= 4096 ? 1 : 512) {
    std::string changed = good;
    changed[at] = static_cast<char>(changed[at] ^ 0x41);
    write_bytes(file, changed);
    const std::string line = refusal([&] { static_cast<void>(counts(run.read().ranks[1])); });
    CHECK(line.find('\n') == std::string::npos);
  }
  std::filesystem::remove(file);
  CHECK_THAT(refusal([&] { static_cast<void>(run.read()); }), Catch::Contains("no file of rank 1"));
  const Run another("2", {"unusual", "variety"});
  std::filesystem::copy_file(another.folder / "rank-1.gcr", file);
  CHECK_THAT(refusal([&] { static_cast<void>(run.read()); }), Catch::Contains("is of another run"));
}

TEST_CASE("A grid that is not that of the program is refused", "[grid]") {
  const Run run("4x1", {"jacobi2d", "8", "8", "2", "2", "1"});
  const Recording recording = run.read();
  CHECK_THAT(
      refusal([&] { static_cast<void>(verify_grid(recording)); }),
      Catch::Contains(
          "the program made the grid 2x2, not 4x1 (expected --grid 2x2, or another command)"));
  const Run flat("2x2x1", {"jacobi2d", "8", "8", "2", "2", "1"});
  CHECK_THAT(
      refusal([&] { static_cast<void>(verify_grid(flat.read())); }),
      Catch::Contains("not 2x2x1 (expected --grid 2x2 (tune: --rank 2), or another command)"));
  const Run fewer("2x1", {"jacobi2d", "8", "8", "2", "1", "1"});
  std::string text = support::read_text(fewer.folder / "recording.toml");
  text.replace(text.find("2x1"), 3, "1x1");
  write_bytes(fewer.folder / "recording.toml", text);
  CHECK_THAT(refusal([&] { static_cast<void>(fewer.read()); }),
             Catch::Contains("is of rank 0 of 2"));
}

TEST_CASE("Each of many requests has a number of its own, used again when it is free",
          "[requests]") {
  const Run run("1", {"unusual", "requests", "300"});
  CHECK(run.ended.output == "600\n600\n");
  const Recording recording = run.read();
  const RankRecording& rank = recording.ranks.at(0);
  CHECK(warnings(rank).empty());
  CHECK(counts(rank).at("Waitsome") == 2);
  // Each number from 0 to 599 is opened by two calls: the second part uses those of the first.
  std::map<std::int32_t, int> opened;
  EventReader events(rank);
  for (Event event; events.next(event);) {
    const Shape& shape = rank.shapes[event.shape];
    const Kind kind = rank.operations[static_cast<std::size_t>(shape.operation)].kind;
    if (kind == Kind::send || kind == Kind::receive) {
      ++opened[shape.request];
    }
  }
  CHECK(opened.size() == 600);
  CHECK(opened.begin()->first == 0);
  CHECK(opened.rbegin()->first == 599);
  for (const Shape& some : shapes_of(rank, "Waitsome")) {
    CHECK(rank.lists[static_cast<std::size_t>(some.list[0])].size() == 600);
    const std::vector<std::int64_t>& ended = rank.lists[static_cast<std::size_t>(some.list[1])];
    CHECK(std::ssize(ended) == some.result);
    CHECK(std::set<std::int64_t>(ended.begin(), ended.end()).size() == ended.size());
  }
}

TEST_CASE("Lists that are too long are left out, with a warning", "[requests]") {
  const Run run("1", {"unusual", "requests", "3000"});
  CHECK(run.ended.output == "6000\n6000\n");
  const Recording recording = run.read();
  REQUIRE(warnings(recording.ranks.at(0)).size() == 1);
  CHECK_THAT(warnings(recording.ranks[0])[0], Catch::Contains("more different calls"));
  CHECK(shapes_of(recording.ranks[0], "Waitsome").at(0).list[0] == 0);
}

TEST_CASE("Launchers set the environment of ranks in their own ways", "[command]") {
  const auto line = [](const std::vector<std::string>& command, const std::string& folder) {
    std::string text;
    for (const std::string& word : recorded_command(command, "/lib.so", folder, 255)) {
      text += (text.empty() ? "" : " ") + word;
    }
    return text;
  };
  CHECK(line({"/usr/bin/mpirun", "-n", "2", "./app"}, "/run") ==
        "/usr/bin/mpirun -x LD_PRELOAD=/lib.so -x GRIDCAST_RECORD_DIR=/run "
        "-x GRIDCAST_RECORD_RUN=00000000000000ff -n 2 ./app");
  CHECK(line({"srun", "./app"}, "/run") ==
        "srun "
        "--export=ALL,LD_PRELOAD=/lib.so,GRIDCAST_RECORD_DIR=/"
        "run,GRIDCAST_RECORD_RUN=00000000000000ff ./app");
  CHECK(line({"./app", "5"}, "/run") ==
        "env LD_PRELOAD=/lib.so GRIDCAST_RECORD_DIR=/run GRIDCAST_RECORD_RUN=00000000000000ff "
        "./app 5");
  CHECK_THAT(refusal([&] {
               static_cast<void>(line({"srun", "./app"}, "/a,b"));
             }),
             Catch::Contains("no comma"));
}

TEST_CASE("Manifests with mistakes are refused, with what was expected", "[manifest]") {
  const std::string good =
      "version = 1\nrun = \"00000000000000ff\"\ngrid = \"2x2\"\nextents = [10, 7]\n";
  const Manifest manifest = parse_manifest(good, "recording.toml");
  CHECK(manifest.run == 255);
  CHECK(manifest.extents == std::vector<std::int64_t>{10, 7});
  CHECK(parse_manifest(manifest_text(manifest), "again").grid == manifest.grid);
  const auto line = [](const std::string& text) {
    return refusal([&] { static_cast<void>(parse_manifest(text, "recording.toml")); });
  };
  CHECK_THAT(line("version = 2"), Catch::Contains("version 2 of a recording"));
  CHECK_THAT(line("version = 1\nrun = \"xy\""), Catch::Contains("no valid `run`"));
  CHECK_THAT(line(good + "exit_code = 300"), Catch::Contains("no valid `exit_code`"));
  CHECK_THAT(line("version = "), Catch::Contains("recording.toml:1"));
  CHECK_THAT(refusal([] { static_cast<void>(read_recording("/nowhere")); }),
             Catch::Contains("no recording.toml"));
}

}  // namespace gridcast::record::test
