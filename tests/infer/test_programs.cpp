/// Programs of tests/apps, recorded under mpirun on at most 6 processes: every message of the runs
/// is what the inferred description says. explain.py, which evaluates it, shares no code with us.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <numeric>

#include "gridcast/infer/infer.h"
#include "gridcast/record/plan.h"
#include "recorded.h"

namespace gridcast::infer::test {
namespace {

using record::Kind;

/// Writes what the ranks of a run sent, a row per message and collective (explain.py).
class SentRows {
public:
  explicit SentRows(const std::filesystem::path& file) : out_(file) {}

  void write(const record::Recording& recording) {
    for (const record::RankRecording& rank : recording.ranks) {
      rank_ = &rank;
      record::EventReader events(rank);
      for (record::Event event; events.next(event);) {
        take(rank.shapes[event.shape]);
      }
    }
  }

private:
  void message(std::int32_t communicator, std::int32_t peer, std::int64_t bytes) {
    if (peer >= 0 && bytes > 0) {
      const std::int32_t to =
          rank_->communicators[static_cast<std::size_t>(communicator)].members.at(
              static_cast<std::size_t>(peer));
      if (to != rank_->rank) {  // what a process sends to itself passes no network
        out_ << fmt::format("message,{},{},{}\n", rank_->rank, to, bytes);
      }
    }
  }

  void take(const record::Shape& shape) {
    const record::Operation& operation =
        rank_->operations[static_cast<std::size_t>(shape.operation)];
    if (operation.name.find("_init") != std::string::npos) {
      begun_[{rank_->rank, shape.request}] = shape;
    } else if (operation.kind == Kind::send || operation.kind == Kind::exchange) {
      message(shape.communicator, shape.peer[0], shape.bytes[0]);
    } else if (operation.kind == Kind::start) {
      for (const std::int64_t request : rank_->lists[static_cast<std::size_t>(shape.list[0])]) {
        const record::Shape& made = begun_.at({rank_->rank, static_cast<std::int32_t>(request)});
        const std::size_t sends = static_cast<std::size_t>(made.operation);
        if (rank_->operations[sends].kind == Kind::send) {
          message(made.communicator, made.peer[0], made.bytes[0]);
        }
      }
    } else if (operation.kind == Kind::neighbours) {
      take_neighbours(shape);
    } else if (operation.kind == Kind::collective) {
      take_collective(operation.name, shape);
    }
  }

  /// On a periodic 2-D grid, the only one that a program here has.
  void take_neighbours(const record::Shape& shape) {
    const record::Communicator& grid =
        rank_->communicators[static_cast<std::size_t>(shape.communicator)];
    const std::int32_t rows = grid.extents[0];
    const std::int32_t columns = grid.extents[1];
    const std::int32_t x = grid.rank / columns;
    const std::int32_t y = grid.rank % columns;
    const std::int32_t partners[] = {
        (x + rows - 1) % rows * columns + y, (x + 1) % rows * columns + y,
        x * columns + (y + columns - 1) % columns, x * columns + (y + 1) % columns};
    const std::vector<std::int64_t>& each = rank_->lists[static_cast<std::size_t>(shape.list[0])];
    for (std::size_t i = 0; i < 4; ++i) {
      message(shape.communicator, partners[i], each.empty() ? shape.bytes[0] : each[i]);
    }
  }

  void take_collective(const std::string& name, const record::Shape& shape) {
    const std::map<std::string, std::string> words{
        {"Allreduce", "allreduce"}, {"Reduce", "reduce"},       {"Gather", "gather"},
        {"Allgather", "allgather"}, {"Alltoallv", "alltoallv"}, {"Bcast", "broadcast"}};
    std::vector<std::int32_t> group =
        rank_->communicators[static_cast<std::size_t>(shape.communicator)].members;
    if (name == "Alltoallv") {
      const auto& shares = rank_->lists[static_cast<std::size_t>(shape.list[0])];
      for (std::size_t i = 0; i < group.size(); ++i) {
        out_ << fmt::format("alltoallv,{},{},{}\n", rank_->rank, group[i], shares[i]);
      }
      return;
    }
    std::sort(group.begin(), group.end());
    out_ << fmt::format("{},{},{},{}\n", words.at(name), rank_->rank, fmt::join(group, " "),
                        std::max(shape.bytes[0], shape.bytes[1]));
  }

  std::ofstream out_;
  const record::RankRecording* rank_ = nullptr;
  std::map<std::pair<std::int32_t, std::int32_t>, record::Shape> begun_;
};

/// A program and how it takes extents, grid and iterations.
struct App {
  std::string name;
  std::vector<std::string> grids;
  std::string extents;
  bool takes_extents = true;
  std::string order = "row";
  bool takes_one = false;           ///< the first extent stands for all
  double tolerance = 0.0;           ///< of bytes
  std::vector<std::string> more{};  ///< arguments after the iterations
};

constexpr int iterations = 6;

class Recorded {
public:
  explicit Recorded(const App& app) : app_(app) {
    for (const std::string& grid : app.grids) {
      add(grid, app.extents);
    }
  }

  void add(const std::string& grid, const std::string& extents) {
    std::vector<std::string> words{app_.name};
    const auto append = [&words](const std::vector<std::int64_t>& numbers) {
      for (const std::int64_t number : numbers) {
        words.push_back(std::to_string(number));
      }
    };
    const std::vector<std::int64_t> sizes = record::parse_extents(extents);
    if (app_.takes_extents) {
      append(app_.takes_one ? std::vector<std::int64_t>{sizes.front()} : sizes);
    }
    append(record::parse_extents(grid));
    words.push_back(std::to_string(iterations));
    words.insert(words.end(), app_.more.begin(), app_.more.end());
    runs_.push_back(std::make_unique<record::test::Run>(grid, words));
    INFO(runs_.back()->ended.errors);
    REQUIRE(runs_.back()->ended.exit_code == 0);
    grids_.push_back(grid);
    extents_.push_back(extents);
  }

  [[nodiscard]] Inferred infer() const {
    std::vector<record::Recording> recordings;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      recordings.push_back(runs_[i]->read());
      recordings.back().manifest.extents = record::parse_extents(extents_[i]);
    }
    return infer::infer(std::move(recordings), {});
  }

  /// Every message of every run is explained by the text, which predicts other grids.
  void check(const Inferred& inferred) const {
    const support::ScratchDirectory scratch;
    const std::filesystem::path text = scratch.file("app.toml", inferred.description);
    INFO(inferred.description);
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      SentRows(scratch / "sent.csv").write(runs_[i]->read());
      const support::Ended ended = support::run_program(
          {"/usr/bin/python3", std::string(GRIDCAST_SOURCE_DIR) + "/tests/infer/explain.py",
           text.string(), (scratch / "sent.csv").string(), grids_[i], extents_[i], app_.order,
           std::to_string(iterations), std::to_string(app_.tolerance)});
      INFO(grids_[i] << " of " << extents_[i] << ": " << ended.output << ended.errors);
      CHECK(ended.exit_code == 0);
    }
    const auto dimensions = std::count(grids_.front().begin(), grids_.front().end(), 'x') + 1;
    const support::Ended predicted = support::run_program(
        {GRIDCAST_EXECUTABLE, "predict", text.string(), "--machine",
         std::string(GRIDCAST_SOURCE_DIR) + "/configs/cluster128x64.par", "--grid",
         dimensions == 2 ? "4x5" : "2x4x3", "--json", (scratch / "predicted.json").string()});
    INFO(predicted.output << predicted.errors);
    CHECK(predicted.exit_code == 0);
  }

private:
  App app_;
  std::vector<std::unique_ptr<record::test::Run>> runs_;
  std::vector<std::string> grids_;
  std::vector<std::string> extents_;
};

const std::vector<std::string> grids_2d{"2x1", "1x2", "3x1", "1x3", "2x2", "3x2", "2x3"};

bool has(const Inferred& inferred, const std::string& text) {
  return inferred.description.find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("2-D Jacobi: faces, blocks rounded up, one statement of four send-receives",
          "[jacobi2d]") {
  const Recorded runs({.name = "jacobi2d", .grids = grids_2d, .extents = "100x71"});
  const Inferred inferred = runs.infer();
  runs.check(inferred);
  // Two runs with one, two with two, one with four, two with seven pairs of neighbours.
  CHECK(inferred.messages == 2 * (2 * 1 + 2 * 2 + 4 + 2 * 7));
  CHECK(has(inferred, "{ to = [-1, 0], bytes = \"8*b2\" }"));
  CHECK(has(inferred, "{ to = [0, 1], bytes = \"8*b1\" }"));
  CHECK(has(inferred, "rule = \"ceil\"\n"));
  CHECK(has(inferred, "# jacobi2d.c:"));
  CHECK(has(inferred, "at = \"jacobi2d.c:"));
  CHECK(has(inferred, "blocking = true"));
  CHECK(inferred.main_loop.starts_with("jacobi2d.c:"));
  CHECK(inferred.other_loops.empty());
  CHECK(inferred.farthest.empty());
  CHECK_FALSE(has(inferred, "ranks = "));
}

TEST_CASE("CG: processes without a neighbour leave out its messages", "[cg][slow]") {
  Recorded runs({.name = "cg", .grids = grids_2d, .extents = "100x71"});
  // Alone: two reductions an iteration at one place, nothing between them but computing.
  for (const std::string size : {"300x200", "150x200", "100x120"}) {
    runs.add("1x1", size);
  }
  const Inferred inferred = runs.infer();
  runs.check(inferred);
  CHECK(inferred.messages == 2 * (2 * 1 + 2 * 2 + 4 + 2 * 7));
  CHECK(has(inferred, "rule = \"first\"\n"));
  CHECK(inferred.time_runs == 3);
}

TEST_CASE("3-D heat: a periodic cube, a phase per dimension", "[heat3d][slow]") {
  Recorded runs({.name = "heat3d",
                 .grids = {"3x1x1", "1x3x1", "1x1x3", "3x2x1", "1x3x2", "2x1x3", "2x2x1"},
                 .extents = "24x24x24",
                 .takes_one = true});
  runs.add("1x1x1", "12x12x12");
  const Inferred inferred = runs.infer();
  runs.check(inferred);
  CHECK(inferred.messages == 6 * (3 * 3 + 3 * 6 + 4 + 1));
  CHECK(has(inferred, "periodic = [true, true, true]"));
  CHECK(has(inferred, "{ to = [1, 0, 0], bytes = \"8*b2*b3\" }"));
}

TEST_CASE("Steps that are loops of a process alone, which does the same in all directions",
          "[heat3d][slow]") {
  // Three steps of three phases are nine equal ones there; elsewhere three stay written out.
  Recorded runs({.name = "heat3d",
                 .grids = {"2x1x1", "1x2x1", "1x1x2", "2x2x1", "1x2x2", "2x1x2"},
                 .extents = "24x24x24",
                 .takes_one = true,
                 .more = {"3"}});
  runs.add("1x1x1", "12x12x12");
  const Inferred inferred = runs.infer();
  runs.check(inferred);
  CHECK(inferred.messages == 6 * 3 * (3 * 2 + 3 * 4 + 1));
  CHECK(has(inferred, "{ to = [0, 0, -1], bytes = \"8*b1*b2\" }"));
}

TEST_CASE("Particles: swaps in each dimension that is cut, sizes scatter, input line by line",
          "[swaps][slow]") {
  Recorded runs({.name = "swaps",
                 .grids = {"3x1x1", "1x3x1", "1x1x3", "1x2x2", "2x1x2", "2x2x1"},
                 .extents = "12x18x24",
                 .tolerance = 0.05});
  const Inferred inferred = runs.infer();
  CHECK(inferred.messages == 3 * 3 * 4 + 3 * 4 * 8);
  CHECK(has(inferred, ": beside the main loop, not described\n"));
  CHECK(has(inferred, "periodic = [true, true, true]"));
  CHECK(has(inferred, "# sizes scatter: within "));
  // A grid and a size of which it knows nothing.
  runs.add("2x2x2", "20x16x28");
  runs.check(inferred);
}

TEST_CASE("What one process computes stands once where it waits for nothing and reduces nothing",
          "[halves][slow]") {
  Recorded runs({.name = "halves", .grids = grids_2d, .extents = "100x71"});
  for (const char* const size : {"100x71", "50x71", "50x35", "75x20"}) {
    runs.add("1x1", size);
  }
  const Inferred inferred = runs.infer();
  INFO(inferred.description);
  CHECK_FALSE(has(inferred, "from runs of several processes"));
  const std::string& text = inferred.description;
  const std::size_t phase = text.rfind("send = [");
  const std::string behind = text.substr(phase, text.rfind("\"allreduce\"") - phase);
  CHECK((behind.find("compute = ") != std::string::npos ||
         behind.find("kernel = ") != std::string::npos));
}

TEST_CASE("Both ways round a ring of two processes at once, as libraries send what is for one",
          "[halves][slow]") {
  Recorded runs({.name = "halves", .grids = grids_2d, .extents = "100x71", .more = {"round"}});
  for (const char* const size : {"100x71", "50x35", "75x20"}) {
    runs.add("1x1", size);
  }
  const Inferred inferred = runs.infer();
  INFO(inferred.description);
  CHECK(has(inferred, "both neighbours' messages at once"));
  CHECK(has(inferred, "{ to = [-1, 0], bytes = \"8*b2\" }"));
  CHECK(has(inferred, "{ to = [1, 0], bytes = \"8*b2\" }"));
  CHECK(has(inferred, "{ to = [0, -1], bytes = \"8*b1\" }"));
  CHECK(has(inferred, "{ to = [0, 1], bytes = \"8*b1\" }"));
  // Two along each dimension that is cut.
  CHECK(inferred.messages == 2 * (2 * 2) + 2 * (3 * 2) + 4 * 4 + 2 * (6 * 4));
}

TEST_CASE("A grid made by hand in Fortran: the first coordinate runs fastest", "[fortran][slow]") {
  const Recorded runs({.name = "handgrid_f08",
                       .grids = grids_2d,
                       .extents = "50x50",
                       .takes_extents = false,
                       .order = "column"});
  const Inferred inferred = runs.infer();
  runs.check(inferred);
  // Along the second dimension upwards only.
  CHECK(inferred.messages == 2 + 1 + 4 + 2 + (4 + 2) + (8 + 3) + (6 + 4));
  CHECK(has(inferred, "across = [2]"));
  CHECK(has(inferred, "ranks = \"column\""));
}

TEST_CASE("Pencils: what is sent depends on the blocks of both partners", "[pencils][slow]") {
  const Recorded runs({.name = "pencils", .grids = grids_2d, .extents = "16x20x25"});
  const Inferred inferred = runs.infer();
  runs.check(inferred);
  CHECK(has(inferred, "bytes = \"16*b1*b2*block(n3, p2, t2)\""));
  CHECK(has(inferred, "distribute = [1, 2, 0]"));
}

TEST_CASE("Pencils there and back, of extents that no grid divides", "[pencils][slow]") {
  const Recorded runs(
      {.name = "pencils", .grids = grids_2d, .extents = "17x23x25", .more = {"back"}});
  const Inferred inferred = runs.infer();
  runs.check(inferred);
  CHECK(has(inferred, "bytes = \"16*b1*block(n2, p1, t1)*block(n3, p2, q2)\""));
  CHECK(has(inferred, "bytes = \"16*block(n1, p1, t1)*block(n2, p1, q1)*block(n3, p2, q2)\""));
}

TEST_CASE(
    "Red-black: halves are computed apart, on one process, too, the loop's function runs twice",
    "[redblack][slow]") {
  Recorded runs({.name = "redblack", .grids = grids_2d, .extents = "101x71"});
  for (const std::string size : {"400x300", "200x300", "150x100"}) {
    runs.add("1x1", size);
  }
  const Inferred inferred = runs.infer();
  runs.check(inferred);
  CHECK(inferred.time_runs == 3);
  const auto count = [&](const std::string& text) {
    int found = 0;
    for (std::size_t at = 0; (at = inferred.description.find(text, at)) != std::string::npos;
         ++at) {
      ++found;
    }
    return found;
  };
  CHECK(count("repeat = \"iterations\"") == 2);
  CHECK(inferred.other_loops.empty());
  CHECK(count("compute = ") + count("kernel = ") == 4);
  CHECK(inferred.messages == 2 * 2 * 2 * (2 * 1 + 2 * 2 + 4 + 2 * 7));
}

TEST_CASE("Wavefront: blocking receives, then sends, in a loop over planes", "[wavefront][slow]") {
  Recorded runs({.name = "wavefront", .grids = grids_2d, .extents = "24x36x10"});
  runs.add("2x2", "24x36x15");
  const Inferred inferred = runs.infer();
  runs.check(inferred);
  CHECK(has(inferred, "{ from = [-1, 0] }"));
  CHECK(has(inferred, "{ from = [0, -1] }"));
  CHECK(has(inferred, "only = true"));
  CHECK(has(inferred, "repeat = \"nz\""));
}

TEST_CASE("Sweeps from all corners are alike on a process without neighbours on both sides",
          "[wavefront][slow]") {
  Recorded runs({.name = "wavefront", .grids = grids_2d, .extents = "24x36x40", .more = {"4"}});
  runs.add("1x1", "12x36x60");
  runs.add("1x1", "48x18x80");
  const Inferred inferred = runs.infer();
  runs.check(inferred);
  const std::string& text = inferred.description;
  for (const std::string from : {"[-1, 0] }, { from = [0, -1] }", "[1, 0] }, { from = [0, -1] }",
                                 "[-1, 0] }, { from = [0, 1] }", "[1, 0] }, { from = [0, 1] }"}) {
    CHECK(has(inferred, "receive = [{ from = " + from));
  }
  std::size_t loops = 0;
  for (std::size_t at = 0; (at = text.find("repeat = \"ceil(nz/4)\"\n", at)) != std::string::npos;
       ++at) {
    ++loops;
  }
  CHECK(loops == 4);
  CHECK(inferred.iterations == iterations);
  CHECK(has(inferred, "iterations = 6  # of the main loop below, in the runs\n"));
}

TEST_CASE("A loop along one of two extents that differ alike in all runs says so",
          "[wavefront][slow]") {
  Recorded runs({.name = "wavefront", .grids = {"2x1", "1x2", "2x2"}, .extents = "24x36x18"});
  runs.add("1x1", "24x24x12");
  const Inferred inferred = runs.infer();
  runs.check(inferred);
  CHECK(has(inferred, "repeat = \"nz\"  # not determined: also ceil(ny/2)\n"));
}

TEST_CASE("A process without neighbours tells loops apart by what it would have sent",
          "[substeps][slow]") {
  Recorded runs({.name = "substeps", .grids = {"2x1", "1x2", "2x2"}, .extents = "24x36"});
  runs.add("1x1", "12x36");
  runs.add("1x1", "24x18");
  const Inferred inferred = runs.infer();
  runs.check(inferred);
  CHECK(has(inferred, "repeat = 12\n"));
  CHECK(inferred.messages == (2 + 2 + 8) * (2 + 1));
}

TEST_CASE("Every second process sends first: what it does says so", "[parity][slow]") {
  Recorded runs({.name = "parity",
                 .grids = {"2x1", "1x2", "3x1", "1x3", "2x2", "3x2", "4x1"},
                 .extents = "24x36"});
  runs.add("1x1", "300x200");
  const Inferred inferred = runs.infer();
  runs.check(inferred);
  CHECK(inferred.messages == 1 + 2 + 2 + 4 + 3);
  CHECK(has(
      inferred,
      "tag = \"even q1\"\n  send = [{ to = [1, 0], bytes = \"(2*floor(q1/2) == q1)*(8*b2)\" }]"));
  CHECK(has(inferred, "tag = \"even q1\"\n  receive = [{ from = [-1, 0] }]"));
  CHECK(has(inferred, "bytes = \"(2*floor(q1/2) < q1)*(8*b2)\""));
}

TEST_CASE("Every second rank sends first: which is said by no coordinate", "[parity][slow]") {
  std::vector<record::Recording> recordings;
  const auto refusal = [&recordings](const std::string& columns) {
    const record::test::Run run("2x" + columns, {"parity", "24", "36", "2", columns, "6", "rank"});
    REQUIRE(run.ended.exit_code == 0);
    recordings.push_back(run.read());
    recordings.back().manifest.extents = {24, 36};
    return record::test::refusal([&] { (void)infer::infer(recordings, {}); });
  };
  using Catch::Contains;
  CHECK_THAT(refusal("2"), Contains("parity.c:") && Contains("of even q2 come here, one in each"));
  // In rows of three, ranks alternate between rows, too.
  CHECK_THAT(refusal("3"), Contains("parity.c:") && Contains("only processes of even rank"));
}

TEST_CASE("Persistent requests and neighbour collectives", "[persistent][slow]") {
  const Recorded runs({.name = "persistent",
                       .grids = {"3x1", "1x3", "2x2", "3x2", "2x3"},
                       .extents = "60x60",
                       .takes_extents = false});
  const Inferred inferred = runs.infer();
  runs.check(inferred);
  CHECK(inferred.messages == (3 + 3 + 4 + 6 + 6) * (2 + 4 + 4 + 4));
  // MPI 3.1, 7.6: neighbours in the order of dimensions, first the one before.
  CHECK(has(inferred,
            "    { to = [-1, 0], bytes = \"80\" },\n    { to = [1, 0], bytes = \"80\" },\n"
            "    { to = [0, -1], bytes = \"80\" },\n    { to = [0, 1], bytes = \"80\" },\n"));
}

TEST_CASE("Messages as far as the runs have processes are told", "[refused][slow]") {
  const auto farthest = [](const std::string& processes) {
    std::vector<std::unique_ptr<record::test::Run>> runs;
    std::vector<record::Recording> recordings;
    for (const std::int64_t extent : {300, 600}) {  // times of one size might be refused
      runs.push_back(std::make_unique<record::test::Run>(
          processes, std::vector<std::string>{"refused", "far"}));
      REQUIRE(runs.back()->ended.exit_code == 0);
      recordings.push_back(runs.back()->read());
      recordings.back().manifest.extents = {extent};
    }
    return infer::infer(recordings, {}).farthest;
  };
  CHECK(farthest("3") == std::vector<std::string>{"2 along dimension 1"});
  CHECK(farthest("4").empty());
}

TEST_CASE("A width that follows the problem is refused where extents differ", "[refused][slow]") {
  const auto infer_with = [](const std::string& other) {
    std::vector<std::unique_ptr<record::test::Run>> runs;
    std::vector<record::Recording> recordings;
    const std::vector<std::pair<std::string, std::string>> all{
        {"3", "300"}, {"2", other}, {"1", "300"}, {"1", "150"}};
    for (const auto& [processes, extent] : all) {
      runs.push_back(std::make_unique<record::test::Run>(
          processes, std::vector<std::string>{"refused", "wide", extent}));
      REQUIRE(runs.back()->ended.exit_code == 0);
      recordings.push_back(runs.back()->read());
      recordings.back().manifest.extents = {std::stoll(extent)};
    }
    static_cast<void>(infer::infer(recordings, {}));
  };
  CHECK_NOTHROW(infer_with("300"));
  CHECK_THAT(record::test::refusal([&] { infer_with("244"); }),
             Catch::Contains("follow from no block"));
}

TEST_CASE("What no description fits is refused with place and reason", "[refused][slow]") {
  const auto refusal = [](const std::string& mode) {
    const record::test::Run run("3", {"refused", mode});
    REQUIRE(run.ended.exit_code == 0);
    std::vector<record::Recording> recordings{run.read()};
    recordings.back().manifest.extents = {300};
    return record::test::refusal([&] { (void)infer::infer(recordings, {}); });
  };
  using Catch::Contains;
  CHECK_THAT(refusal("poll"), Contains("refused.c:") && Contains("polls"));
  CHECK_THAT(refusal("window"), Contains("refused.c:") && Contains("MPI_Win_create") &&
                                    Contains("communicates one-sided"));
  CHECK_THAT(refusal("uneven"),
             Contains("refused.c:") && Contains("repeats") && !Contains("tests or probes"));
  CHECK_THAT(refusal("tested"), Contains("repeats") && Contains("tests or probes for messages at "
                                                                "refused.c:"));
  CHECK_THAT(refusal("anybody"), Contains("refused.c:") && Contains("receives from anybody"));
  CHECK_THAT(refusal("partial"), Contains("refused.c:") && Contains("sends nothing to (2)"));
  CHECK_THAT(refusal("overlap"), Contains("refused.c:") && Contains("are not complete"));
  CHECK_THAT(refusal("growing"), Contains("refused.c:") && Contains("other amounts"));
  CHECK_THAT(refusal("pair"), Contains("refused.c:") && Contains("no line or plane"));
  const record::test::Run run("2x1", {"jacobi2d", "200", "210", "2", "1", "6"});
  std::vector<record::Recording> recordings{run.read()};
  CHECK_THAT(record::test::refusal([&] { (void)infer::infer(recordings, {}); }),
             Contains("recorded without the size of the problem"));
  recordings.back().manifest.extents = {200, 330};
  CHECK_THAT(record::test::refusal([&] { (void)infer::infer(recordings, {}); }),
             Contains("blocks of one volume only"));
}

}  // namespace gridcast::infer::test
