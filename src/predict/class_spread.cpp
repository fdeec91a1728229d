#include "class_spread.h"

#include <algorithm>

#include "gridcast/base/floor_sums.h"
#include "gridcast/network/networks.h"

namespace gridcast::model {

using mapping::AxisRule;
using mapping::IndexRange;
using mapping::StridedRange;

// --- what is a spread
// ----------------------------------------------------------------------------------------------

std::vector<std::uint32_t> SpreadFinder::placements() const {
  const Script& script = mapping_->script();
  const auto& tables = script.tables();
  const CommunicationSpec& spec = tables.communications[communication_];
  const std::span<const std::uint32_t> parts = script.part_ids(spec.parts);
  if (parts.size() != 1 || spec.view != 0) {
    return {};
  }
  if (spec.kind == CommunicationSpec::Kind::copy) {
    const CopyPart& part = tables.copy_parts[parts.front()];
    return part.from == none ? std::vector<std::uint32_t>{}
           : part.to == none ? std::vector<std::uint32_t>{part.from}
                             : std::vector<std::uint32_t>{part.from, part.to};
  }
  const RemotePart& part = tables.remote_parts[parts.front()];
  if (part.reader == none) {
    return part.view == 0 ? std::vector<std::uint32_t>{part.array} : std::vector<std::uint32_t>{};
  }
  for (const AxisRule& rule : script.rules(part.needs)) {
    if (rule.kind == AxisRule::Kind::linear) {
      return {};  // readers need different sections
    }
  }
  return {part.array, part.reader};
}

bool SpreadFinder::find(Spread& spread) const {
  const Script& script = mapping_->script();
  const CommunicationSpec& spec = script.tables().communications[communication_];
  const std::uint32_t part = script.part_ids(spec.parts).front();
  spread = Spread{};
  return spec.kind == CommunicationSpec::Kind::copy
             ? copy(script.tables().copy_parts[part], spread)
             : remote(script.tables().remote_parts[part], spread);
}

bool SpreadFinder::copy(const CopyPart& part, Spread& spread) const {
  const Script& script = mapping_->script();
  const std::span<const std::int64_t> source = script.ints(part.from_section);
  Needs needs;
  double elements = 1.0;
  for (std::size_t i = 0; i < source.size(); i += 3) {
    const StridedRange all{source[i], source[i + 1], source[i + 2]};
    needs[i / 3] = all.step > 0
                       ? all
                       : StridedRange{all.first + all.step * (all.count - 1), -all.step, all.count};
    elements *= static_cast<double>(all.count);
  }
  const ClassLayout* to = nullptr;
  if (part.to != none) {
    to = &mapping_->layout(part.to);
    const bool cut =
        std::any_of(to->dims.begin(), to->dims.end(), [](int dim) { return dim >= 0; });
    const std::span<const std::int64_t> target = script.ints(part.to_section);
    for (std::size_t dim = 0; dim * 3 < target.size(); ++dim) {
      // What lies beyond the array is not written.
      const StridedRange section{target[dim * 3], target[dim * 3 + 1], target[dim * 3 + 2]};
      if (cut || section.step <= 0 ||
          section.positions_in({0, to->extents[dim]}).size() != section.count) {
        return false;
      }
    }
  }
  spread.bytes = elements * static_cast<double>(part.element_size);
  return !(elements > 0.0) ||
         (receivers(to, spread) && senders(mapping_->layout(part.from), needs, spread));
}

bool SpreadFinder::remote(const RemotePart& part, Spread& spread) const {
  const ClassLayout& from = mapping_->layout(part.array);
  const std::span<const AxisRule> rules = mapping_->script().rules(part.needs);
  Needs needs;
  double elements = 1.0;
  for (std::size_t dim = 0; dim < rules.size(); ++dim) {
    const std::int64_t extent = from.extents[dim];
    const std::int64_t at = rules[dim].constant;
    needs[dim] = rules[dim].kind == AxisRule::Kind::constant
                     ? StridedRange{at, 1, at >= 0 && at < extent ? 1 : 0}
                     : StridedRange{0, 1, extent};
    elements *= static_cast<double>(needs[dim].count);
  }
  spread.bytes = elements * static_cast<double>(part.element_size);
  const ClassLayout* const reader = part.reader == none ? nullptr : &mapping_->layout(part.reader);
  return !(elements > 0.0) || (receivers(reader, spread) && senders(from, needs, spread));
}

bool SpreadFinder::receivers(const ClassLayout* layout, Spread& spread) const {
  const ProcessorClasses& classes = mapping_->classes();
  spread.reads = true;
  if (layout != nullptr) {
    spread.reads = std::all_of(layout->extents.begin(), layout->extents.end(),
                               [](std::int64_t extent) { return extent > 0; });
  }
  for (int j = 0; j < classes.rank(); ++j) {
    const auto at = static_cast<std::size_t>(j);
    spread.hi[at] = classes.extent(j);
    if (layout != nullptr && layout->cuts[at].active()) {
      const AxisCut& cut = layout->cuts[at];
      spread.lo[at] = cut.first();
      spread.hi[at] = cut.end();
      spread.reads = spread.reads && cut.holders() > 0;
      if (cut.holders() != cut.end() - cut.first()) {
        return false;  // some between them hold nothing
      }
    }
  }
  return true;
}

bool SpreadFinder::senders(const ClassLayout& from, const Needs& needs, Spread& spread) const {
  const ProcessorClasses& classes = mapping_->classes();
  if (!spread.reads) {
    return true;
  }
  spread.sends = true;
  for (int j = 0; j < classes.rank(); ++j) {
    const auto at = static_cast<std::size_t>(j);
    const AxisCut& cut = from.cuts[at];
    if (!cut.active()) {
      continue;
    }
    if (cut.holders() == 0) {
      spread.sends = false;  // nobody has it
      return true;
    }
    if (cut.dim() < 0) {
      if (cut.holders() == 1) {
        spread.fixed[at] = true;
        spread.at[at] = cut.first();
      } else if (cut.holders() != cut.end() - cut.first() || spread.lo[at] < cut.first() ||
                 spread.hi[at] > cut.end()) {
        return false;
      }
      continue;
    }
    const StridedRange& need = needs[static_cast<std::size_t>(cut.dim())];
    const IndexRange hull = need.hull();
    const std::int64_t q = cut.coordinate_of(hull.lo);
    if (q < 0 || hull.hi > cut.range(q).hi) {
      return false;  // several have a part of it
    }
    spread.fixed[at] = true;
    spread.at[at] = q;
  }
  return true;
}

// --- when it ends
// ----------------------------------------------------------------------------------------------

double SpreadEnds::end(const Part& part, std::int64_t number) const noexcept {
  return fixed_time_ ? length_
                     : part.base + whole_quotient(number + channels_ - 1, channels_) * length_;
}

void SpreadEnds::measure(const Spread& spread, bool by_sender) {
  // Receivers of one sender follow each other, and so do the senders: each its own mixed radix.
  per_sender_ = 1;
  bool inside = true;
  for (int j = classes_->rank(); j-- > 0;) {
    const auto at = static_cast<std::size_t>(j);
    if (spread.fixed[at]) {
      steps_[at] = per_sender_;
      per_sender_ *= spread.hi[at] - spread.lo[at];
      inside = inside && spread.lo[at] <= spread.at[at] && spread.at[at] < spread.hi[at];
    }
  }
  per_sender_ -= inside ? 1 : 0;
  std::int64_t step = per_sender_;
  for (int j = by_sender ? 0 : classes_->rank(); j-- > 0;) {
    const auto at = static_cast<std::size_t>(j);
    if (!spread.fixed[at]) {
      steps_[at] = step;
      step *= spread.hi[at] - spread.lo[at];
    }
  }
}

void SpreadEnds::add_part(std::size_t which, const Spread& spread) {
  Part part;
  part.sender = part.receiver = true;
  int after = 0;  // where the fixed coordinates are, seen from the sender
  bool sender_inside = true;
  for (int j = 0; j < classes_->rank(); ++j) {
    const auto at = static_cast<std::size_t>(j);
    const std::size_t run = classes_->run(which, j);
    const std::int64_t x = classes_->starts(j)[run];
    part.first[at] = x;
    part.count[at] = classes_->starts(j)[run + 1] - x;
    const bool within = spread.lo[at] <= x && x < spread.hi[at];
    part.receiver = part.receiver && within;
    if (spread.fixed[at]) {
      part.sender = part.sender && x == spread.at[at];
      sender_inside =
          sender_inside && spread.lo[at] <= spread.at[at] && spread.at[at] < spread.hi[at];
      after = after != 0 ? after : x < spread.at[at] ? -1 : x > spread.at[at] ? 1 : 0;
    } else {
      part.sender = part.sender && within;
    }
  }
  part.receiver = part.receiver && !part.sender;
  part.lowest = part.sender ? per_sender_ : after > 0 && sender_inside ? 0 : 1;
  for (int j = 0; j < classes_->rank(); ++j) {
    const auto at = static_cast<std::size_t>(j);
    part.steps[at] = part.sender && spread.fixed[at] ? 0 : steps_[at];
    if (part.steps[at] != 0) {
      part.lowest += part.steps[at] * (part.first[at] - spread.lo[at]);
    }
  }
  part.highest = part.lowest;
  for (std::size_t at = 0; at < part.steps.size(); ++at) {
    part.highest += part.steps[at] * (part.count[at] - 1);
  }
  if (!part.sender && !part.receiver) {
    part.lowest = part.highest = 0;
    part.steps = {};
  }
  parts_.push_back(part);
}

/// The k-th message of a sender leaves k - 1 times the longer of TSend and d after the first, which
/// leaves after TSend (docs/model.md §4).
void SpreadEnds::pay_ports(std::size_t which, Part& part, const machine::Network& ports,
                           double bytes) {
  const double length = std::max(ports.gap, bytes * ports.byte_time);
  part.base = ports.send_time + length - length_;
  if (part.receiver) {
    part.base += ports.start_time + ports.receive_time;
  }
  set_overhead(which, part.sender     ? static_cast<double>(per_sender_) * ports.send_time
                      : part.receiver ? ports.receive_time
                                      : 0.0);
}

void SpreadEnds::work_out(const ProcessorClasses& classes, const Spread& spread,
                          const machine::Network& network) {
  classes_ = &classes;
  steps_ = {};
  ports_ = network.type == machine::NetworkType::ports;
  measure(spread, ports_);
  if (!spread.sends || per_sender_ == 0 || !(spread.bytes > 0.0)) {
    silent_ = true;
    return;
  }
  start(classes.size());
  channels_ = ports_ ? 1 : network.channels;
  length_ = ports_ ? std::max({network.gap, spread.bytes * network.byte_time, network.send_time})
                   : network.start_time + spread.bytes * network.byte_time;
  fixed_time_ = network.type == machine::NetworkType::transputer;
  if (fixed_time_) {
    occupies_ = false;
    std::int64_t farthest = 0;
    for (int j = 0; j < classes.rank(); ++j) {
      const auto at = static_cast<std::size_t>(j);
      if (spread.fixed[at]) {
        farthest += std::max(std::abs(spread.at[at] - spread.lo[at]),
                             std::abs(spread.hi[at] - 1 - spread.at[at]));
      }
    }
    length_ = network::pipelined_message_time(farthest, spread.bytes, network.start_time,
                                              network.byte_time);
  }
  parts_.clear();
  total_ = 0.0;
  for (std::size_t which = 0; which < classes.size(); ++which) {
    add_part(which, spread);
    Part& part = parts_.back();
    const bool takes_part = part.sender || part.receiver;
    if (ports_) {
      pay_ports(which, part, network, spread.bytes);
    }
    least_[which] = takes_part ? end(part, part.lowest) : 0.0;
    most_[which] = takes_part ? end(part, part.highest) : 0.0;
    total_ += sum(which);
  }
  find_last();
}

template <class F>
void SpreadEnds::for_each_row(const Part& part, F&& f) const {
  const int along = classes_->rank() - 1;
  std::int64_t rows = 1;
  for (int j = 0; j < along; ++j) {
    rows *= part.count[static_cast<std::size_t>(j)];
  }
  for (std::int64_t row = 0; row < rows; ++row) {
    std::int64_t rest = row;
    std::int64_t number = part.lowest;
    for (int j = along; j-- > 0;) {
      const auto at = static_cast<std::size_t>(j);
      number += rest % part.count[at] * part.steps[at];
      rest /= part.count[at];
    }
    f(number, part.count[static_cast<std::size_t>(along)],
      part.steps[static_cast<std::size_t>(along)]);
  }
}

double SpreadEnds::sum_of(std::size_t which) const {
  const double members = classes_->members()[which];
  if (least_[which] == most_[which]) {
    return members * most_[which];
  }
  if (channels_ == 1) {
    return members * 0.5 * (least_[which] + most_[which]);
  }
  double rounds = 0.0;
  for_each_row(parts_[which], [&](std::int64_t first, std::int64_t count, std::int64_t step) {
    rounds += floor_sum(count, first + channels_ - 1, step, channels_);
  });
  return rounds * length_;
}

EndsBelow SpreadEnds::below(std::size_t which, double limit) const {
  EndsBelow result;
  const double members = classes_->members()[which];
  if (most_[which] < limit) {
    return {members, sum(which)};
  }
  if (least_[which] >= limit) {
    return result;
  }
  const Part& part = parts_[which];
  for_each_row(part, [&](std::int64_t first, std::int64_t count, std::int64_t step) {
    // Ends do not descend along a row: the last one below is found by halving.
    std::int64_t low = 0;
    std::int64_t high = count;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (end(part, first + middle * step) < limit) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    result.count += static_cast<double>(low);
    result.sum += static_cast<double>(low) * part.base +
                  length_ * floor_sum(low, first + channels_ - 1, step, channels_);
  });
  return result;
}

double SpreadEnds::end_of(std::size_t which, const ProcessorClasses::Indices& at,
                          std::int64_t) const {
  const Part& part = parts_[which];
  if (least_[which] == most_[which]) {
    return most_[which];
  }
  std::int64_t number = part.lowest;
  for (std::size_t j = 0; j < at.size(); ++j) {
    number += part.steps[j] * (at[j] - part.first[j]);
  }
  return end(part, number);
}

}  // namespace gridcast::model
