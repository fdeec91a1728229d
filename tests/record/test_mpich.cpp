/// Programs of MPICH: what is recorded of them is what is recorded of the same programs with Open
/// MPI.

#include <fstream>

#include "recorded.h"

namespace gridcast::record::test {
namespace {

using Words = std::vector<std::string>;

#ifdef MPICH_RUN

Run recorded(const std::string& grid, Words app, const std::string& recorder) {
  app.front() = std::string(APPS) + "/" + app.front() + "_mpich";
  app.insert(app.begin(),
             {MPICH_RUN, "-n", std::to_string(machine::Grid::parse(grid).processors())});
  return {grid, app, recorder};
}

void check_same(const RankRecording& rank, const RankRecording& expected) {
  CHECK(rank.state == State::finished);
  CHECK(warnings(rank) == warnings(expected));
  CHECK(counts(rank) == counts(expected));
  for (const auto& [operation, number] : counts(expected)) {
    CAPTURE(operation);
    const std::vector<Shape> found = shapes_of(rank, operation);
    const std::vector<Shape> wanted = shapes_of(expected, operation);
    REQUIRE(found.size() == wanted.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      CHECK(found[i].peer == wanted[i].peer);
      CHECK(found[i].tag == wanted[i].tag);
      CHECK(found[i].bytes == wanted[i].bytes);
      CHECK(found[i].communicator == wanted[i].communicator);
      CHECK(found[i].request == wanted[i].request);
    }
  }
}

#endif

}  // namespace

TEST_CASE("Programs of MPICH: the calls of the same program with Open MPI", "[mpich]") {
#ifndef MPICH_RUN
  WARN("skipped: MPICH is not installed");
#else
  const std::pair<const char*, Words> programs[] = {
      {"2x2", {"jacobi2d", "100", "71", "2", "2", "10"}},
      {"2x1x2", {"heat3d", "24", "2", "1", "2", "5"}},
      {"2x2", {"persistent", "2", "2", "6"}},
      {"2x2", {"handgrid_mpif", "2", "2", "6"}}};
  for (const auto& [grid, app] : programs) {
    CAPTURE(app.front());
    const Run run = recorded(grid, app, MPICH_RECORDER);
    CHECK(run.ended.exit_code == 0);
    // Its transports may say something of their own.
    CHECK(run.ended.errors.find("gridcast") == std::string::npos);
    const Run expected(grid, app);
    CHECK(run.ended.output == expected.ended.output);
    const Recording recording = run.read();
    const Recording other = expected.read();
    REQUIRE(recording.ranks.size() == other.ranks.size());
    for (std::size_t i = 0; i < other.ranks.size(); ++i) {
      CAPTURE(i);
      check_same(recording.ranks[i], other.ranks[i]);
    }
    CHECK_THAT(recording.ranks.front().library, Catch::StartsWith("MPICH Version: "));
  }
#endif
}

TEST_CASE("Programs of MPICH: the recorder of Open MPI leaves them alone", "[mpich]") {
#ifndef MPICH_RUN
  WARN("skipped: MPICH is not installed");
#else
  const Words app{"jacobi2d", "40", "40", "2", "1", "3"};
  const Run run = recorded("2x1", app, RECORDER);
  CHECK(run.ended.exit_code == 0);
  CHECK(run.ended.output == recorded("2x1", app, MPICH_RECORDER).ended.output);
  CHECK_THAT(run.ended.errors,
             Catch::Contains("libgridcast-record.so: does not record programs of MPICH: it was "
                             "built for Open MPI (gridcast record --mpi)\n"));
  CHECK_THAT(refusal([&] { static_cast<void>(run.read()); }), Catch::Contains("no file of rank 0"));
#endif
}

TEST_CASE("Programs of MPICH: their launcher is known behind links", "[mpich]") {
  const support::ScratchDirectory scratch;
  std::filesystem::create_directory(scratch / "real");
  std::ofstream(scratch / "real" / "mpiexec.hydra") << "#!/bin/sh\n";
  std::filesystem::create_symlink(scratch / "real" / "mpiexec.hydra", scratch / "mpirun");
  std::ofstream(scratch / "mpiexec") << "#!/bin/sh\n";
  const std::string link = (scratch / "mpirun").string();
  CHECK(mpi_of({link, "-n", "4"}) == MpiLibrary::mpich);
  CHECK(mpi_of({(scratch / "mpiexec").string()}) == MpiLibrary::openmpi);
  CHECK(mpi_of({"srun"}) == MpiLibrary::openmpi);
  CHECK(mpi_of({"no-such-launcher"}) == MpiLibrary::openmpi);
  CHECK(recorded_command({link, "-n", "2", "./app"}, "/lib.so", "/r=1", 255) ==
        Words{link, "-genv", "LD_PRELOAD", "/lib.so", "-genv", "GRIDCAST_RECORD_DIR", "/r=1",
              "-genv", "GRIDCAST_RECORD_RUN", "00000000000000ff", "-n", "2", "./app"});
}

}  // namespace gridcast::record::test
