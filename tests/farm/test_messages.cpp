#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <sstream>

#include "gridcast/base/error.h"
#include "gridcast/farm/messages.h"
#include "gridcast/farm/process.h"
#include "launch.h"

namespace {

using namespace gridcast::sweep;
using gridcast::machine::Grid;

}  // namespace

TEST_CASE("results travel bit for bit") {
  Results sent;
  gridcast::model::Characteristics sums;
  sums.execution_time = 0.1;
  sums.operations[2].overlap = 1e-300;
  sent.rows.push_back(gridcast::store::make_row(Grid::parse("3x5"), 1.0 / 3.0, sums));
  sent.rows.push_back(gridcast::store::make_failed_row(Grid::parse("7"), 0.5));
  sent.intervals.resize(4, sums);
  sent.reasons = {{"no such thing", gridcast::store::FailureCause::memory}};
  Message message;
  write_results(message, 42, sent, 0.25);
  const MessageHeader header = read_header(message);
  CHECK(header.kind == MessageKind::results);
  CHECK(header.id == 42);
  CHECK(header.count == 2);
  CHECK(header.seconds == 0.25);
  Results got;
  got.rows.resize(9);
  read_results(message, got);
  REQUIRE(got.rows.size() == 2);
  CHECK(std::memcmp(got.rows.data(), sent.rows.data(), 2 * sizeof(sent.rows[0])) == 0);
  REQUIRE(got.intervals.size() == 4);
  CHECK(std::memcmp(got.intervals.data(), sent.intervals.data(), 4 * sizeof(sums)) == 0);
  CHECK(got.reasons == sent.reasons);
}

TEST_CASE("a message that is cut short is refused") {
  Message message;
  const std::vector<Task> tasks{{Grid::parse("3x5"), 1, 0, 12, 70}, {Grid::parse("4")}};
  write_batch(message, {7, 1, tasks});
  CHECK(read_tasks(message) == tasks);
  message.pop_back();
  CHECK_THROWS_AS(read_tasks(message), gridcast::RunError);
  message.resize(3);
  CHECK_THROWS_AS(read_header(message), gridcast::RunError);
}

TEST_CASE("a bundle keeps apart what its workers evaluated") {
  gridcast::model::Characteristics sums;
  Results first;
  for (const double time : {0.5, 0.25}) {
    sums.execution_time = time;
    first.rows.push_back(gridcast::store::make_row(Grid::parse("3x5"), 1.0, sums));
  }
  first.intervals.resize(6, sums);
  Results second;
  second.rows.push_back(gridcast::store::make_failed_row(Grid::parse("7"), 0.5));
  second.intervals.resize(3);
  second.reasons = {{"no such thing", gridcast::store::FailureCause::memory}};
  Bundle bundle;
  CHECK(bundle.empty());
  bundle.add(
      4, std::vector<Task>{{Grid::parse("3x5"), 0, 0, 0, 17}, {Grid::parse("3x5"), 0, 0, 1, 15}},
      first, 0.75);
  bundle.add(9, std::vector<Task>{{Grid::parse("7"), 0, 0, 0, 40}}, second, 0.125);
  Message message = bundle.take();
  CHECK(bundle.empty());
  CHECK(read_header(message).kind == MessageKind::bundle);
  std::vector<Part> parts;
  read_bundle(message, [&](const Part& part) { parts.push_back(part); });
  REQUIRE(parts.size() == 2);
  CHECK(parts[0].worker == 4);
  CHECK(parts[0].seconds == 0.75);
  CHECK(parts[0].numbers == std::vector<std::uint64_t>{17, 15});
  CHECK(parts[0].results.rows[1].characteristics.execution_time == 0.25);
  CHECK(parts[0].results.intervals.size() == 6);
  CHECK(parts[0].results.reasons.empty());
  CHECK(parts[1].worker == 9);
  CHECK(parts[1].numbers == std::vector<std::uint64_t>{40});
  CHECK(parts[1].results.rows[0].status == gridcast::store::Status::failed);
  CHECK(parts[1].results.reasons == second.reasons);
  message.pop_back();
  CHECK_THROWS_AS(read_bundle(message, [](const Part&) {}), gridcast::RunError);
}

TEST_CASE("a lost rank is reported with what may have ended it") {
  Message message;
  write_lost(message, {5, "was killed", {{Grid::parse("3x5"), 1, 0, 0, 33}}, true});
  CHECK(read_header(message).kind == MessageKind::lost);
  const LostRank lost = read_lost(message);
  CHECK(lost.rank == 5);
  CHECK(lost.reason == "was killed");
  CHECK(lost.unreachable);
  REQUIRE(lost.suspects.size() == 1);
  CHECK(lost.suspects[0].number == 33);
  CHECK(lost.suspects[0].deaths == 1);
  write_gave_up(message, {Grid::parse("3x5"), 2, 0, 0, 34}, "hung");
  CHECK(read_header(message).id == 34);
  CHECK(read_reason(message) == "hung");
}

TEST_CASE("a process of this host is watched until it is gone") {
  const ProcessIdentity self = this_process();
  CHECK(self.pid == ::getpid());
  CHECK(self.start_time > 0);
  CHECK_FALSE(ProcessWatch().watches());
  CHECK_FALSE(ProcessWatch().is_gone());

  ProcessIdentity elsewhere = self;
  elsewhere.host[0] = '?';
  CHECK_FALSE(ProcessWatch(elsewhere, self).watches());
  ProcessIdentity reused = self;
  reused.start_time += 1;
  CHECK(ProcessWatch(reused, self).is_gone());
  reused.space = 0;  // perhaps of other numbers
  CHECK_FALSE(ProcessWatch(reused, self).watches());

  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  const std::string line = sweep_test::read_text("/proc/" + std::to_string(child) + "/stat");
  // Field 22 of proc(5), counted after the name in parentheses.
  std::istringstream fields(line.substr(line.rfind(')') + 1));
  std::string word;
  for (int field = 3; field <= 22; ++field) {
    fields >> word;
  }
  ProcessIdentity other = self;
  other.pid = child;
  other.start_time = std::stoull(word);
  const ProcessWatch watch(other, self);
  CHECK(watch.watches());
  CHECK_FALSE(watch.is_gone());
  CHECK(watch.kill());
  // Gone as soon as it has ended, before anybody has waited for it.
  siginfo_t info;
  ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT);
  CHECK(watch.is_gone());
  ::waitpid(child, nullptr, 0);
  CHECK(watch.is_gone());
  CHECK(ProcessWatch(other, self).is_gone());  // who is told of it late knows, too
}
