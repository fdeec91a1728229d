/// The frame of the compiler: operations, folding, intervals, ordinary calls and I/O.

#include "compiler.h"

#include <algorithm>
#include <utility>

#include "gridcast/base/contract.h"
#include "gridcast/compile/compile.h"

namespace gridcast::model {
namespace {

/// Operations that commute with each other: a run of them between two others is folded.
bool commutes(Op::Kind kind) {
  return kind == Op::Kind::work || kind == Op::Kind::io_work || kind == Op::Kind::share;
}

Operation operation_of(Pending kind) {
  return kind == Pending::reduction                             ? Operation::reduction
         : kind == Pending::shadow || kind == Pending::messages ? Operation::shadow
                                                                : Operation::remote_access;
}

}  // namespace

Compiler::Compiler(const trace::Program& program, Detail detail, const LoopShapes* shapes)
    : program_(program),
      detail_(detail),
      loop_shapes_(shapes),
      warnings_(program.warnings),
      systems_(program.slots.systems, none),
      machines_(program.slots.machines, none),
      target_slots_(program.slots.targets, none),
      arrays_(program.slots.arrays),
      loops_(program.slots.loops),
      reduction_groups_(program.slots.reduction_groups),
      reduction_bytes_(program.slots.reductions, 0.0),
      shadow_groups_(program.slots.shadow_groups),
      buffers_(program.slots.buffers),
      buffer_groups_(program.slots.buffer_groups) {
  build_.view(ViewSpec{});
  traced_shapes_.push_back(program.traced_grid);
  intervals_.emplace_back().line = program.first_line;
  if (!program.files.empty()) {
    intervals_[0].file = build_.chars(program.files[program.first_file]);
  }
  interval_stack_.push_back(0);
}

Compiled Compiler::run() {
  find_local_arrays();
  make_domains();
  for (const trace::Record& record : program_.records) {
    record_ = &record;
    std::visit([this](const auto& call) { take(call); }, program_.calls[record.call]);
  }
  finish_intervals();
  collect_reference();
  write_moments(moments_, build_.tables);
  header_.duration = program_.duration;
  header_.portion_start = program_.portion_start;
  header_.recording = program_.recording;
  return {Script(build_.tables, header_), std::move(warnings_)};
}

Compiled compile(const trace::Program& program, Detail detail, const LoopShapes* shapes) {
  return Compiler(program, detail, shapes).run();
}

// --- operations --------------------------------------------------------------------------------

void Compiler::push(Op op) {
  using Kind = Op::Kind;
  if (in_io_statement_ &&
      (op.kind == Kind::work || op.kind == Kind::share || op.kind == Kind::copied)) {
    op = {.kind = Kind::io_work, .call = op.call + op.ret};
  }
  if (detail_ == Detail::places && record_ != nullptr) {
    op.place = build_.place(
        {build_.chars(program_.file_of(record())), program_.places[record().place].line});
  }
  auto& ops = build_.tables.ops;
  if (!commutes(op.kind)) {
    ops.push_back(op);
    segment_ = ops.size();
    return;
  }
  for (std::size_t i = segment_; i < ops.size(); ++i) {
    if (ops[i].kind == op.kind && ops[i].a == op.a && ops[i].b == op.b &&
        ops[i].place == op.place) {
      ops[i].call += op.call;
      ops[i].ret += op.ret;
      return;
    }
  }
  ops.push_back(op);
}

void Compiler::work(double call, double ret) {
  if (in_io_statement_ || call != 0.0 || ret != 0.0) {
    push({.kind = Op::Kind::work, .call = call, .ret = ret});
  }
}

void Compiler::copied_ret(CommunicationId communication) {
  if (record().ret_time != 0.0) {
    push({.kind = Op::Kind::copied, .a = communication, .ret = record().ret_time});
  }
}

void Compiler::count(Operation operation) {
  for (const std::uint32_t interval : interval_stack_) {
    ++intervals_[interval].operations[static_cast<std::size_t>(operation)];
  }
}

void Compiler::start(Pending kind, trace::Slot slot, CommunicationId communication,
                     Op::Kind op_kind) {
  const auto [at, is_new] = pending_.try_emplace({kind, slot}, Token{header_.tokens});
  header_.tokens += is_new ? 1 : 0;
  at->second.started = true;  // again without a wait: the later start is the one waited for
  const bool pays = op_kind != Op::Kind::send && kind != Pending::messages;
  const Op::Cost cost = !pays                                            ? Op::Cost::none
                        : kind == Pending::copy                          ? Op::Cost::array
                        : operation_of(kind) == Operation::remote_access ? Op::Cost::load
                                                                         : Op::Cost::collective;
  push({.kind = op_kind,
        .operation = operation_of(kind),
        .cost = cost,
        .a = communication,
        .b = at->second.number});
}

void Compiler::wait(Pending kind, trace::Slot slot) {
  const auto at = pending_.find({kind, slot});
  if (at == pending_.end() || !at->second.started) {
    throw error(program_.function_of(record()) + " waits for something that was not started",
                "expected the start of the same group or buffer before it");
  }
  at->second.started = false;
  push({.kind = Op::Kind::wait, .operation = operation_of(kind), .b = at->second.number});
}

void Compiler::start_call(Pending kind, trace::Slot slot, CommunicationId communication) {
  count(operation_of(kind));
  work(record().call_time, 0.0);
  start(kind, slot, communication);
  if (operation_of(kind) == Operation::remote_access) {
    copied_ret(communication);
  } else {
    work(0.0, record().ret_time);
  }
}

void Compiler::blocking(Operation operation, CommunicationId communication) {
  count(operation);
  work(record().call_time, 0.0);
  push({.kind = Op::Kind::transfer,
        .operation = operation,
        .cost = operation == Operation::remote_access ? Op::Cost::array : Op::Cost::collective,
        .a = communication});
  copied_ret(communication);
}

CommunicationId Compiler::communication(CommunicationSpec::Kind kind,
                                        std::span<const std::uint32_t> parts, PlacementId loop) {
  if (parts.empty()) {
    return build_.communication({.view = current_view()});
  }
  return build_.communication(
      {.kind = kind, .view = current_view(), .parts = build_.part_ids(parts), .placement = loop});
}

// --- errors --------------------------------------------------------------------------------------

InputError Compiler::error(const std::string& problem, const std::string& remedy) const {
  return {program_.trace_file, record().trace_line, problem, remedy};
}

void Compiler::check_index(std::int64_t value, const char* what) const {
  if (value > mapping::max_index || value < -mapping::max_index) {
    throw error(std::string(what) + " " + std::to_string(value) + " is out of range",
                "expected at most 2^40 in magnitude");
  }
}

void Compiler::check_coefficient(std::int64_t value, const char* what) const {
  if (std::abs(value) > mapping::max_coefficient) {
    throw error(std::string(what) + " " + std::to_string(value) + " is out of range",
                "expected at most 2^20 in magnitude");
  }
}

void Compiler::check_rank(std::size_t rank, const char* what, std::size_t most) const {
  if (rank > most) {
    throw error(std::string(what) + " of " + std::to_string(rank) + " dimensions",
                "expected at most " + std::to_string(most));
  }
}

void Compiler::warn_once(const std::string& text) {
  if (std::find(warnings_.begin(), warnings_.end(), text) == warnings_.end()) {
    warnings_.push_back(text);
  }
}

// --- ordinary calls, I/O, intervals
// ----------------------------------------------------------------

void Compiler::on(const trace::InputOutput& call) {
  work(record().call_time, 0.0);
  io_work(record().ret_time);
  count(Operation::io);
  if (call.broadcasts) {
    push({.kind = Op::Kind::broadcast, .call = static_cast<double>(call.bytes)});
  }
}

void Compiler::on(const trace::BeginIoStatement&) {
  work(record().call_time, 0.0);
  if (!in_io_statement_) {
    count(Operation::io);
  }
  in_io_statement_ = true;
  io_work(record().ret_time);
}

void Compiler::on(const trace::EndIoStatement&) {
  if (!in_io_statement_) {
    warn_once("an I/O statement ends that did not begin (eiof_ without biof_)");
    ordinary();
    return;
  }
  io_work(record().call_time + record().ret_time);
  in_io_statement_ = false;
}

void Compiler::after(const trace::BeginInterval& call) {
  const std::uint32_t parent = interval_stack_.back();
  IntervalSpec spec;
  spec.parent = static_cast<std::int32_t>(parent);
  spec.level = intervals_[parent].level + 1;
  spec.type = call.type;
  spec.has_expression = call.expression.has_value();
  spec.expression = call.expression.value_or(0);
  spec.file = build_.chars(program_.file_of(record()));
  spec.line = program_.places[record().place].line;
  const auto [known, is_new] =
      interval_numbers_.try_emplace({parent, spec.type, spec.line, spec.file, call.expression},
                                    static_cast<std::uint32_t>(intervals_.size()));
  const std::uint32_t number = known->second;
  if (is_new) {
    intervals_.push_back(spec);
  } else {
    ++intervals_[number].count;
  }
  interval_stack_.push_back(number);
  push({.kind = Op::Kind::begin_interval, .a = number});
}

void Compiler::after(const trace::EndInterval&) {
  if (interval_stack_.size() == 1) {
    warn_once("a surplus end of an interval is ignored (" + program_.function_of(record()) + ")");
    return;
  }
  end_innermost();
}

void Compiler::end_innermost() {
  push({.kind = Op::Kind::end_interval, .a = interval_stack_.back()});
  interval_stack_.pop_back();
}

void Compiler::finish_intervals() {
  while (interval_stack_.size() > 1) {
    end_innermost();
  }
  // Depth-first order: parents before children, children in order of creation.
  std::vector<std::vector<std::uint32_t>> children(intervals_.size());
  for (std::uint32_t i = 1; i < intervals_.size(); ++i) {
    children[static_cast<std::size_t>(intervals_[i].parent)].push_back(i);
  }
  std::vector<std::uint32_t> number(intervals_.size());
  std::vector<std::uint32_t> open{0};
  while (!open.empty()) {
    const std::uint32_t i = open.back();
    open.pop_back();
    number[i] = static_cast<std::uint32_t>(build_.tables.intervals.size());
    build_.tables.intervals.push_back(intervals_[i]);
    open.insert(open.end(), children[i].rbegin(), children[i].rend());
  }
  for (IntervalSpec& interval : build_.tables.intervals) {
    if (interval.parent >= 0) {
      interval.parent =
          static_cast<std::int32_t>(number[static_cast<std::size_t>(interval.parent)]);
    }
  }
  for (Op& op : build_.tables.ops) {
    if (op.kind == Op::Kind::begin_interval || op.kind == Op::Kind::end_interval) {
      op.a = number[op.a];
    }
  }
}

}  // namespace gridcast::model
