// What free processes lose, what they do when, and what decides when they end (docs/model.md,
// "Where lost time goes", "Time lines", "Critical path").

#include <algorithm>
#include <cmath>

#include "described.h"
#include "explain/loss_account.h"
#include "fixture.h"
#include "gridcast/explain/critical_path.h"
#include "gridcast/explain/losses.h"
#include "gridcast/explain/timeline.h"

namespace gridcast::model::test {
namespace {

/// Seconds: L, o of sender and receiver, per byte.
constexpr double latency = 5e-6;
constexpr double send = 2e-6;
constexpr double receive = 3e-6;
constexpr double byte = 1e-8;

machine::Cluster network(const std::string& eager) {
  return machine::Cluster::parse(
      "cluster = c; c = {4096 x p}; c.CommType = ports; c.TStart = 5; c.TSend = 2; c.TRecv = 3;"
      "c.TByte = 0.01; c.EagerLimit = " +
          eager + "; p = 1;",
      "free.par");
}

ModelOptions free_options() {
  ModelOptions options;
  options.processes = ProcessKind::free;
  options.reduction = ReductionKind::automatic;
  options.block_rule = mapping::BlockRule::balanced;
  options.iterations = 0;
  return options;
}

CriticalPath path_of(const std::string& text, const std::string& on,
                     const std::string& eager = "1e9") {
  const Script places = compile(described(text), Detail::places).script;
  return critical_path(places, network(eager), grid(on), free_options(), 1e9);
}

double of(const CriticalPath& path, PathKind kind) {
  double sum = 0.0;
  for (const PathPart& part : path.parts) {
    sum += part.kind == kind ? part.seconds : 0.0;
  }
  return sum;
}

double sum(const CriticalPath& path) {
  double all = 0.0;
  for (const PathPart& part : path.parts) {
    all += part.seconds;
  }
  return all;
}

}  // namespace

TEST_CASE("critical path: a wavefront goes from process to process") {
  const CriticalPath path = path_of(
      "[[domain]]\nname = \"D\"\nextents = [40]\n"
      "[[do]]\nrepeat = 6\n"
      "[[do.do]]\nover = \"D\"\ntag = \"w\"\nreceive = [{ from = [-1] }]\n"
      "[[do.do]]\nover = \"D\"\ncompute = \"1e-5*b1\"\n"
      "[[do.do]]\nover = \"D\"\ntag = \"w\"\nonly = true\n"
      "send = [{ to = [1], bytes = 100 }]\n",
      "4");
  // A portion on each process, of which those in the middle set the pace for five more; each stage
  // but the first and the last of the path receives and sends.
  CHECK(path.last_process == 3);
  CHECK(path.messages == 3);
  CHECK(close(of(path, PathKind::work), 9 * 1e-4, 1e-12));
  CHECK(close(of(path, PathKind::overhead), 8 * (send + receive), 1e-12));
  CHECK(close(of(path, PathKind::latency), 3 * latency, 1e-12));
  CHECK(close(of(path, PathKind::bandwidth), 3 * 100 * byte, 1e-12));
  CHECK(of(path, PathKind::contention) < 1e-12);
  CHECK(close(sum(path), path.execution_time, 1e-12));
}

TEST_CASE("critical path: who comes last to a rendezvous decides when it begins") {
  const auto text = [](const std::string& slow) {
    return "[[domain]]\nname = \"D\"\nextents = [2]\n"
           "[[do]]\nover = \"D\"\ncompute = \"1e-3*(q1 == " +
           slow +
           ")\"\n"
           "[[do]]\nover = \"D\"\nsend = [{ to = [1], bytes = 1000 }]\n";
  };
  for (const std::int64_t slow : {0, 1}) {
    const CriticalPath path = path_of(text(std::to_string(slow)), "2", "1");
    CHECK(close(of(path, PathKind::work), 1e-3, 1e-12));
    CHECK(path.messages == 1);
    for (const PathPart& part : path.parts) {
      CHECK((part.kind != PathKind::work || part.process == slow));
    }
    CHECK(close(of(path, PathKind::bandwidth), 1000 * byte, 1e-12));
    CHECK(close(sum(path), path.execution_time, 1e-12));
  }
  // An eager message is sent whether its receiver is there or not.
  const CriticalPath eager = path_of(text("1"), "2");
  CHECK(eager.messages == 0);
  CHECK(close(eager.execution_time, 1e-3 + receive, 1e-12));
}

TEST_CASE("critical path: messages that share a port") {
  // Three processes send to the first at once.
  const CriticalPath path = path_of(
      "[[domain]]\nname = \"D\"\nextents = [4]\n"
      "[[do]]\ncollective = \"alltoallv\"\nover = \"D\"\nbytes = \"1e6*(t1 == 0)\"\n",
      "4");
  CHECK(path.last_process == 0);
  CHECK(path.messages == 1);
  CHECK(close(of(path, PathKind::bandwidth), 1e6 * byte, 1e-12));
  CHECK(close(of(path, PathKind::contention), 2e6 * byte, 1e-12));
  CHECK(close(of(path, PathKind::overhead), send + 3 * receive, 1e-12));
}

TEST_CASE("critical path: statements stand where they are in the program that is described") {
  const CriticalPath path = path_of(
      "[[domain]]\nname = \"D\"\nextents = [4]\n"
      "[[do]]\nat = \"solver.c:120\"\nover = \"D\"\ncompute = \"1e-3*(q1 + 1)\"\n"
      "[[do]]\nat = \"halo.f90:7\"\nover = \"D\"\nsend = [{ to = [1], bytes = 1000 }]\n"
      "[[do]]\nover = \"D\"\ncompute = \"1e-3\"\n",
      "2");
  const auto at = [&](const std::string& file, std::int64_t line) {
    double seconds = 0.0;
    for (const PathPart& part : path.parts) {
      seconds += part.file == file && part.line == line ? part.seconds : 0.0;
    }
    return seconds;
  };
  CHECK(close(at("solver.c", 120), 2e-3, 1e-12));
  CHECK(close(at("halo.f90", 7), receive, 1e-12));
  CHECK(close(at("described.toml", 12), 1e-3, 1e-12));
}

TEST_CASE("free processes: losses, time lines and the path add up for the shipped programs",
          "[slow]") {
  const machine::Cluster nodes =
      machine::Cluster::read(std::string(GRIDCAST_SOURCE_DIR) + "/configs/omnipath256x48.par");
  struct Program {
    const char* name;
    const char* grid;
  };
  for (const auto& [name, on] :
       {Program{"../messages/halo", "4x3"}, Program{"../messages/sendrecv_heat", "2x3x2"},
        Program{"../messages/wavefront", "5x3"}, Program{"../messages/pencils", "3x4"},
        Program{"../messages/cg_doubling", "4x3"}, Program{"../messages/particles", "2x2x3"},
        Program{"jacobi2d", "7x8"}, Program{"heat3d", "2x3x2"}, Program{"sor", "4x4"}}) {
    for (const char* const eager : {"1", "4096", "1e9"}) {
      CAPTURE(name, on, eager);
      machine::Cluster cluster = nodes;
      for (const char* const network : {"omnipath256x48", "node", "socket"}) {
        cluster.set(std::string(network) + ".EagerLimit=" + eager);
      }
      const trace::Program program = shipped_program(name);
      const Script places = compile(program, Detail::places).script;
      const Prediction predicted =
          Predictor(compile(program).script, cluster, free_options()).predict(grid(on), true);
      const Characteristics& sums = predicted.intervals.front().sums;
      const Losses losses = explain_losses(places, cluster, grid(on), free_options());
      double lost = 0.0;
      for (const Loss& loss : losses.losses) {
        CHECK(loss.seconds >= -1e-9 * sums.lost_time);
        lost += loss.seconds;
      }
      CHECK(close(lost, sums.lost_time, 1e-7));
      const CriticalPath path = critical_path(places, cluster, grid(on), free_options(), 1e9);
      CHECK(close(path.execution_time, sums.execution_time, 1e-9));
      CHECK(close(sum(path), path.execution_time, 1e-9));
      // No message is faster than those within a socket, 0.1 us.
      CHECK(of(path, PathKind::latency) > static_cast<double>(path.messages) * 1e-7 * (1.0 - 1e-6));
      const Timeline line = record_timeline(places, cluster, grid(on), free_options());
      CHECK(close(line.execution_time, sums.execution_time, 1e-9));
      double computed = 0.0;
      for (const Phase& phase : line.phases) {
        computed += phase.doing == Doing::computing ? phase.end - phase.begin : 0.0;
      }
      CHECK(close(computed, sums.productive_cpu_time + sums.insufficient_parallelism_usr, 1e-7));
    }
  }
}

TEST_CASE("losses of free processes: where a neighbour is") {
  // Row-major: the last coordinate of a 3x4 grid runs fastest, and its ends meet.
  const machine::Grid around = grid("3x4");
  const std::tuple<std::size_t, std::size_t, std::optional<std::pair<int, int>>> known[] = {
      {6, 5, {{0, 1}}},    {5, 6, {{0, -1}}},    {9, 5, {{1, 0}}},
      {0, 5, {{-1, -1}}},  {0, 3, {{0, 1}}},     {8, 0, {{-1, 0}}},
      {11, 0, {{-1, -1}}}, {0, 2, std::nullopt}, {5, 5, std::nullopt}};
  for (const auto& [of, from, expected] : known) {
    CAPTURE(of, from);
    const std::optional<Direction> found = direction(around, of, from);
    REQUIRE(found.has_value() == expected.has_value());
    if (expected) {
      CHECK(std::pair<int, int>((*found)[0], (*found)[1]) == *expected);
    }
  }
}

TEST_CASE("losses of free processes: by neighbour") {
  // Each sends 1000 bytes to the next one, around the end; the first computes 1 ms more. Messages
  // are asked for, so that the second waits for the first.
  const Script places =
      compile(described("[[domain]]\nname = \"D\"\nextents = [40]\nperiodic = [true]\n"
                        "[[do]]\nover = \"D\"\ncompute = \"1e-3*(q1 == 0)\"\n"
                        "[[do]]\nover = \"D\"\nsend = [{ to = [1], bytes = 1000 }]\n"),
              Detail::places)
          .script;
  const Losses losses = explain_losses(places, network("1e9"), grid("5"), free_options());
  const auto of_cause = [&](Cause cause) {
    const auto found = std::ranges::find_if(losses.losses, [&](const Loss& loss) {
      return loss.cause == cause && !loss.neighbours.empty();
    });
    REQUIRE(found != losses.losses.end());
    return *found;
  };
  for (const Cause cause : {Cause::latency, Cause::bandwidth, Cause::imbalance}) {
    const Loss loss = of_cause(cause);
    CAPTURE(name(cause));
    REQUIRE(loss.neighbours.size() == 1);
    CHECK(loss.neighbours.front().from == std::vector<int>{-1});
  }
  // Only the one behind it waits for the first in the exchange; all others wait at the end.
  CHECK(close(of_cause(Cause::imbalance).neighbours.front().seconds, 1e-3, 0.01));
  // Four wait from when they have sent; the first finds its message there.
  CHECK(close(of_cause(Cause::latency).neighbours.front().seconds, 4 * latency, 1e-9));
  CHECK(close(of_cause(Cause::bandwidth).neighbours.front().seconds, 4 * 1000 * byte, 1e-9));
}

}  // namespace gridcast::model::test
