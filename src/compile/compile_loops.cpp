/// Parallel loops, pipelines, reductions, and exchanges that overlap with a loop.

#include <algorithm>

#include "compiler.h"

namespace gridcast::model {

using mapping::AxisRule;

LoopState& Compiler::loop_of(trace::Slot slot) { return object(loops_, slot, "a parallel loop"); }

void Compiler::on(const trace::CreateLoop& call) {
  ordinary();
  if (call.rank < 0 || call.rank > mapping::max_rank) {
    throw error("a parallel loop of " + std::to_string(call.rank) + " dimensions",
                "expected at most 16");
  }
  LoopState state;
  state.rank = call.rank;
  object(loops_, call.result, "a parallel loop") = std::move(state);
}

void Compiler::on(const trace::MapLoop& call) {
  ordinary();
  LoopState& loop = loop_of(call.loop);
  const std::size_t rank = call.first.size();
  if (rank != call.last.size() || rank > mapping::max_rank) {
    throw error("mappl_ gives " + std::to_string(rank) + " first and " +
                    std::to_string(call.last.size()) + " last indices",
                "expected one of each per loop dimension");
  }
  loop.first = call.first;
  loop.step.assign(rank, 1);
  loop.extents.assign(rank, 0);
  for (std::size_t dim = 0; dim < rank; ++dim) {
    check_index(call.first[dim], "first index of a loop");
    check_index(call.last[dim], "last index of a loop");
    if (dim < call.step.size() && call.step[dim] != 0) {
      loop.step[dim] = call.step[dim];
    }
    const std::int64_t step = loop.step[dim];
    if (std::abs(step) > mapping::max_coefficient) {
      throw error("step " + std::to_string(step) + " of a loop is out of range",
                  "expected at most 2^20 in magnitude");
    }
    const std::int64_t span =
        step > 0 ? call.last[dim] - call.first[dim] : call.first[dim] - call.last[dim];
    loop.extents[dim] = span < 0 ? 0 : span / std::abs(step) + 1;
  }
  Composed composed = compose_over(call.rule, rank);
  // From loop indices to iteration numbers 0, 1, 2, ...
  for (AxisRule& rule : composed.rules) {
    if (rule.kind == AxisRule::Kind::linear) {
      const auto dim = static_cast<std::size_t>(rule.dim);
      rule.constant += rule.coefficient * loop.first[dim];
      rule.coefficient *= loop.step[dim];
      check_index(rule.constant, "position of a loop");
      if (std::abs(rule.coefficient) > mapping::max_coefficient) {
        throw error("coefficient times step of a loop is out of range",
                    "expected at most 2^20 in magnitude");
      }
    }
  }
  loop.placement = placement_over(composed.target, composed.rules, loop.extents);
  loop.mapped = true;
  last_mapped_ = loop.placement;
}

ShapeId Compiler::shape_of_place() {
  if (loop_shapes_ == nullptr) {
    return none;
  }
  const auto [found, is_new] = shapes_of_places_.try_emplace(record().place, none);
  if (is_new) {
    std::vector<double> numbers;
    const std::string& file = program_.file_of(record());
    const std::int64_t line = program_.places[record().place].line;
    for (const ShapePoint& point : loop_shapes_->points(file, line)) {
      numbers.insert(numbers.end(), {point.outer, point.inner, point.seconds});
    }
    found->second =
        numbers.empty() ? none : build_.shape({build_.reals(numbers), build_.chars(file), line});
  }
  return found->second;
}

void Compiler::attach_across(LoopState& loop) {
  if (!pending_across_ || !loop.mapped) {
    return;
  }
  const trace::Across across = *pending_across_;
  pending_across_.reset();
  loop.across = true;
  if (across.old_values != trace::no_object) {
    CommunicationSpec spec;
    spec.kind = CommunicationSpec::Kind::old_values;
    spec.view = current_view();
    spec.placement = loop.placement;
    spec.parts = build_.part_ids(shadow_parts(across.old_values, false));
    loop.old_values = build_.communication(spec);
  }
  PipelineSpec pipeline;
  pipeline.placement = loop.placement;
  pipeline.view = current_view();
  if (across.new_values != trace::no_object) {
    pipeline.parts = build_.part_ids(shadow_parts(across.new_values, false));
  }
  loop.pipeline = build_.pipeline(pipeline);
}

void Compiler::on(const trace::Across& call) {
  count(Operation::shadow);
  work(record().call_time, 0.0);
  Op op;
  op.kind = Op::Kind::synchronize;
  op.operation = Operation::shadow;
  op.cost = Op::Cost::collective;
  push(op);
  work(0.0, record().ret_time);
  pending_across_ = call;
}

void Compiler::exchange(Operation operation, CommunicationId communication) {
  Op op;
  op.kind = Op::Kind::exchange;
  op.operation = operation;
  op.a = communication;
  push(op);
}

PortionId Compiler::portion_of(const trace::RunLoop& call, const LoopState& loop) {
  const ShapeId shape = in_io_statement_ ? none : shape_of_place();
  if (!call.portion) {
    return shape == none ? none : build_.portion({{}, shape});
  }
  std::vector<std::int64_t> bounds;
  for (std::size_t dim = 0; dim < loop.extents.size(); ++dim) {
    const bool given = dim < call.portion->first.size() && dim < call.portion->last.size();
    const std::int64_t first = given ? call.portion->first[dim] : 0;
    const std::int64_t last = given ? call.portion->last[dim] : 0;
    if (given) {
      check_index(first, "bound of a loop portion");
      check_index(last, "bound of a loop portion");
    }
    // Bounds are loop indices (in either order if the loop runs downwards); iteration numbers
    // count from the loop's own first index.
    const std::int64_t step = loop.step[dim];
    const std::int64_t begin =
        step > 0 ? first - loop.first[dim] : loop.first[dim] - std::max(first, last);
    const std::int64_t end =
        step > 0 ? last - loop.first[dim] : loop.first[dim] - std::min(first, last);
    const std::int64_t lo = given ? mapping::ceil_div(begin, std::abs(step)) : 0;
    const std::int64_t hi = given ? mapping::floor_div(end, std::abs(step)) : loop.extents[dim] - 1;
    bounds.insert(bounds.end(), {lo, 1, std::max<std::int64_t>(hi - lo + 1, 0)});
  }
  return build_.portion({build_.ints(bounds), shape});
}

void Compiler::on(const trace::RunLoop& call) {
  LoopState& loop = loop_of(call.loop);
  attach_across(loop);
  ++loop.portions_run;
  if (!loop.mapped) {
    work(record().call_time, 0.0);
  } else if (loop.across && !call.continues && !in_io_statement_) {
    Op op;
    op.kind = Op::Kind::pipeline;
    op.operation = Operation::shadow;
    op.a = loop.pipeline;
    if (const ShapeId shape = shape_of_place(); shape != none) {
      PipelineSpec shaped = build_.tables.pipelines[loop.pipeline];
      shaped.portion = build_.portion({{}, shape});
      op.a = build_.pipeline(shaped);
    }
    op.call = record().call_time;
    push(op);
  } else {
    share(loop.placement, portion_of(call, loop), record().call_time);
  }
  if (loop.across && call.continues && loop.old_values != none && !loop.old_values_done) {
    exchange(Operation::shadow, loop.old_values);
    loop.old_values_done = true;
  }
  run_scheduled(loop, loop.portions_run);
  work(0.0, record().ret_time);
}

void Compiler::on(const trace::EndLoop& call) {
  work(record().call_time, 0.0);
  LoopState& loop = loop_of(call.loop);
  run_scheduled(loop, 0);
  loop.across = false;
  loop.starts_at.clear();
  loop.waits_at.clear();
  pending_across_.reset();
  work(0.0, record().ret_time);
}

// --- exchanges inside loops in portions
// --------------------------------------------------------------

std::size_t Compiler::portions_ahead(trace::Slot loop) const {
  std::size_t count = 0;
  for (const trace::Record* at = record_ + 1;
       at != program_.records.data() + program_.records.size(); ++at) {
    const trace::Call& call = program_.calls[at->call];
    if (const auto* run = std::get_if<trace::RunLoop>(&call); run != nullptr && run->loop == loop) {
      ++count;
    } else if (const auto* end = std::get_if<trace::EndLoop>(&call);
               end != nullptr && end->loop == loop) {
      break;
    }
  }
  return count;
}

void Compiler::on(const trace::ExportFirst& call) {
  ordinary();
  object(shadow_groups_, call.group, "exfrst_ of a shadow group");
  const std::size_t portions = portions_ahead(call.loop);
  loop_of(call.loop).starts_at.emplace_back(portions > 1 ? portions - 1 : portions, call.group);
}

void Compiler::on(const trace::ImportLast& call) {
  ordinary();
  object(shadow_groups_, call.group, "imlast_ of a shadow group");
  const std::size_t portions = portions_ahead(call.loop);
  loop_of(call.loop).waits_at.emplace_back(std::min<std::size_t>(portions, 2), call.group);
}

void Compiler::run_scheduled(LoopState& loop, std::size_t at) {
  for (const auto& [portion, group] : loop.waits_at) {
    if (portion == at) {
      wait(Pending::shadow, group, Operation::shadow);
    }
  }
  for (const auto& [portion, group] : loop.starts_at) {
    if (portion == at) {
      count(Operation::shadow);
      start(Pending::shadow, group, Operation::shadow, shadow_communication(group));
    }
  }
}

// --- reductions
// --------------------------------------------------------------------------------------

void Compiler::on(const trace::CreateReductionGroup& call) {
  ordinary();
  object(reduction_groups_, call.result, "a reduction group").clear();
}

void Compiler::on(const trace::CreateReduction& call) {
  ordinary();
  object(reduction_bytes_, call.result, "a reduction") =
      static_cast<double>(call.length) * static_cast<double>(call.element_size + call.extra);
}

void Compiler::on(const trace::InsertReduction& call) {
  ordinary();
  object(reduction_groups_, call.group, "a reduction group").push_back(call.reduction);
}

void Compiler::on(const trace::DeleteReduction&) { ordinary(); }

void Compiler::on(const trace::DeleteReductionGroup&) { ordinary(); }

void Compiler::on(const trace::StartReduction& call) {
  count(Operation::reduction);
  work(record().call_time, 0.0);
  CommunicationSpec spec;
  spec.view = current_view();
  for (const trace::Slot reduction : object(reduction_groups_, call.group, "a reduction group")) {
    spec.bytes += object(reduction_bytes_, reduction, "a reduction");
  }
  if (last_mapped_ != none) {
    spec.kind = CommunicationSpec::Kind::reduction;
    spec.placement = last_mapped_;
  }
  start(Pending::reduction, call.group, Operation::reduction, build_.communication(spec));
  work(0.0, record().ret_time);
}

void Compiler::on(const trace::WaitReduction& call) {
  work(record().call_time, 0.0);
  wait(Pending::reduction, call.group, Operation::reduction);
  work(0.0, record().ret_time);
}

}  // namespace gridcast::model
