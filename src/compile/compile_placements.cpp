/// Templates, arrays and their alignment.

#include <algorithm>
#include <numeric>

#include "compiler.h"

namespace gridcast::model {

using mapping::AxisRule;

// --- templates
// -------------------------------------------------------------------------------------

std::uint32_t Compiler::target_number(trace::Slot slot, const char* what) const {
  if (target_slots_[slot] == none) {
    throw error(std::string(what) + " of a template that does not exist",
                "expected the result of crtamv_");
  }
  return target_slots_[slot];
}

void Compiler::after(const trace::CreateTemplate& call) {
  check_rank(call.extents.size(), "a template");
  target_slots_[call.result] = static_cast<std::uint32_t>(targets_.size());
  TargetState& target = targets_.emplace_back();
  target.made.extents = build_.ints(call.extents);
  target.periodic = call.periodic;
}

void Compiler::after(const trace::DivideBlocks& call) {
  TargetState& target = targets_[target_number(call.target, "blkdiv_")];
  for (const std::int64_t divisor : call.divisors) {
    if (divisor < 1) {
      throw error("block divisor " + std::to_string(divisor), "expected a positive number");
    }
  }
  const bool divides = std::any_of(call.divisors.begin(), call.divisors.end(),
                                   [](std::int64_t divisor) { return divisor > 1; });
  target.made.divisors = divides ? build_.ints(call.divisors) : Slice{};
}

void Compiler::set_weights(std::uint32_t number, TargetSpec::Weights weights,
                           const std::vector<std::vector<double>>& lists, const char* what) {
  std::vector<Slice> stored;
  for (const std::vector<double>& list : lists) {
    if (std::any_of(list.begin(), list.end(), [](double weight) { return weight > 1e12; })) {
      throw error(std::string(what) + " gives a weight that is too large", "expected 0 to 1e12");
    }
    if (!list.empty() && !(std::accumulate(list.begin(), list.end(), 0.0) > 0.0)) {
      throw error(std::string(what) + " gives weights that are all 0",
                  "expected at least one positive weight per dimension");
    }
    stored.push_back(build_.reals(list));
  }
  targets_[number].made.weights = weights;
  targets_[number].made.lists = build_.slices(stored);
}

void Compiler::after(const trace::SetWeights& call) {
  if (call.missing) {
    warn_once("setelw_ without weights in the trace: equal weights are taken");
    return;
  }
  set_weights(target_number(call.target, "setelw_"), TargetSpec::Weights::elements, call.weights,
              "setelw_");
}

void Compiler::after(const trace::SetBlockLengths& call) {
  if (call.missing) {
    warn_once("genblk_ without block lengths in the trace: equal blocks are taken");
    return;
  }
  set_weights(target_number(call.target, "genblk_"), TargetSpec::Weights::lengths, call.lengths,
              "genblk_");
}

void Compiler::after(const trace::GetTemplate& call) {
  // The slot names the template that the array is aligned on, whichever slot created it.
  if (call.result != trace::no_object && arrays_[call.array].over.target != none) {
    target_slots_[call.result] = arrays_[call.array].over.target;
  }
}

void Compiler::distribute(std::uint32_t number, ViewId view, std::span<const std::int64_t> axes) {
  TargetState& target = targets_[number];
  std::vector<std::int64_t> dimensions;
  for (const std::int64_t axis : axes) {
    if (axis > static_cast<std::int64_t>(target.made.extents.count)) {
      throw error("AxisArray names dimension " + std::to_string(axis) + " of a template of rank " +
                      std::to_string(target.made.extents.count),
                  "expected 0 (replicated) or a dimension of the template");
    }
    if (axis > 0 && std::count(axes.begin(), axes.end(), axis) > 1) {
      throw error("AxisArray distributes dimension " + std::to_string(axis) + " twice",
                  "expected each dimension of the template at most once");
    }
    dimensions.push_back(axis - 1);
  }
  while (!dimensions.empty() && dimensions.back() < 0) {
    dimensions.pop_back();  // dimensions that are not named are replicated anyway
  }
  check_rank(dimensions.size(), "a distribution", machine::max_grid_rank);
  target.made.view = view;
  target.made.axes = build_.ints(dimensions);
  target.spec = build_.target(target.made);
  for (ArrayState& array : arrays_) {
    if (array.over.target == number) {
      array.holding = none;
    }
  }
}

/// The largest template that is cut, the first of equals.
void Compiler::collect_reference() {
  double most = 0.0;
  for (const TargetSpec& target : build_.tables.targets) {
    const auto axes = entries(build_.tables.ints, target.axes);
    const auto extents = entries(build_.tables.ints, target.extents);
    header_.grid_rank = std::max(header_.grid_rank, static_cast<std::int32_t>(axes.size()));
    const double elements = axes.empty() ? 0.0 : mapping::elements_of(extents);
    if (elements > most) {
      most = elements;
      header_.reference_extents = {};  // 0: dimensions of the grid that do not cut it
      std::transform(axes.begin(), axes.end(), header_.reference_extents.begin(),
                     [&](std::int64_t axis) {
                       return axis < 0 ? 0 : extents[static_cast<std::size_t>(axis)];
                     });
    }
  }
}

void Compiler::after(const trace::Distribute& call) {
  distribute(target_number(call.target, "distr_"), view_of(call.system, current_view()), call.axes);
  note_memory();
}

template <class F>
void Compiler::move(const std::vector<ArrayState*>& arrays, F change) {
  std::vector<PlacementId> before;
  std::vector<std::uint32_t> leaving;  // they are there twice meanwhile
  for (ArrayState* array : arrays) {
    before.push_back(placement_of(*array));
    leaving.push_back(holding_of(*array));
  }
  change();
  note_memory(leaving);
  std::vector<std::uint32_t> parts;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    parts.push_back(
        build_.copy({before[i], placement_of(*arrays[i]), arrays[i]->element_size, {}, {}}));
  }
  blocking(Operation::redistribution, communication(CommunicationSpec::Kind::move, parts));
}

void Compiler::on(const trace::Redistribute& call) {
  std::uint32_t number = none;
  if (call.array == trace::no_object) {
    number = target_number(call.target, "redis_");
  } else if (number = arrays_[call.array].over.target; number == none) {
    throw error("redis_ of an array that is not aligned", "expected align_ before it");
  }
  const TargetState& target = targets_[number];
  if (target.spec == none) {  // the first time it is distr_
    ordinary();
    distribute(number, view_of(call.system, current_view()), call.axes);
    note_memory();
    return;
  }
  std::vector<ArrayState*> moved;
  for (ArrayState& array : arrays_) {
    if (array.exists && array.over.target == number && !call.new_values) {
      moved.push_back(&array);
    }
  }
  move(moved, [&] { distribute(number, view_of(call.system, target.made.view), call.axes); });
}

// --- arrays
// ------------------------------------------------------------------------------------------

void Compiler::after(const trace::CreateArray& call) {
  check_rank(call.extents.size(), "an array");
  ArrayState state;
  state.extents = call.extents;
  state.low = call.low_shadow;
  state.high = call.high_shadow;
  state.low.resize(state.extents.size(), 0);
  state.high.resize(state.extents.size(), 0);
  state.element_size = call.element_size;
  state.exists = true;
  state.stays_local =
      local_arrays_.contains(static_cast<std::size_t>(record_ - program_.records.data()));
  arrays_[call.result] = std::move(state);
  note_memory();
}

std::vector<AxisRule> Compiler::axis_rules(const trace::AlignmentRule& rule, std::size_t rank,
                                           std::size_t pattern_rank, const char* what) const {
  std::vector<AxisRule> rules(pattern_rank);
  for (std::size_t i = 0; i < pattern_rank && i < rule.axes.size(); ++i) {
    const std::int64_t axis = rule.axes[i];
    const std::int64_t coefficient = i < rule.coefficients.size() ? rule.coefficients[i] : 0;
    const std::int64_t constant = i < rule.constants.size() ? rule.constants[i] : 0;
    if (axis > static_cast<std::int64_t>(rank)) {
      throw error(std::string(what) + " names dimension " + std::to_string(axis) +
                      " of something of rank " + std::to_string(rank),
                  "expected a dimension that exists, 0 or -1");
    }
    if (axis > 0 && coefficient != 0) {
      rules[i] = {AxisRule::Kind::linear, static_cast<std::int32_t>(axis - 1), coefficient,
                  constant, 0};
    } else if (axis >= 0) {
      rules[i] = {AxisRule::Kind::constant, -1, 0, constant, 0};
    }
  }
  return rules;
}

Alignment Compiler::alignment(const trace::AlignmentRule& rule, std::size_t rank) const {
  if (rule.kind == trace::PatternKind::target) {
    const std::uint32_t target = target_number(rule.pattern, "an alignment");
    return {target, axis_rules(rule, rank, targets_[target].made.extents.count, "an alignment")};
  }
  const ArrayState& pattern = arrays_[rule.pattern];
  const std::vector<AxisRule> own = axis_rules(rule, rank, pattern.extents.size(), "an alignment");
  if (pattern.over.target == none) {
    return {};
  }
  Alignment composed{pattern.over.target,
                     mapping::compose(own, pattern.over.rules, pattern.extents)};
  for (const AxisRule& axis : composed.rules) {
    check_index(axis.constant, "constant of a composed alignment");
    check_coefficient(axis.coefficient, "coefficient of a composed alignment");
  }
  return composed;
}

void Compiler::align(ArrayState& array, const trace::AlignmentRule& rule) {
  array.over = alignment(rule, array.extents.size());
  array.holding = none;
}

void Compiler::after(const trace::Align& call) {
  align(arrays_[call.array], call.rule);
  note_memory();
}

void Compiler::on(const trace::Realign& call) {
  ArrayState& array = arrays_[call.array];
  if (array.over.target == none) {  // the first time it is align_
    take(trace::Align{call.array, call.rule});
    return;
  }
  std::vector<ArrayState*> moved;
  if (targets_[array.over.target].spec != none && !call.new_values) {
    moved.push_back(&array);
  }
  move(moved, [&] { align(array, call.rule); });
}

PlacementId Compiler::placement_over(const Alignment& over, std::span<const std::int64_t> extents) {
  if (over.target == none || targets_[over.target].spec == none) {
    return build_.placement({.view = current_view(), .extents = build_.ints(extents)});
  }
  return build_.placement({.target = targets_[over.target].spec,
                           .view = targets_[over.target].made.view,
                           .rules = build_.rules(over.rules),
                           .extents = build_.ints(extents)});
}

}  // namespace gridcast::model
