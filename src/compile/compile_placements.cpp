/// Templates, arrays and their alignment.

#include <algorithm>
#include <numeric>

#include "compiler.h"

namespace gridcast::model {

using mapping::AxisRule;

// --- templates
// -------------------------------------------------------------------------------------

std::uint32_t Compiler::target_number(trace::Slot slot, const char* what) {
  if (slot == trace::no_object || target_slots_[slot] == none) {
    throw error(std::string(what) + " of a template that does not exist",
                "expected the result of crtamv_");
  }
  return target_slots_[slot];
}

void Compiler::on(const trace::CreateTemplate& call) {
  ordinary();
  if (call.extents.empty() || call.extents.size() > mapping::max_rank) {
    throw error("a template of " + std::to_string(call.extents.size()) + " dimensions",
                "expected 1 to 16");
  }
  for (const std::int64_t extent : call.extents) {
    check_index(extent, "extent of a template");
    if (extent < 0) {
      throw error("a negative extent of a template", "expected 0 or more elements");
    }
  }
  TargetState state;
  state.extents = call.extents;
  state.periodic = call.periodic;
  target_slots_[call.result] = static_cast<std::uint32_t>(targets_.size());
  targets_.push_back(std::move(state));
}

void Compiler::on(const trace::DeleteTemplate& call) {
  ordinary();
  if (call.target != trace::no_object) {
    target_slots_[call.target] = none;
  }
}

void Compiler::on(const trace::DivideBlocks& call) {
  ordinary();
  TargetState& target = targets_[target_number(call.target, "blkdiv_")];
  for (const std::int64_t divisor : call.divisors) {
    if (divisor < 1 || divisor > mapping::max_index) {
      throw error("block divisor " + std::to_string(divisor), "expected a positive number");
    }
  }
  target.divisors = call.divisors;
}

void Compiler::check_weights(std::span<const std::vector<double>> lists, const char* what) const {
  for (const std::vector<double>& list : lists) {
    double sum = 0.0;
    for (const double weight : list) {
      if (!(weight >= 0.0 && weight <= 1e12)) {
        throw error(std::string(what) + " gives a weight that is negative or too large",
                    "expected 0 to 1e12");
      }
      sum += weight;
    }
    if (!list.empty() && !(sum > 0.0)) {
      throw error(std::string(what) + " gives weights that are all 0",
                  "expected at least one positive weight per dimension");
    }
  }
}

void Compiler::on(const trace::SetWeights& call) {
  ordinary();
  if (call.missing) {
    warn_once("setelw_ without weights in the trace: equal weights are taken");
    return;
  }
  check_weights(call.weights, "setelw_");
  TargetState& target = targets_[target_number(call.target, "setelw_")];
  target.weights = TargetSpec::Weights::elements;
  target.lists = call.weights;
}

void Compiler::on(const trace::SetBlockLengths& call) {
  ordinary();
  if (call.missing) {
    warn_once("genblk_ without block lengths in the trace: equal blocks are taken");
    return;
  }
  check_weights(call.lengths, "genblk_");
  TargetState& target = targets_[target_number(call.target, "genblk_")];
  target.weights = TargetSpec::Weights::lengths;
  target.lists = call.lengths;
}

void Compiler::on(const trace::GetTemplate& call) {
  ordinary();
  // The slot names the template that the array is aligned on, whichever slot created it.
  if (call.result != trace::no_object && call.array != trace::no_object &&
      arrays_[call.array].aligned) {
    target_slots_[call.result] = arrays_[call.array].target;
  }
}

void Compiler::distribute(TargetState& target, ViewId view, std::span<const std::int64_t> axes) {
  std::vector<std::int64_t> dimensions;
  for (const std::int64_t axis : axes) {
    if (axis < 0 || axis > static_cast<std::int64_t>(target.extents.size())) {
      throw error("AxisArray names dimension " + std::to_string(axis) + " of a template of rank " +
                      std::to_string(target.extents.size()),
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
  if (dimensions.size() > machine::max_grid_rank) {
    throw error("a distribution over " + std::to_string(dimensions.size()) + " dimensions",
                "expected at most 4");
  }
  TargetSpec spec;
  spec.extents = build_.ints(target.extents);
  spec.view = view;
  spec.axes = build_.ints(dimensions);
  if (std::any_of(target.divisors.begin(), target.divisors.end(),
                  [](std::int64_t divisor) { return divisor > 1; })) {
    spec.divisors = build_.ints(target.divisors);
  }
  if (target.weights != TargetSpec::Weights::none) {
    spec.weights = target.weights;
    std::vector<Slice> lists;
    for (const std::vector<double>& list : target.lists) {
      lists.push_back(build_.reals(list));
    }
    spec.lists = build_.slices(lists);
  }
  target.spec = build_.target(spec);
  target.view = view;
  note_reference(target, dimensions);
}

void Compiler::note_reference(const TargetState& target, std::span<const std::int64_t> axes) {
  header_.grid_rank = std::max(header_.grid_rank, static_cast<std::int32_t>(axes.size()));
  if (axes.empty()) {
    return;
  }
  double elements = 1.0;
  for (const std::int64_t extent : target.extents) {
    elements *= static_cast<double>(extent);
  }
  if (elements > reference_.elements) {
    reference_.elements = elements;
    reference_.extents.clear();
    for (const std::int64_t axis : axes) {
      reference_.extents.push_back(axis < 0 ? 0 : target.extents[static_cast<std::size_t>(axis)]);
    }
  }
}

void Compiler::collect_reference() {
  // Dimensions of the grid that do not cut the reference array: 0.
  reference_.extents.resize(static_cast<std::size_t>(header_.grid_rank), 0);
  header_.reference_rank = header_.grid_rank;
  std::copy(reference_.extents.begin(), reference_.extents.end(),
            header_.reference_extents.begin());
}

void Compiler::on(const trace::Distribute& call) {
  ordinary();
  const std::uint32_t number = target_number(call.target, "distr_");
  distribute(targets_[number], view_of(call.system), call.axes);
  moved(number);
  note_memory();
}

void Compiler::on(const trace::Redistribute& call) {
  std::uint32_t number = none;
  if (call.array != trace::no_object) {
    const ArrayState& array = object(arrays_, call.array, "redis_ of an array");
    if (!array.aligned) {
      throw error("redis_ of an array that is not aligned", "expected align_ before it");
    }
    number = array.target;
  } else {
    number = target_number(call.target, "redis_");
  }
  TargetState& target = targets_[number];
  if (target.spec == none) {  // the first time it is distr_
    ordinary();
    distribute(target, view_of(call.system), call.axes);
    moved(number);
    note_memory();
    return;
  }
  std::vector<std::pair<std::size_t, PlacementId>> before;
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    if (array_exists_[i] && arrays_[i].aligned && arrays_[i].target == number && !call.new_values) {
      before.emplace_back(i, placement_of(arrays_[i]));
    }
  }
  const ViewId view = call.system == trace::no_object || systems_[call.system] == none
                          ? target.view
                          : systems_[call.system];
  const std::vector<std::uint32_t> leaving =
      call.new_values ? std::vector<std::uint32_t>() : holdings_over(number);
  distribute(target, view, call.axes);
  moved(number);
  note_memory(leaving);
  std::vector<std::uint32_t> parts;
  parts.reserve(before.size());
  for (const auto& [slot, from] : before) {
    parts.push_back(build_.move({from, placement_of(arrays_[slot]), arrays_[slot].element_size}));
  }
  blocking(Operation::redistribution, move_communication(parts), true);
}

// --- arrays
// ------------------------------------------------------------------------------------------

void Compiler::on(const trace::CreateArray& call) {
  ordinary();
  if (call.extents.empty() || call.extents.size() > mapping::max_rank) {
    throw error("an array of " + std::to_string(call.extents.size()) + " dimensions",
                "expected 1 to 16");
  }
  for (const std::int64_t extent : call.extents) {
    check_index(extent, "extent of an array");
    if (extent < 0) {
      throw error("a negative extent of an array", "expected 0 or more elements");
    }
  }
  ArrayState state;
  state.extents = call.extents;
  state.low = call.low_shadow;
  state.high = call.high_shadow;
  state.low.resize(state.extents.size(), 0);
  state.high.resize(state.extents.size(), 0);
  state.element_size = call.element_size;
  state.stays_local =
      local_arrays_.contains(static_cast<std::size_t>(record_ - program_.records.data()));
  arrays_[call.result] = std::move(state);
  array_exists_[call.result] = true;
  note_memory();
}

void Compiler::on(const trace::DeleteArray& call) {
  ordinary();
  if (call.array != trace::no_object) {
    array_exists_[call.array] = false;
  }
}

std::vector<AxisRule> Compiler::axis_rules(const trace::AlignmentRule& rule, std::size_t rank,
                                           std::size_t pattern_rank) {
  std::vector<AxisRule> rules(pattern_rank);
  for (std::size_t i = 0; i < pattern_rank && i < rule.axes.size(); ++i) {
    const std::int64_t axis = rule.axes[i];
    const std::int64_t coefficient = i < rule.coefficients.size() ? rule.coefficients[i] : 0;
    const std::int64_t constant = i < rule.constants.size() ? rule.constants[i] : 0;
    check_index(constant, "constant of an alignment");
    if (coefficient > mapping::max_coefficient || coefficient < -mapping::max_coefficient) {
      throw error("coefficient " + std::to_string(coefficient) + " of an alignment is out of range",
                  "expected at most 2^20 in magnitude");
    }
    if (axis > static_cast<std::int64_t>(rank)) {
      throw error("an alignment names dimension " + std::to_string(axis) +
                      " of something of rank " + std::to_string(rank),
                  "expected a dimension that exists, 0 or -1");
    }
    if (axis < 0) {
      rules[i] = {};
    } else if (axis == 0 || coefficient == 0) {
      rules[i] = {AxisRule::Kind::constant, -1, 0, constant, 0};
    } else {
      rules[i] = {AxisRule::Kind::linear, static_cast<std::int32_t>(axis - 1), coefficient,
                  constant, 0};
    }
  }
  return rules;
}

Compiler::Composed Compiler::compose_over(const trace::AlignmentRule& rule, std::size_t rank) {
  Composed result;
  if (rule.kind == trace::PatternKind::target) {
    result.target = target_number(rule.pattern, "an alignment");
    result.rules = axis_rules(rule, rank, targets_[result.target].extents.size());
    return result;
  }
  const ArrayState& pattern = object(arrays_, rule.pattern, "a pattern");
  const std::vector<AxisRule> own = axis_rules(rule, rank, pattern.extents.size());
  if (pattern.aligned) {
    result.target = pattern.target;
    result.rules = mapping::compose(own, pattern.rules, pattern.extents);
    for (const AxisRule& composed : result.rules) {
      check_index(composed.constant, "constant of a composed alignment");
      if (std::abs(composed.coefficient) > mapping::max_coefficient) {
        throw error("the coefficient of a composed alignment is out of range",
                    "expected at most 2^20 in magnitude");
      }
    }
  }
  return result;
}

void Compiler::align(ArrayState& array, const trace::AlignmentRule& rule) {
  Composed composed = compose_over(rule, array.extents.size());
  array.aligned = composed.target != none;
  array.target = composed.target;
  array.rules = std::move(composed.rules);
  array.holding = none;
}

void Compiler::on(const trace::Align& call) {
  ordinary();
  align(object(arrays_, call.array, "align_ of an array"), call.rule);
  note_memory();
}

void Compiler::on(const trace::Realign& call) {
  ArrayState& array = object(arrays_, call.array, "realn_ of an array");
  if (!array.aligned) {  // the first time it is align_
    ordinary();
    align(array, call.rule);
    note_memory();
    return;
  }
  const bool moves = targets_[array.target].spec != none && !call.new_values;
  const PlacementId from = moves ? placement_of(array) : PlacementId();
  std::vector<std::uint32_t> leaving;
  if (moves) {
    leaving.push_back(holding_of(array));
  }
  align(array, call.rule);
  note_memory(std::move(leaving));
  std::vector<std::uint32_t> parts;
  if (moves) {
    parts.push_back(build_.move({from, placement_of(array), array.element_size}));
  }
  blocking(Operation::redistribution, move_communication(parts), true);
}

PlacementId Compiler::placement_over(std::uint32_t target, std::span<const AxisRule> rules,
                                     std::span<const std::int64_t> extents) {
  PlacementSpec spec;
  spec.extents = build_.ints(extents);
  if (target == none || targets_[target].spec == none) {
    spec.view = current_view();
  } else {
    spec.target = targets_[target].spec;
    spec.view = targets_[target].view;
    spec.rules = build_.rules(rules);
  }
  return build_.placement(spec);
}

PlacementId Compiler::placement_of(const ArrayState& array) {
  return placement_over(array.aligned ? array.target : none, array.rules, array.extents);
}

}  // namespace gridcast::model
