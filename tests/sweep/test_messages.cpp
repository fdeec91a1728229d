#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <sstream>

#include "gridcast/error.h"
#include "launch.h"
#include "messages.h"
#include "process.h"

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
  sent.reasons = {"no such thing"};
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
  write_batch(message, {7, 1, {Grid::parse("3x5"), Grid::parse("4")}});
  CHECK(read_grids(message) == std::vector<Grid>{Grid::parse("3x5"), Grid::parse("4")});
  message.pop_back();
  CHECK_THROWS_AS(read_grids(message), gridcast::RunError);
  message.resize(3);
  CHECK_THROWS_AS(read_header(message), gridcast::RunError);
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
}
