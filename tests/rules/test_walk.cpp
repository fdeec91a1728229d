/// The order in which an operation asks for things is that of docs/model.md §2.

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "gridcast/rules/walk.h"

namespace {

using gridcast::model::Op;
using gridcast::model::Operation;
using gridcast::model::Script;

/// Clocks that note what they are asked for. The latest is 10 s.
class NotedClocks {
public:
  std::vector<std::string> notes;
  bool applies = true;  ///< what share(), copied() and pipeline() answer
  std::size_t processors = 4;
  gridcast::machine::LibraryCosts costs;

  void work(double call, double ret) { note("work", call, ret); }
  void io_work(double seconds) { note("io_work", seconds); }
  void block_work(gridcast::model::StatementId /*statement*/) { note("block_work"); }
  void broadcast(double bytes) { note("broadcast", bytes); }
  bool share(double seconds, gridcast::model::PlacementId placement,
             gridcast::model::PortionId portion) {
    note("share", seconds, placement, portion);
    return applies;
  }
  bool copied(gridcast::model::CommunicationId communication, double ret) {
    note("copied", communication, ret);
    return applies;
  }
  bool pipeline(gridcast::model::PipelineId pipeline, double seconds) {
    note("pipeline", pipeline, seconds);
    return applies;
  }
  void vary() { note("vary"); }
  double synchronize(Operation /*operation*/, bool pipelined) {
    note("synchronize", pipelined);
    return 10.0;
  }
  void pay(double seconds, Operation /*operation*/, bool pipelined) {
    note("pay", seconds, pipelined);
  }
  double latest() {
    note("latest");
    return 10.0;
  }
  void start(gridcast::model::CommunicationId communication, std::uint32_t token, double start) {
    note("start", communication, token, start);
  }
  void wait(std::uint32_t token, Operation /*operation*/) { note("wait", token); }
  void transfer(gridcast::model::CommunicationId communication, double start,
                Operation /*operation*/, bool pipelined) {
    note("transfer", communication, start, pipelined);
  }
  void begin_interval(gridcast::model::IntervalId interval) { note("begin", interval); }
  void end_interval() { note("end"); }
  void enter(gridcast::model::ViewId view) { note("enter", view); }
  void leave(gridcast::model::ViewId view) { note("leave", view); }
  [[nodiscard]] const gridcast::machine::LibraryCosts& library() const { return costs; }
  [[nodiscard]] std::size_t members() const { return processors; }

private:
  template <class... Values>
  void note(std::string what, Values... values) {
    ((what += ' ' + std::to_string(static_cast<long long>(values))), ...);
    notes.push_back(std::move(what));
  }
};

using Notes = std::vector<std::string>;

/// Communication 3, token 7, 5 s of call time and 6 s of return time.
Op operation(Op::Kind kind, Operation of = Operation::reduction) {
  Op op;
  op.kind = kind;
  op.operation = of;
  op.a = 3;
  op.b = 7;
  op.call = 5.0;
  op.ret = 6.0;
  return op;
}

Notes walked(NotedClocks clocks, const Op& op) {
  Script::Builder tables;
  tables.pipelines.resize(4);
  tables.pipelines[3].placement = gridcast::model::PlacementId(1);
  tables.pipelines[3].portion = gridcast::model::PortionId(2);
  gridcast::model::walk(clocks, Script(tables, {}), op);
  return clocks.notes;
}

Notes walked(Op::Kind kind, Operation of = Operation::reduction) {
  return walked(NotedClocks{}, operation(kind, of));
}

}  // namespace

TEST_CASE("Communications begin when all are there, and have paid", "[walk]") {
  CHECK(walked(Op::Kind::start) == Notes{"synchronize 0", "start 3 7 10"});
  CHECK(walked(Op::Kind::transfer) == Notes{"synchronize 0", "transfer 3 10 0"});
  NotedClocks clocks;
  clocks.costs.collective = 2.0;
  Op start = operation(Op::Kind::start);
  start.cost = Op::Cost::collective;
  CHECK(walked(clocks, start) == Notes{"synchronize 0", "pay 2 0", "start 3 7 12"});
  start.kind = Op::Kind::transfer;
  CHECK(walked(clocks, start) == Notes{"synchronize 0", "pay 2 0", "transfer 3 12 0"});
  clocks.processors = 1;
  CHECK(walked(clocks, start) == Notes{"synchronize 0", "transfer 3 10 0"});
}

TEST_CASE("Old values and sendsh_ do not wait for all", "[walk]") {
  CHECK(walked(Op::Kind::send) == Notes{"latest", "start 3 7 10"});
  CHECK(walked(Op::Kind::exchange, Operation::remote_access) == Notes{"latest", "transfer 3 10 0"});
  CHECK(walked(Op::Kind::exchange, Operation::shadow) == Notes{"latest", "transfer 3 10 1"});
}

TEST_CASE("Waiting for all before an across_ loop belongs to it", "[walk]") {
  CHECK(walked(Op::Kind::synchronize, Operation::shadow) == Notes{"synchronize 1"});
  CHECK(walked(Op::Kind::synchronize) == Notes{"synchronize 0"});
  CHECK(walked(Op::Kind::start, Operation::shadow) == Notes{"synchronize 0", "start 3 7 10"});
}

TEST_CASE("What nobody has a part of all do", "[walk]") {
  NotedClocks clocks;
  CHECK(walked(clocks, operation(Op::Kind::share)) == Notes{"share 5 3 7"});
  CHECK(walked(clocks, operation(Op::Kind::copied)) == Notes{"copied 3 6"});
  clocks.applies = false;
  CHECK(walked(clocks, operation(Op::Kind::share)) == Notes{"share 5 3 7", "work 5 0"});
  CHECK(walked(clocks, operation(Op::Kind::copied)) == Notes{"copied 3 6", "work 0 6"});
}

TEST_CASE("A pipelined loop without dependences is a loop", "[walk]") {
  NotedClocks clocks;
  CHECK(walked(clocks, operation(Op::Kind::pipeline)) == Notes{"pipeline 3 5", "vary"});
  clocks.applies = false;
  CHECK(walked(clocks, operation(Op::Kind::pipeline)) ==
        Notes{"pipeline 3 5", "share 5 1 2", "work 5 0", "vary"});
}
