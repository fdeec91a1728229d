#include "block_holders.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <variant>

namespace gridcast::trace {
namespace {

Extents coordinates_of(std::int64_t number, const Extents& extents) {
  Extents coordinates(extents.size());
  for (std::size_t i = extents.size(); i-- > 0;) {
    coordinates[i] = number % extents[i];
    number /= extents[i];
  }
  return coordinates;
}

std::int64_t number_of(const Extents& coordinates, const Extents& extents) {
  std::int64_t number = 0;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    number = number * extents[i] + coordinates[i];
  }
  return number;
}

std::int64_t product(const Extents& extents) {
  return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
}

}  // namespace

BlockHolder::BlockHolder(const Program& program, std::size_t process)
    : systems_(program.slots.systems),
      machines_(program.slots.machines),
      targets_(program.slots.targets),
      arrays_(program.slots.arrays),
      loops_(program.slots.loops) {
  System root;
  root.extents = program.traced_grid.empty() ? Extents{1} : program.traced_grid;
  const auto number = static_cast<std::int64_t>(process);
  if (number < product(root.extents)) {
    root.coordinates = coordinates_of(number, root.extents);
  }
  stack_.push_back(std::move(root));
}

void BlockHolder::take(const Call& call) {
  std::visit([this](const auto& made) { take_call(made); }, call);
}

std::optional<BlockKey> BlockHolder::block_of(Slot loop) const {
  const Placement& placed = loops_[loop];
  if (placed.target == no_object) {
    return BlockKey{};  // replicated: all hold the whole
  }
  const Target& target = targets_[placed.target];
  if (!target.system || !target.system->coordinates) {
    return std::nullopt;
  }
  BlockKey key;
  for (std::size_t i = 0; i < target.axes.size(); ++i) {
    const auto axis = static_cast<std::size_t>(target.axes[i]);
    const bool splits = axis > 0 && axis <= placed.positions.size() &&
                        i < target.system->extents.size() &&
                        placed.positions[axis - 1].kind != Position::Kind::replicated;
    if (splits) {
      key.push_back((*target.system->coordinates)[i]);
    }
  }
  return key;
}

BlockHolder::System BlockHolder::system_of(Slot slot) const {
  return slot != no_object && systems_[slot] ? *systems_[slot] : current();
}

BlockHolder::Placement BlockHolder::placement(const AlignmentRule& rule) const {
  const auto position = [&](std::size_t i) {
    if (rule.axes[i] < 0) {
      return Position{Position::Kind::replicated, 0};
    }
    if (rule.axes[i] == 0 || rule.coefficients[i] == 0) {
      return Position{Position::Kind::constant, 0};
    }
    return Position{Position::Kind::dimension, static_cast<std::size_t>(rule.axes[i] - 1)};
  };
  Placement placed;
  if (rule.kind == PatternKind::target) {
    placed.target = rule.pattern;
    for (std::size_t i = 0; i < rule.axes.size(); ++i) {
      placed.positions.push_back(position(i));
    }
    return placed;
  }
  placed = arrays_[rule.pattern];
  for (Position& on_template : placed.positions) {
    if (on_template.kind == Position::Kind::dimension && on_template.dimension < rule.axes.size()) {
      on_template = position(on_template.dimension);
    }
  }
  return placed;
}

void BlockHolder::take_call(const CreateSystem& call) {
  const System parent = system_of(call.parent);
  System made;
  made.coordinates = parent.coordinates;
  for (std::size_t i = 0; i < parent.extents.size(); ++i) {
    const bool bounded = i < call.first.size() && i < call.last.size() && call.first[i] >= 0;
    const std::int64_t first = bounded ? call.first[i] : 0;
    const std::int64_t last = bounded ? call.last[i] : parent.extents[i] - 1;
    made.extents.push_back(std::max<std::int64_t>(1, last - first + 1));
    if (made.coordinates) {
      std::int64_t& coordinate = (*made.coordinates)[i];
      coordinate -= first;
      if (coordinate < 0 || coordinate > last - first) {
        made.coordinates.reset();
      }
    }
  }
  systems_[call.result] = std::move(made);
}

void BlockHolder::take_call(const ReshapeSystem& call) {
  const System parent = system_of(call.parent);
  System made;
  made.extents = call.extents;
  if (parent.coordinates && product(parent.extents) == product(call.extents)) {
    made.coordinates = coordinates_of(number_of(*parent.coordinates, parent.extents), call.extents);
  }
  systems_[call.result] = std::move(made);
}

void BlockHolder::take_call(const GetSystem& call) {
  if (call.result == no_object) {
    return;
  }
  const bool named = call.machine != no_object && machines_[call.machine].has_value();
  systems_[call.result] = named ? *machines_[call.machine] : current();
}

void BlockHolder::take_call(const MapMachine& call) {
  machines_[call.machine] = system_of(call.system);
}

void BlockHolder::take_call(const GetMachine& call) { machines_[call.result] = current(); }

void BlockHolder::take_call(const RunTask& call) {
  if (call.runs) {
    const auto& mapped = machines_[call.machine];
    stack_.push_back(mapped ? *mapped : current());
  }
}

void BlockHolder::take_call(const StopTask& /*call*/) {
  if (stack_.size() > 1) {
    stack_.pop_back();
  }
}

void BlockHolder::take_call(const CreateTemplate& call) { targets_[call.result] = Target{}; }

void BlockHolder::take_call(const Distribute& call) {
  targets_[call.target].system = system_of(call.system);
  targets_[call.target].axes = call.axes;
}

void BlockHolder::take_call(const Redistribute& call) {
  const Slot target = call.target != no_object ? call.target : arrays_[call.array].target;
  if (target == no_object) {
    return;
  }
  Target& moved = targets_[target];
  if (call.system != no_object || !moved.system) {
    moved.system = system_of(call.system);
  }
  moved.axes = call.axes;
}

void BlockHolder::take_call(const GetTemplate& call) {
  // The template of an array may be one that the library made itself: then its array is replicated.
  if (call.result != no_object && arrays_[call.array].target == no_object) {
    targets_[call.result] = Target{};
  }
}

void BlockHolder::take_call(const CreateArray& call) { arrays_[call.result] = Placement{}; }

void BlockHolder::take_call(const Align& call) { arrays_[call.array] = placement(call.rule); }

void BlockHolder::take_call(const Realign& call) { arrays_[call.array] = placement(call.rule); }

void BlockHolder::take_call(const CreateLoop& call) { loops_[call.result] = Placement{}; }

void BlockHolder::take_call(const MapLoop& call) { loops_[call.loop] = placement(call.rule); }

}  // namespace gridcast::trace
