// Closed forms of statements over blocks by processes that run free (docs/model.md §10, §11), on a
// flat network of ports.

#include <algorithm>

#include "described.h"
#include "fixture.h"
#include "gridcast/base/error.h"
#include "gridcast/rules/memory.h"
#include "gridcast/rules/min_block.h"

namespace gridcast::model::test {
namespace {

/// Seconds: L, o of sender and receiver, gap, per byte.
constexpr double latency = 5e-6;
constexpr double send = 2e-6;
constexpr double receive = 3e-6;
constexpr double byte = 1e-8;

const machine::Cluster& network(bool rendezvous = false) {
  const auto made = [](const std::string& limit) {
    return machine::Cluster::parse(
        "cluster = c; c = {4096 x p}; c.CommType = ports; c.TStart = 5; c.TSend = 2; c.TRecv = 3;"
        "c.TByte = 0.01; c.EagerLimit = " +
            limit + "; p = 1;",
        "blocks.par");
  };
  static const machine::Cluster eager = made("1e9");
  static const machine::Cluster waiting = made("1");
  return rendezvous ? waiting : eager;
}

const std::string line_of_100 = "[[domain]]\nname = \"D\"\nextents = [100]\nrule = \"first\"\n";
const std::string square = "[[domain]]\nname = \"D\"\nextents = [100, 60]\n";

std::vector<double> clocks(const std::string& text, const std::string& on,
                           bool rendezvous = false) {
  const Compiled compiled = compile(described(text));
  ModelOptions options;
  options.processes = ProcessKind::free;
  options.reduction = ReductionKind::automatic;
  options.block_rule = mapping::BlockRule::balanced;
  options.iterations = 0;
  Predictor predictor(compiled.script, network(rendezvous), options);
  const Prediction prediction = predictor.predict(grid(on), true);
  const Characteristics& sums = prediction.intervals.front().sums;
  CHECK(close(sums.total_time, sums.productive_time + sums.lost_time, 1e-9));
  std::vector<double> found;
  for (const ProcessorTimes& times : prediction.intervals.front().per_processor) {
    found.push_back(times.execution_time);
  }
  return found;
}

double last(const std::vector<double>& times) { return *std::ranges::max_element(times); }

std::string refusal(const std::string& text, const std::string& on = "2") {
  try {
    static_cast<void>(clocks(text, on));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("blocks: two processes exchange by a phase, eagerly and by rendezvous") {
  const std::string text = line_of_100 +
                           "[[do]]\nover = \"D\"\ncompute = \"1e-3*(2 - q1)\"\n"
                           "[[do]]\nover = \"D\"\n"
                           "send = [{ to = [1], bytes = \"8*b1\" }, { to = [-1], bytes = 80 }]\n";
  const double late = 2e-3 + send;
  const std::vector<double> eager = clocks(text, "2");
  CHECK(close(eager[0], late + receive, 1e-12));  // what the other one sent is there
  CHECK(close(eager[1], late + latency + 400 * byte + receive, 1e-12));
  const std::vector<double> waiting = clocks(text, "2", true);
  CHECK(close(waiting[0], late + latency + 400 * byte, 1e-12));  // receives cost nothing
  CHECK(close(waiting[1], late + latency + 400 * byte, 1e-12));
}

TEST_CASE("blocks: what is computed between start and wait hides the messages") {
  const std::string phase =
      "[[do]]\nover = \"D\"\nstart = \"x\"\nsend = [{ to = [1], bytes = 1000 }]\n";
  const std::string work = "[[do]]\ncompute = 1e-3\n";
  const std::vector<double> ends =
      clocks(line_of_100 + phase + work + "[[do]]\nwait = \"x\"\n", "2");
  CHECK(close(ends[0], send + 1e-3, 1e-12));
  CHECK(close(ends[1], 1e-3 + receive, 1e-12));
}

TEST_CASE("blocks: send-receives in turn go round a ring") {
  const std::string text =
      "[[domain]]\nname = \"D\"\nextents = [100]\nperiodic = true\n"
      "[[do]]\nover = \"D\"\nblocking = true\n"
      "send = [{ to = [1], bytes = 500, count = 3 }, { to = [-1], bytes = 500 }]\n";
  const double each = send + latency + 500 * byte + receive;
  for (const double end : clocks(text, "5")) {
    CHECK(close(end, 4 * each, 1e-12));
  }
}

TEST_CASE("blocks: what a process sends to itself costs the overheads only") {
  const std::string domain =
      "[[domain]]\nname = \"D\"\nextents = [100, 60]\nperiodic = [true, true]\n"
      "[[do]]\nover = \"D\"\nsend = [{ to = [1, 0], bytes = 500 }, { to = [-1, 0], bytes = 500 }";
  const std::string other = ", { to = [0, 1], bytes = 500 }";
  for (const std::string turns : {"", "blocking = true\n"}) {
    for (const double end : clocks(domain + "]\n" + turns, "1x3")) {
      CHECK(close(end, 2 * (send + receive), 1e-12));
    }
    for (const double end : clocks(domain + other + "]\n" + turns, "1x3")) {
      // In a phase they are taken while the message of another process is on its way.
      const double own = turns.empty() ? 2 * send : 2 * (send + receive);
      CHECK(close(end, own + send + latency + 500 * byte + receive, 1e-12));
    }
  }
}

TEST_CASE("blocks: a wavefront of portions") {
  const std::string text =
      "[[domain]]\nname = \"D\"\nextents = [40]\n"
      "[[do]]\nrepeat = 6\n"
      "[[do.do]]\nover = \"D\"\ntag = \"w\"\nreceive = [{ from = [-1] }]\n"
      "[[do.do]]\nover = \"D\"\ncompute = \"1e-5*b1\"\n"
      "[[do.do]]\nover = \"D\"\ntag = \"w\"\nonly = true\n"
      "send = [{ to = [1], bytes = 100 }]\n";
  // Four processes of ten points each: a portion on each before the last begins; then the slowest
  // stage, in the middle, that receives, computes and sends, decides.
  const double portion = 1e-4;
  const double stage = receive + portion + send;
  const double end = portion + send + latency + 100 * byte +                  // the first
                     2 * (receive + portion + send + latency + 100 * byte) +  // two in between
                     receive + portion + 5 * stage;
  CHECK(close(last(clocks(text, "4")), end, 1e-12));
  CHECK(close(clocks(text, "1")[0], 6 * 4e-4, 1e-12));
}

TEST_CASE("blocks: collective operations") {
  const auto end = [](const std::string& operation, const std::string& on) {
    return last(clocks(square + "[[do]]\ncollective = " + operation, on));
  };
  const auto message = [](double bytes) { return send + latency + bytes * byte + receive; };
  for (const int k : {1, 2, 3, 4}) {
    const std::string on = std::to_string(1 << k);
    // The root sends k times, to the farthest first; nobody waits for a port.
    CHECK(close(end("\"broadcast\"\nbytes = 8\n", on), k * message(8), 1e-12));
    CHECK(close(end("\"allreduce\"\nbytes = 8\nalgorithm = \"doubling\"\n", on), k * message(8),
                1e-12));
    CHECK(close(end("\"barrier\"\n", on), k * message(0), 1e-12));
    CHECK(close(end("\"scan\"\nbytes = 8\n", on), k * message(8), 1e-12));
  }
  // With two beyond the power of two: one there, a round, a round whose partner has sent already,
  // one back. Two messages enter a port of those that get one first at the same moment.
  CHECK(close(end("\"allreduce\"\nbytes = 8\nalgorithm = \"doubling\"\n", "6"),
              3 * message(8) + send + receive + 8 * byte, 1e-12));
  CHECK(close(end("\"allreduce\"\nbytes = 8\nalgorithm = \"doubling\"\nacross = [2]\n", "3x4"),
              2 * message(8), 1e-12));
  CHECK(close(end("\"allgather\"\nbytes = 100\n", "5"), 4 * message(100), 1e-12));
  CHECK(close(end("\"allgather\"\nbytes = 100\n", "4"), message(100) + message(200), 1e-12));
  CHECK(close(end("\"alltoall\"\nbytes = 100\nalgorithm = \"pairwise\"\n", "4"), 3 * message(100),
              1e-12));
  // All at once by long messages: the ports are full from the first on.
  const double bytes = 1e6;
  const double all = 4 * bytes * byte;
  const double linear = end("\"alltoall\"\nbytes = 1e6\n", "5");
  CHECK(linear >= send + latency + all);
  CHECK(linear <= 4 * send + latency + all + 4 * receive + 1e-9);
}

TEST_CASE("blocks: ranks by column are the ranks by row of the same program, mirrored") {
  const machine::Cluster nodes = machine::Cluster::parse(
      "cluster = c; c = {4 x node}; node = {5 x p}; p = 1; c.CommType = ports; c.TStart = 5;"
      "c.TSend = 1; c.TRecv = 2; c.TByte = 0.02; node.CommType = ports; node.TStart = 1;"
      "node.TByte = 0.003; node.TSend = 0.5; node.TRecv = 0.25;",
      "nodes.par");
  const auto times = [&](const std::string& text, const std::string& on) {
    const trace::Program program = described(text);
    const Compiled compiled = compile(program);
    const Prediction prediction =
        Predictor(compiled.script, nodes, resolve({}, program).options).predict(grid(on), true);
    std::vector<double> found;
    for (const ProcessorTimes& each : prediction.intervals.front().per_processor) {
      found.push_back(each.execution_time);
    }
    return found;
  };
  const auto at = [](const std::string& words) { return "[[do]]\nover = \"D\"\n" + words + "\n"; };
  for (const std::string collective :
       {"allreduce\"\nbytes = 8", "allreduce\"\nbytes = 40000", "gather\"\nbytes = \"8*b1*b2\"",
        "scatter\"\nbytes = \"8*b1*b2\"", "broadcast\"\nbytes = 700000", "scan\"\nbytes = 8",
        "allgather\"\nbytes = \"90*b1*b2\"", "alltoall\"\nbytes = 64", "reduce\"\nbytes = 800"}) {
    CAPTURE(collective);
    const bool rooted = collective.find("ther") == 1 || collective.starts_with("broad");
    const std::string all = "collective = \"" + collective;
    const std::string by_column =
        "ranks = \"column\"\nprocesses = \"free\"\n" + square +
        at("compute = \"1e-8*b1*b2*(1 + q1 + 3*q2)\"") +
        at("send = [{ to = [1, 0], bytes = \"8*b2\" }, { to = [0, -1], bytes = \"8*b1\" }]") +
        at(all + (rooted ? "\nroot = [2, 1]" : "")) + at(all + "\nacross = [1]") +
        at(all + "\nacross = [2]");
    const std::string mirrored =
        "processes = \"free\"\n[[domain]]\nname = \"D\"\nextents = [60, 100]\n" +
        at("compute = \"1e-8*b1*b2*(1 + q2 + 3*q1)\"") +
        at("send = [{ to = [0, 1], bytes = \"8*b1\" }, { to = [-1, 0], bytes = \"8*b2\" }]") +
        at(all + (rooted ? "\nroot = [1, 2]" : "")) + at(all + "\nacross = [2]") +
        at(all + "\nacross = [1]");
    const std::vector<double> own = times(by_column, "3x4");
    const std::vector<double> other = times(mirrored, "4x3");
    REQUIRE(own.size() == 12);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 4; ++j) {
        CHECK(close(own[4 * i + j], other[3 * j + i], 1e-12));
      }
    }
    // Numbered by row it is another program.
    CHECK_FALSE(
        close(last(own), last(times(by_column.substr(by_column.find('\n') + 1), "3x4")), 1e-6));
  }
}

TEST_CASE("blocks: groups of one operation that differ in algorithm") {
  // The first row broadcasts 8 bytes by a tree, the second scatters a long value and sends it
  // round.
  const std::string text = "[[do]]\ncollective = \"broadcast\"\nbytes = ";
  const std::vector<double> both =
      clocks(square + text + "\"8 + 600000*q1\"\nover = \"D\"\nacross = [2]\n", "2x4");
  const std::vector<double> low = clocks(square + text + "8\n", "4");
  const std::vector<double> high = clocks(square + text + "600008\n", "4");
  CHECK(close(last(low), 2 * (send + latency + 8 * byte + receive), 1e-12));
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(close(both[i], low[i], 1e-12));
    CHECK(close(both[4 + i], high[i], 1e-12));
  }
}

TEST_CASE("blocks: passes that the grid decides") {
  const std::string text = square +
                           "[[do]]\nrepeat = \"ceil(log2(p1)) + (p2 > 2)\"\n"
                           "[[do.do]]\ncompute = 1e-3\n";
  CHECK(close(last(clocks(text, "1")), 0.0, 1e-15));
  CHECK(close(last(clocks(text, "5")), 3e-3, 1e-12));
  CHECK(close(last(clocks(text, "5x3")), 4e-3, 1e-12));
  CHECK(refusal(square + "[[do]]\nrepeat = \"p1/2\"\n[[do.do]]\ncompute = 1\n", "3")
            .find("described.ptr:4: the value 1.5") == 0);
}

TEST_CASE("blocks: kernels are interpolated over the points of a block") {
  const std::string text =
      "[[domain]]\nname = \"D\"\nextents = [100, 10]\n"
      "[[kernel]]\nname = \"k\"\nblocks = [[10, 20], [40, 10]]\nseconds = [1e-3, 3e-3]\n"
      "[[do]]\nover = \"D\"\nkernel = \"k\"\n";
  CHECK(close(clocks(text, "4")[0], 1.5e-3, 1e-12));   // 250 points
  CHECK(close(clocks(text, "10")[0], 0.5e-3, 1e-12));  // 100
  CHECK(close(clocks(text, "1")[0], 7.5e-3, 1e-12));   // 1000
}

TEST_CASE("blocks: rules of domains, their memory and the shortest block") {
  const auto extent = [](const std::string& rule) {
    return clocks("[[domain]]\nname = \"D\"\nextents = [11]\nrule = \"" + rule +
                      "\"\n[[do]]\nover = \"D\"\ncompute = \"b1 + 100*block(n1, p1, q1) + "
                      "10000*begin(n1, p1, q1)\"\n",
                  "4");
  };
  CHECK(extent("ceil") == std::vector<double>{303, 30303, 60303, 90202});
  CHECK(extent("balanced") == std::vector<double>{202, 20303, 50303, 80303});
  CHECK(extent("first") == std::vector<double>{303, 30303, 60303, 90202});
  CHECK(extent("last") == std::vector<double>{202, 20303, 50303, 80303});
  const Compiled compiled = compile(
      described("[[domain]]\nname = \"D\"\nextents = [40, 30]\nelement = 8\nghost = [2, 0]\n"));
  MemoryModel memory(compiled.script, network(), {});
  CHECK(memory.peak(grid("4x3")) == 8 * (10 + 4) * 10);
  CHECK(compiled.script.header().grid_rank == 2);
  ModelOptions balanced;
  balanced.block_rule = mapping::BlockRule::balanced;
  BlockLimit limit(compiled.script, network(), balanced, MinBlock::parse("edge"));
  CHECK(limit.admits(grid("20x1")));
  CHECK_FALSE(limit.admits(grid("21x1")));
}

TEST_CASE("blocks: what is wrong is said with its line") {
  const auto refused = [](const std::string& text, const std::string& on,
                          const std::string& words) {
    const std::string found = refusal(text, on);
    CAPTURE(found);
    CHECK(found.find(words) != std::string::npos);
  };
  const std::string over = "[[do]]\nover = \"D\"\n";
  refused(square + over + "compute = \"b3\"\n", "2", "described.toml:6: compute: \"b3\"");
  refused(square + over + "compute = \"1 - b1\"\n", "2",
          "described.ptr:4: the value is negative on process 0");
  refused(square + over + "receive = [{ from = [1] }]\n", "2",
          "described.ptr:4: process 0 receives from process 1 what nobody sends");
  refused(square + over + "only = true\nsend = [{ to = [1], bytes = 8 }]\n", "2",
          "described.ptr:4: process 0 sends to process 1 what nobody receives");
  refused(square + over + "send = [{ to = [0, 0], bytes = 8 }]\n", "2",
          "described.toml:6: to: the process itself");
  refused(square + "[[do]]\ncollective = \"reduce\"\nbytes = 8\nalgorithm = \"ring\"\n", "2",
          "described.toml:7: algorithm: reduce has none of this name");
  refused(square + "[parameters]\nb1 = 3\n[[do]]\ncompute = 1\n", "2", "'b1' has its meaning");
}

TEST_CASE("a pipelined loop runs in as many portions as its program says") {
  const auto text = [](const std::string& portions) {
    return "[[array]]\nname = \"A\"\nextents = [40, 100]\nshadow = 1\n"
           "distribute = [\"block\", \"*\"]\n"
           "[[do]]\nloop = [\"i = 0 : 39\", \"j = 0 : 99\"]\non = \"A[i, j]\"\ntime = 1e-6\n"
           "across = [{ array = \"A\", new = [1, 0]" +
           portions + " }]\n";
  };
  const machine::Cluster nothing = machine::Cluster::parse(
      "cluster = c; c = {64 x p}; c.CommType = ports; c.TStart = 0; c.TByte = 0; p = 1;", "n.par");
  for (const ProcessKind processes : {ProcessKind::together, ProcessKind::free}) {
    ModelOptions options;
    options.processes = processes;
    for (const int portions : {1, 4, 10, 100}) {
      CAPTURE(portions);
      const Compiled compiled =
          compile(described(text(", pipeline = " + std::to_string(portions))));
      Predictor predictor(compiled.script, nothing, options);
      const double time = predictor.evaluate(grid("4")).front().execution_time;
      CHECK(close(time, (3.0 + portions) * 10 * 100.0 / portions * 1e-6, 1e-9));
    }
    CHECK(refusal(text(", pipeline = 0"), "4").find("described.toml:10: pipeline") == 0);
  }
}

TEST_CASE("blocks: the shipped programs by messages are predicted") {
  for (const std::string name :
       {"halo", "sendrecv_heat", "wavefront", "pencils", "cg_doubling", "particles"}) {
    CAPTURE(name);
    const trace::Program program = shipped_program("../messages/" + name);
    const Compiled compiled = compile(program);
    CHECK(compiled.warnings.empty());
    ModelOptions options;
    options.processes = ProcessKind::free;
    options.reduction = ReductionKind::automatic;
    options.block_rule = mapping::BlockRule::balanced;
    Predictor predictor(compiled.script, network(), options);
    const bool cube = compiled.script.header().grid_rank == 3;
    const double one = predictor.evaluate(grid("1")).front().execution_time;
    const Characteristics many = predictor.evaluate(grid(cube ? "2x2x2" : "4x2")).front();
    CHECK(many.execution_time < one);
    CHECK(many.execution_time > one / 16);
    CHECK(close(many.total_time, many.productive_time + many.lost_time, 1e-9));
  }
}

}  // namespace gridcast::model::test
