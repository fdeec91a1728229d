/// Shadow edges, reductions and broadcasts; bound_copies.cpp has what copies.

#include "bound_transfers.h"

#include <algorithm>
#include <cmath>

#include "gridcast/network/networks.h"

namespace gridcast::model {

using machine::NetworkType;

BoundTransfers::BoundTransfers(BoundMapping& mapping, const TransferBuilder& needs)
    : mapping_(&mapping), needs_(&needs), streams_(mapping), run_(mapping) {
  times_.resize(mapping.script().tables().communications.size());
}

void BoundTransfers::reset(std::span<const std::int64_t> candidates) {
  candidates_.assign(candidates.begin(), candidates.end());
  for (BoundTimes& times : times_) {
    times.ready = false;
  }
}

const BoundTimes& BoundTransfers::times(std::uint32_t communication) {
  BoundTimes& result = times_[communication];
  if (result.ready) {
    return result;
  }
  result.reset(candidates_.size());
  const Script& script = mapping_->script();
  const auto& tables = script.tables();
  const CommunicationSpec& spec = tables.communications[communication];
  if (shape().processors == 1 || spec.view != 0) {
    return result;
  }
  streams_.clear();
  const auto parts = script.part_ids(spec.parts);
  switch (spec.kind) {
    case CommunicationSpec::Kind::nothing:
      break;
    case CommunicationSpec::Kind::shadow:
      shadow(spec, false, result);
      break;
    case CommunicationSpec::Kind::old_values:
      shadow(spec, true, result);
      break;
    case CommunicationSpec::Kind::reduction:
      if (mapping_->options().reduction == ReductionKind::linear) {  // trees are not bounded
        reduction(spec, result);
      }
      break;
    // Further parts only add messages or bytes to those of each part.
    case CommunicationSpec::Kind::move:
      for (const std::uint32_t part : parts) {
        move(tables.move_parts[part], result);
      }
      break;
    case CommunicationSpec::Kind::copy:
      for (const std::uint32_t part : parts) {
        copy(tables.copy_parts[part], result);
      }
      break;
    case CommunicationSpec::Kind::remote:
      for (const std::uint32_t part : parts) {
        remote(tables.remote_parts[part], result);
      }
      break;
  }
  return result;
}

const BoundTimes& BoundTransfers::broadcast(double bytes) {
  broadcast_.reset(candidates_.size());
  if (shape().processors > 1 && bytes > 0.0) {
    streams_.clear();
    fan(0, everybody(), bytes, nullptr, broadcast_);  // networks may not be idle: formulas do
  }
  return broadcast_;
}

// --- functions of the coordinates
// ------------------------------------------------------------------------

const StepFunction& BoundTransfers::indicator(const StepFunction& function) {
  StepFunction& result = streams_.function();
  result.clear(function.extent());
  for (const StepFunction::Run& run : function.runs()) {
    result.append(run.begin, run.value > 0.0 ? 1.0 : 0.0);
  }
  return result;
}

const StepFunction& BoundTransfers::only_at(std::int64_t extent, std::int64_t coordinate) {
  StepFunction& result = streams_.function();
  result.clear(extent);
  result.append(0, coordinate == 0 ? 1.0 : 0.0);
  if (coordinate > 0) {
    result.append(coordinate, 1.0);
  }
  if (coordinate + 1 < extent) {
    result.append(coordinate + 1, 0.0);
  }
  return result;
}

BoundTransfers::Factors BoundTransfers::everybody() {
  Factors all{};
  for (std::size_t j = 0; j < static_cast<std::size_t>(shape().rank); ++j) {
    StepFunction& one = streams_.function();
    one.clear(shape().extents[j]);
    one.append(0, 1.0);
    all[j] = &one;
  }
  return all;
}

// --- shadow edges
// ----------------------------------------------------------------------------------------

namespace {

/// Whether iterations a step away come earlier: the outermost loop dimension that it follows
/// decides.
bool runs_earlier(const GridBlocks& loop, int rank,
                  const std::array<int, machine::max_grid_rank>& step) {
  int outermost = -1;
  for (int j = 0; j < rank; ++j) {
    if (step[static_cast<std::size_t>(j)] != 0 && loop.cuts(j) &&
        (outermost < 0 || loop.dimension(j) < loop.dimension(outermost))) {
      outermost = j;
    }
  }
  return outermost >= 0 &&
         (step[static_cast<std::size_t>(outermost)] < 0) == loop.ascending(outermost);
}

}  // namespace

void BoundTransfers::shadow(const CommunicationSpec& spec, bool old_values, BoundTimes& result) {
  const Script& script = mapping_->script();
  const GridBlocks* loop = old_values ? mapping_->blocks(spec.placement) : nullptr;
  if (old_values && loop == nullptr) {
    return;
  }
  const int rank = shape().rank;
  for (const std::uint32_t id : script.part_ids(spec.parts)) {
    const ShadowPart& part = script.tables().shadow_parts[id];
    const GridBlocks* array = mapping_->blocks(part.placement);
    if (array == nullptr || !array->product() || array->fully_replicated()) {
      continue;
    }
    // What a processor sends along each dimension: nothing (its whole extent), down, up.
    std::array<std::array<const StepFunction*, 3>, machine::max_grid_rank> bytes{};
    std::array<std::array<const StepFunction*, 3>, machine::max_grid_rank> counts{};
    for (int j = 0; j < rank; ++j) {
      const auto index = static_cast<std::size_t>(j);
      const StepFunction& sizes = array->sizes(j);
      bytes[index][1] = &sizes;
      counts[index][1] = &indicator(sizes);
      if (!array->cuts(j)) {
        continue;
      }
      const auto dim = static_cast<std::size_t>(array->dimension(j));
      for (const int shift : {-1, 1}) {
        const bool to_left = (shift < 0) == array->ascending(j);
        const auto width = static_cast<double>(script.ints(to_left ? part.high : part.low)[dim]);
        StepFunction& edge = streams_.function();
        edge.derive(sizes, [&](std::int64_t q) {
          const std::int64_t there = q + shift;
          const bool exists = there >= 0 && there < sizes.extent() && sizes.value(there) > 0.0;
          return exists ? std::min(width, sizes.value(q)) : 0.0;
        });
        bytes[index][static_cast<std::size_t>(shift + 1)] = &edge;
        counts[index][static_cast<std::size_t>(shift + 1)] = &indicator(edge);
      }
    }
    // All steps of at most one along the cutting dimensions.
    int steps = 1;
    for (int j = 0; j < rank; ++j) {
      steps *= 3;
    }
    for (int code = 0; code < steps; ++code) {
      std::array<int, machine::max_grid_rank> step{};
      Factors edge{};
      Factors count{};
      std::int64_t moved = 0;
      bool possible = true;
      int rest = code;
      for (std::size_t j = static_cast<std::size_t>(rank); j-- > 0;) {
        const auto choice = static_cast<std::size_t>(rest % 3);
        rest /= 3;
        step[j] = static_cast<int>(choice) - 1;
        edge[j] = bytes[j][choice];
        count[j] = counts[j][choice];
        possible = possible && edge[j] != nullptr;
        moved += step[j] != 0 ? 1 : 0;
      }
      // Old values go towards processors whose iterations come earlier.
      possible = possible && (!old_values || runs_earlier(*loop, rank, step));
      if (possible && moved > 0 && moved <= part.tuple_limit) {
        streams_.add({step.data(), static_cast<std::size_t>(rank)},
                     static_cast<double>(part.element_size) * array->uncut(), edge, count);
      }
    }
  }
  streams_.times(candidates_, result);
}

// --- one to many
// -----------------------------------------------------------------------------------------

double BoundTransfers::fan_time(const machine::Network& network, std::int64_t root,
                                const Factors& members, double count, double bytes) const {
  if (network.type != NetworkType::transputer) {
    return std::ceil(count / static_cast<double>(network.channels)) *
           (network.start_time + bytes * network.byte_time);
  }
  if (!mapping_->machine().flat()) {
    return network.start_time + bytes * network.byte_time;  // over one link; more take longer
  }
  // The farthest member is in a corner of the box of members.
  const GridShape::Coordinates at = shape().coordinates(root);
  std::int64_t distance = 0;
  for (std::size_t j = 0; j < static_cast<std::size_t>(shape().rank); ++j) {
    distance += std::max(std::abs(members[j]->first_positive() - at[j]),
                         std::abs(members[j]->last_positive() - at[j]));
  }
  return network::pipelined_message_time(distance, bytes, network.start_time, network.byte_time);
}

void BoundTransfers::fan(std::int64_t root, const Factors& members, double bytes,
                         const BoundTimes* before, BoundTimes& result) {
  const double offset = before == nullptr ? 0.0 : before->last;
  const double offset_top = before == nullptr ? 0.0 : before->last_top;
  const BoundMachine& machine = mapping_->machine();
  const ProductForm member(shape(), 1.0, members);
  if (!(member.total() > 0.0)) {
    return;
  }
  // Level by level, the members under the same network as the root, without those nearer to it.
  std::int64_t near_begin = root;
  std::int64_t near_end = root + 1;
  for (std::int32_t level = machine.system().levels; level-- > 0;) {
    const std::uint32_t id = machine.above(root, level);
    if (id == machine::ProcessorSystem::no_network) {
      continue;
    }
    const BoundMachine::Part& part = machine.part(id);
    const std::int64_t end = std::min(part.end, shape().processors);
    const double nearer = member.prefix(near_end) - member.prefix(near_begin);
    const double first = member.prefix(part.begin);
    const double count = member.prefix(end) - first - nearer;
    if (count > 0.0) {
      const machine::Network& network = machine.network(id);
      const double one = network.start_time + bytes * network.byte_time;
      const bool links = network.type == NetworkType::transputer;
      const double spent = fan_time(network, root, members, count, bytes);
      const double all = offset + spent;
      result.raise_last(all, all);
      result.last_top = id == mapping_->top() ? offset_top + spent : result.last_top;
      for (std::size_t i = 0; i < candidates_.size(); ++i) {
        const std::int64_t p = candidates_[i];
        const bool here = p >= part.begin && p < end && (p < near_begin || p >= near_end);
        if (!here || !(member.at(p) > 0.0)) {
          continue;
        }
        const double before = member.prefix(p) - first - (p >= near_end ? nearer : 0.0);
        const double turn = std::floor(before / static_cast<double>(network.channels)) + 1.0;
        result.raise(i, links ? all : offset + turn * one, links ? all : offset + one);
        result.own_top[i] = id == mapping_->top() && !links ? offset_top + turn * one : 0.0;
      }
    }
    near_begin = part.begin;
    near_end = end;
  }
  const auto at_root = std::find(candidates_.begin(), candidates_.end(), root);
  if (at_root != candidates_.end()) {
    const auto i = static_cast<std::size_t>(at_root - candidates_.begin());
    result.raise(i, result.last, result.last_shared);
    result.own_top[i] = result.last_top;
  }
}

void BoundTransfers::run_fan(std::int64_t root, const Factors* gathered, const Factors& members,
                             double bytes, BoundTimes& result) {
  // Formulas are exact on channels and on a flat grid of links.
  const BoundMachine& machine = mapping_->machine();
  bool exact = true;
  for (std::int32_t level = 0; level < machine.system().levels; ++level) {
    const std::uint32_t id = machine.above(root, level);
    exact = exact && (id == machine::ProcessorSystem::no_network ||
                      machine.network(id).type != NetworkType::transputer);
  }
  if (exact || machine.flat() || !run_.pays(2.0 * static_cast<double>(shape().processors))) {
    return;
  }
  auto& transfers = run_.list().transfers;
  const auto list = [&](const Factors& factors, bool to_root) {
    const ProductForm form(shape(), 1.0, factors);
    const auto end = static_cast<std::uint32_t>(root);
    for (std::int64_t p = 0; p < shape().processors; ++p) {
      if (p != root && form.at(p) > 0.0) {
        const auto number = static_cast<std::uint32_t>(p);
        transfers.push_back({to_root ? number : end, to_root ? end : number, bytes});
      }
    }
    run_.end_phase();
  };
  if (gathered != nullptr) {
    list(*gathered, true);
  }
  list(members, false);
  run_.run(candidates_, result);
}

void BoundTransfers::reduction(const CommunicationSpec& spec, BoundTimes& result) {
  const GridBlocks* loop = mapping_->blocks(spec.placement);
  if (loop == nullptr || !loop->product() || loop->fully_replicated() || !loop->anywhere() ||
      !(spec.bytes > 0.0)) {
    return;
  }
  const BoundMachine& machine = mapping_->machine();
  if (machine.flat() && machine.network(0).type == NetworkType::transputer) {
    double distance = 0.0;
    double corner = 0.0;
    for (int j = 0; j < shape().rank; ++j) {
      if (!loop->replicated(j)) {
        const double used = indicator(loop->sizes(j)).total();
        distance += std::floor(used / 2.0);
        corner += static_cast<double>(loop->sizes(j).extent()) - used;
      }
    }
    const machine::Network& links = machine.network(0);
    const double time =
        (links.start_time + links.byte_time * spec.bytes) * (2.0 * distance + corner);
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      result.raise(i, time, time);
    }
    result.raise_last(time, time);
    return;
  }
  // One representative of each group that holds the same iterations; the first is the root.
  Factors representatives{};
  GridShape::Coordinates first{};
  for (int j = 0; j < shape().rank; ++j) {
    const auto index = static_cast<std::size_t>(j);
    const StepFunction& sizes = loop->sizes(j);
    first[index] = sizes.first_positive();
    representatives[index] =
        loop->cuts(j) ? &indicator(sizes) : &only_at(sizes.extent(), first[index]);
  }
  const std::int64_t root = shape().number(first);
  part_.reset(candidates_.size());
  fan(root, representatives, spec.bytes, nullptr, part_);
  // All others get the result after the last message of the gathering.
  const Factors all = everybody();
  fan(root, all, spec.bytes, &part_, result);
  run_fan(root, &representatives, all, spec.bytes, result);
}

}  // namespace gridcast::model
