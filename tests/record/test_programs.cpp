/// What is recorded of programs whose calls are counted by hand.

#include "recorded.h"

namespace gridcast::record::test {
namespace {

using Pair = std::array<std::int64_t, 2>;
using Peers = std::array<std::int32_t, 2>;

}  // namespace

TEST_CASE("2-D Jacobi: each call, its partners, bytes and the shape of the grid", "[jacobi2d]") {
  const Run run("2x2", {"jacobi2d", "100", "71", "2", "2", "10"});
  REQUIRE(run.ended.errors.empty());
  CHECK(run.ended.exit_code == 0);
  CHECK(run.ended.output ==
        support::run_program(mpirun(4, {"jacobi2d", "100", "71", "2", "2", "10"})).output);
  const Recording recording = run.read();
  CHECK(verify_grid(recording));
  CHECK(recording.manifest.exit_code == 0);
  REQUIRE(recording.ranks.size() == 4);
  for (const RankRecording& rank : recording.ranks) {
    CHECK(rank.state == State::finished);
    CHECK(warnings(rank).empty());
    CHECK(counts(rank) == Counts{{"Init", 1},
                                 {"Cart_create", 1},
                                 {"Sendrecv", 40},
                                 {"Allreduce", 10},
                                 {"Type_free", 1},
                                 {"Comm_free", 1},
                                 {"Finalize", 1}});
    CHECK(rank.events == 55);
    REQUIRE(rank.communicators.size() == 2);
    const Communicator& grid = rank.communicators[1];
    CHECK(grid.topology == Topology::cartesian);
    CHECK(grid.extents == std::vector<std::int32_t>{2, 2});
    CHECK(grid.periodic == std::vector<bool>{false, false});
    CHECK(grid.members == std::vector<std::int32_t>{0, 1, 2, 3});
    CHECK(grid.parent == 0);
  }
  // Rank 1 is at (0, 1): a block of 50 x 35; below it is rank 3, left of it rank 0.
  const RankRecording& rank = recording.ranks[1];
  const std::vector<Shape> sent = shapes_of(rank, "Sendrecv");
  REQUIRE(sent.size() == 4);
  CHECK(sent[0].peer == Peers{nobody, 3});
  CHECK(sent[1].peer == Peers{3, nobody});
  CHECK(sent[2].peer == Peers{0, nobody});
  CHECK(sent[3].peer == Peers{nobody, 0});
  CHECK(sent[0].bytes == Pair{35 * 8, 35 * 8});
  CHECK(sent[2].bytes == Pair{50 * 8, 50 * 8});
  CHECK(sent[2].tag == Peers{3, 3});
  const Datatype& column = rank.datatypes[static_cast<std::size_t>(sent[2].datatype[0])];
  CHECK(column.bytes == 400);
  CHECK(column.pieces == 50);
  CHECK(column.true_extent == (49 * 37 + 1) * 8);
  CHECK(rank.datatypes[static_cast<std::size_t>(sent[0].datatype[0])].name == "MPI_DOUBLE");
  CHECK(sent[0].site != sent[1].site);
}

TEST_CASE("3-D heat on a periodic grid: requests have the same numbers in each iteration",
          "[heat3d]") {
  const Run run("3x2x1", {"heat3d", "12", "3", "2", "1", "20"});
  const Recording recording = run.read();
  CHECK(run.ended.output == "total 120.0\n");
  for (const RankRecording& rank : recording.ranks) {
    CHECK(counts(rank) == Counts{{"Init", 1},
                                 {"Cart_create", 1},
                                 {"Irecv", 120},
                                 {"Isend", 120},
                                 {"Waitall", 60},
                                 {"Reduce", 1},
                                 {"Finalize", 1}});
    const std::vector<Shape> sent = shapes_of(rank, "Isend");
    REQUIRE(sent.size() == 6);
    // Blocks of 4 x 6 x 12.
    CHECK(sent[0].bytes[0] == 6 * 12 * 8);
    CHECK(sent[2].bytes[0] == 4 * 12 * 8);
    CHECK(sent[4].bytes[0] == 4 * 6 * 8);
    CHECK(sent[4].peer[0] == rank.rank);
    const std::vector<Shape> waits = shapes_of(rank, "Waitall");
    REQUIRE(waits.size() == 1);
    CHECK(rank.lists[static_cast<std::size_t>(waits[0].list[0])] ==
          std::vector<std::int64_t>{0, 1, 2, 3});
    CHECK(sent[1].request == 3);
  }
}

TEST_CASE("Persistent requests and neighbour collectives", "[persistent]") {
  const Run run("2x2", {"persistent", "2", "2", "7"});
  REQUIRE(run.ended.exit_code == 0);
  for (const RankRecording& rank : run.read().ranks) {
    CHECK(counts(rank) == Counts{{"Init", 1},
                                 {"Cart_create", 1},
                                 {"Cart_sub", 1},
                                 {"Recv_init", 2},
                                 {"Send_init", 2},
                                 {"Startall", 7},
                                 {"Waitall", 7},
                                 {"Neighbor_alltoall", 7},
                                 {"Neighbor_alltoallv", 7},
                                 {"Ineighbor_allgather", 7},
                                 {"Wait", 7},
                                 {"Allreduce", 7},
                                 {"Request_free", 4},
                                 {"Comm_free", 1},
                                 {"Finalize", 1}});
    const std::vector<Shape> starts = shapes_of(rank, "Startall");
    REQUIRE(starts.size() == 1);
    CHECK(rank.lists[static_cast<std::size_t>(starts[0].list[0])] ==
          std::vector<std::int64_t>{0, 1, 2, 3});
    const std::vector<Shape> all = shapes_of(rank, "Neighbor_alltoallv");
    REQUIRE(all.size() == 1);
    CHECK(rank.lists[static_cast<std::size_t>(all[0].list[0])] ==
          std::vector<std::int64_t>{16, 16, 32, 32});
    CHECK(all[0].bytes == Pair{96, 96});
    CHECK(shapes_of(rank, "Wait").at(0).request == 4);
    const Shape sum = shapes_of(rank, "Allreduce").at(0);
    CHECK(sum.bytes[0] == 12);
    const Communicator& row = rank.communicators[static_cast<std::size_t>(sum.communicator)];
    CHECK(row.extents == std::vector<std::int32_t>{2});
    CHECK(row.members == std::vector<std::int32_t>{rank.rank / 2 * 2, rank.rank / 2 * 2 + 1});
    CHECK(row.parent == 1);
  }
}

TEST_CASE("Fortran in its three forms: the same calls", "[fortran]") {
  for (const std::string form : {"mpif", "mpi", "f08"}) {
    INFO(form);
    const Run run("2x3", {"handgrid_" + form, "2", "3", "4"});
    CHECK(run.ended.errors.empty());
    CHECK(run.ended.output == "total    18.0 T\n");
    const Recording recording = run.read();
    CHECK_FALSE(verify_grid(recording));
    for (const RankRecording& rank : recording.ranks) {
      CHECK(counts(rank) == Counts{{"Init", 1},
                                   {"Comm_split", 1},
                                   {"Irecv", 9},
                                   {"Isend", 9},
                                   {"Waitall", 4},
                                   {"Sendrecv", 4},
                                   {"Allreduce", 4},
                                   {"Reduce", 1},
                                   {"Waitsome", 1},
                                   {"Waitany", 1},
                                   {"Gather", 1},
                                   {"Allgather", 1},
                                   {"Testall", 1},
                                   {"Comm_free", 1},
                                   {"Finalize", 1}});
      const std::int32_t x = rank.rank % 2;
      CHECK(shapes_of(rank, "Isend").at(0).peer[0] == (x == 0 ? rank.rank + 1 : nobody));
      CHECK(shapes_of(rank, "Isend").at(0).bytes[0] == 400);
      CHECK(shapes_of(rank, "Sendrecv").at(0).bytes == Pair{80, 80});
      const Shape sum = shapes_of(rank, "Allreduce").at(0);
      CHECK(rank.communicators[static_cast<std::size_t>(sum.communicator)].members ==
            std::vector<std::int32_t>{x, x + 2, x + 4});
      CHECK(shapes_of(rank, "Gather").at(0).bytes == Pair{4, rank.rank == 0 ? 4 : 0});
      CHECK(shapes_of(rank, "Allgather").at(0).bytes == Pair{0, 4});
      const Shape some = shapes_of(rank, "Waitsome").at(0);
      CHECK(some.result == 1);
      CHECK(rank.lists[static_cast<std::size_t>(some.list[1])] == std::vector<std::int64_t>{1});
      const Shape any = shapes_of(rank, "Waitany").at(0);
      CHECK(rank.lists[static_cast<std::size_t>(any.list[1])] == std::vector<std::int64_t>{0});
      CHECK(shapes_of(rank, "Testall").at(0).result == 1);
    }
  }
}

TEST_CASE("Probes, wildcards, lists, nonblocking collectives, arguments that mean nothing",
          "[variety]") {
  const Run run("2", {"unusual", "variety"});
  REQUIRE(run.ended.exit_code == 0);
  const Recording recording = run.read();
  const RankRecording& first = recording.ranks[0];
  const RankRecording& second = recording.ranks[1];
  const Shape probe = shapes_of(second, "Probe").at(0);
  CHECK(probe.peer[0] == anybody);
  CHECK(probe.tag[0] == anybody);
  CHECK(shapes_of(second, "Recv").at(0).bytes[0] == 32);
  CHECK(shapes_of(second, "Comm_split").at(0).result == -1);
  CHECK(shapes_of(first, "Comm_split").at(0).result > 0);
  CHECK(shapes_of(second, "Mrecv").at(0).bytes[0] == 16);
  // Only the root says how much it receives from whom.
  const Shape gathered = shapes_of(first, "Gatherv").at(0);
  CHECK(gathered.bytes == Pair{4, 12});
  CHECK(first.lists[static_cast<std::size_t>(gathered.list[1])] == std::vector<std::int64_t>{4, 8});
  CHECK(shapes_of(second, "Gatherv").at(0).bytes == Pair{8, 0});
  CHECK(shapes_of(second, "Scatter").at(0).bytes == Pair{0, 8});
  CHECK(shapes_of(first, "Alltoallv").at(0).bytes == Pair{4, 4});
  CHECK(shapes_of(first, "Bcast").at(0).peer[0] == 1);
  CHECK(counts(first).at("Test") >= 1);
  CHECK(shapes_of(first, "Iallreduce").at(0).request == 0);
  CHECK(shapes_of(first, "Sendrecv_replace").at(0).peer == Peers{1, 1});
}

}  // namespace gridcast::record::test
