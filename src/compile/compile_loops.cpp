/// Parallel loops, pipelines, reductions, and exchanges that overlap with a loop.

#include <algorithm>

#include "compiler.h"

namespace gridcast::model {

using mapping::AxisRule;

void Compiler::after(const trace::CreateLoop& call) {
  check_rank(static_cast<std::size_t>(call.rank), "a parallel loop");
  loops_[call.result] = {};
}

void Compiler::after(const trace::MapLoop& call) {
  LoopState& loop = loops_[call.loop];
  const std::size_t rank = call.first.size();
  check_rank(rank, "a parallel loop");
  loop.first = call.first;
  loop.step.assign(rank, 1);
  loop.extents.assign(rank, 0);
  for (std::size_t dim = 0; dim < rank; ++dim) {
    if (dim < call.step.size() && call.step[dim] != 0) {
      loop.step[dim] = call.step[dim];
    }
    check_coefficient(loop.step[dim], "step of a loop");
    loop.extents[dim] = steps_between(call.first[dim], call.last[dim], loop.step[dim]);
  }
  Alignment over = alignment(call.rule, rank);
  count_iterations(over.rules, loop);
  loop.placement = placement_over(over, loop.extents);
  last_mapped_ = loop.placement;
}

void Compiler::count_iterations(std::span<AxisRule> rules, const LoopState& loop) const {
  for (AxisRule& rule : rules) {
    if (rule.kind == AxisRule::Kind::linear) {
      const auto dim = static_cast<std::size_t>(rule.dim);
      rule.constant += rule.coefficient * loop.first[dim];
      rule.coefficient *= loop.step[dim];
      check_index(rule.constant, "position of an iteration");
      check_coefficient(rule.coefficient, "coefficient times step of a loop");
    }
  }
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
  if (!pending_across_ || loop.placement == none) {
    return;
  }
  if (pending_across_->old_values != trace::no_object) {
    loop.old_values =
        communication(CommunicationSpec::Kind::old_values,
                      shadow_parts(pending_across_->old_values, false), loop.placement);
  }
  loop.pipeline =
      build_.pipeline({.placement = loop.placement,
                       .view = current_view(),
                       .parts = build_.part_ids(shadow_parts(pending_across_->new_values, false)),
                       .portions = pending_across_->portions});
  pending_across_.reset();
}

void Compiler::on(const trace::Across& call) {
  count(Operation::shadow);
  around([&] {
    push({.kind = Op::Kind::synchronize,
          .operation = Operation::shadow,
          .cost = Op::Cost::collective});
  });
  pending_across_ = call;
}

PortionId Compiler::portion_of(const std::optional<trace::SubBlock>& part, const LoopState& loop) {
  const ShapeId shape = in_io_statement_ ? none : shape_of_place();
  if (!part) {
    return shape == none ? none : build_.portion({{}, shape});
  }
  std::vector<std::int64_t> bounds;
  for (std::size_t dim = 0; dim < loop.extents.size(); ++dim) {
    std::int64_t lo = 0;
    std::int64_t hi = loop.extents[dim] - 1;
    if (dim < part->first.size()) {
      // Bounds are loop indices (in either order if the loop runs downwards); iteration numbers
      // count from the loop's own first index.
      const std::int64_t step = loop.step[dim];
      const std::int64_t origin = loop.first[dim];
      const std::int64_t first = part->first[dim];
      const std::int64_t last = part->last[dim];
      lo = mapping::ceil_div(step > 0 ? first - origin : origin - std::max(first, last),
                             std::abs(step));
      hi = mapping::floor_div(step > 0 ? last - origin : origin - std::min(first, last),
                              std::abs(step));
    }
    bounds.insert(bounds.end(), {lo, 1, std::max<std::int64_t>(hi - lo + 1, 0)});
  }
  return build_.portion({build_.ints(bounds), shape});
}

void Compiler::on(const trace::RunLoop& call) {
  LoopState& loop = loops_[call.loop];
  attach_across(loop);
  ++loop.portions_run;
  if (loop.placement == none) {
    work(record().call_time, 0.0);
  } else if (loop.pipeline != none && !call.continues && !in_io_statement_) {
    PipelineSpec pipeline = build_.tables.pipelines[loop.pipeline];
    pipeline.portion = portion_of(std::nullopt, loop);
    push({.kind = Op::Kind::pipeline,
          .operation = Operation::shadow,
          .a = build_.pipeline(pipeline),
          .call = record().call_time});
  } else {
    push({.kind = Op::Kind::share,
          .a = loop.placement,
          .b = portion_of(call.portion, loop),
          .call = record().call_time});
  }
  if (call.continues && loop.old_values != none) {
    exchange(Operation::shadow, loop.old_values);
    loop.old_values = none;
  }
  run_scheduled(loop, loop.portions_run);
  work(0.0, record().ret_time);
}

void Compiler::on(const trace::EndLoop& call) {
  around([&] { run_scheduled(loops_[call.loop], 0); });
  loops_[call.loop] = {};
  pending_across_.reset();
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

void Compiler::after(const trace::ExportFirst& call) {
  const std::size_t portions = portions_ahead(call.loop);
  loops_[call.loop].starts_at.emplace_back(portions > 1 ? portions - 1 : portions, call.group);
}

void Compiler::after(const trace::ImportLast& call) {
  loops_[call.loop].waits_at.emplace_back(std::min<std::size_t>(portions_ahead(call.loop), 2),
                                          call.group);
}

void Compiler::run_scheduled(const LoopState& loop, std::size_t at) {
  for (const auto& [portion, group] : loop.waits_at) {
    if (portion == at) {
      wait(Pending::shadow, group);
    }
  }
  for (const auto& [portion, group] : loop.starts_at) {
    if (portion == at) {
      count(Operation::shadow);
      start(Pending::shadow, group, shadow_communication(group));
    }
  }
}

// --- reductions
// --------------------------------------------------------------------------------------

void Compiler::after(const trace::CreateReduction& call) {
  reduction_bytes_[call.result] =
      static_cast<double>(call.length) * static_cast<double>(call.element_size + call.extra);
}

void Compiler::on(const trace::StartReduction& call) {
  using Kind = CommunicationSpec::Kind;
  double bytes = 0.0;
  for (const trace::Slot reduction : reduction_groups_[call.group]) {
    bytes += reduction_bytes_[reduction];
  }
  start_call(Pending::reduction, call.group,
             build_.communication({.kind = last_mapped_ == none ? Kind::nothing : Kind::reduction,
                                   .view = current_view(),
                                   .placement = last_mapped_,
                                   .bytes = bytes}));
}

}  // namespace gridcast::model
