#include "port_members.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "gridcast/mapping/index_range.h"

namespace gridcast::network {

void PortMembers::reset(const ProcessorClasses& classes, const ClassExchange& exchange,
                        std::span<const NetworkLevel> levels, double copy_time) {
  classes_ = &classes;
  exchange_ = &exchange;
  levels_.assign(levels.begin(), levels.end());
  copy_time_ = copy_time;
  top_ = static_cast<std::uint32_t>(levels.size() - 1);
  size_ = top_ > 0 ? levels[top_ - 1].size : 1;
  along_ = classes.rank() - 1;
  while (along_ > 0 && classes.extent(along_) == 1) {
    --along_;
  }
  busy_until_ = 0.0;
  find_sizes();
  find_ways();
  cut_zones();
  find_sources();
  cut_slots();
  senders_.resize(std::max(senders_.size(), classes.size() * cuts_.size()));
  cells_.resize(std::max(cells_.size(), zones_.size() * cuts_.size()));
  sends_.clear();
  receives_.clear();
  shares_.clear();
  kinds_.clear();
  latest_.assign(classes.size(), none);
  ++generation_;
  nodes_used_ = 0;
  whole_.assign(zones_.size(), none);
  const std::int64_t nodes = top_ > 0 ? (classes.processors() + size_ - 1) / size_ : 1;
  node_of_.resize(std::max(node_of_.size(), static_cast<std::size_t>(nodes)));
  number_ports();
  find_steps();
}

void PortMembers::number_ports() {
  loads_.clear();
  loads_of_.resize(std::max(loads_of_.size(), levels_.size()));
  first_port_.assign(levels_.size(), 0);
  std::uint32_t ports = 0;
  for (std::uint32_t level = 0; level <= top_; ++level) {
    loads_of_[level].clear();
    first_port_[level] = ports;
    if (level > 0) {
      ports += 2 * static_cast<std::uint32_t>(level < top_ ? size_ / levels_[level - 1].size : 1);
    }
  }
  node_ports_ = ports;
  ports_.resize(ports * (1 + sizes_.size()));
}

void PortMembers::find_sizes() {
  std::vector<double>& sizes = sizes_.begin();
  size_of_.clear();
  first_message_.clear();
  for (std::size_t which = 0; which < classes_->size(); ++which) {
    first_message_.push_back(size_of_.size());
    for (const ClassMessage& message : exchange_->messages(which)) {
      const auto place = std::find(sizes.begin(), sizes.end(), message.bytes);
      size_of_.push_back(static_cast<std::uint32_t>(place - sizes.begin()));
      if (place == sizes.end()) {
        sizes.push_back(message.bytes);
      }
    }
  }
  sizes_.finish(levels_);
}

void PortMembers::find_ways() {
  // Around rings different numbers are one step away.
  const auto key = [&](const ClassMessage& way) {
    return exchange_->rings() ? way.offset : std::int64_t{std::bit_cast<std::uint32_t>(way.shift)};
  };
  ways_.clear();
  keys_.clear();
  for (std::size_t which = 0; which < classes_->size(); ++which) {
    for (const ClassMessage& message : exchange_->messages(which)) {
      if (std::find(keys_.begin(), keys_.end(), key(message)) == keys_.end()) {
        keys_.push_back(key(message));
        ways_.push_back(message);
      }
    }
  }
  std::sort(ways_.begin(), ways_.end(),
            [](const ClassMessage& a, const ClassMessage& b) { return a.offset > b.offset; });
  std::transform(ways_.begin(), ways_.end(), keys_.begin(), key);
  index_of_.assign(classes_->size() * ways_.size(), none);
  way_of_.clear();
  for (std::size_t which = 0; which < classes_->size(); ++which) {
    const std::span<const ClassMessage> sent = exchange_->messages(which);
    for (std::size_t i = 0; i < sent.size(); ++i) {
      const auto way = std::find(keys_.begin(), keys_.end(), key(sent[i])) - keys_.begin();
      index_of_[which * ways_.size() + static_cast<std::size_t>(way)] =
          static_cast<std::uint32_t>(i);
      way_of_.push_back(static_cast<std::uint32_t>(way));
    }
  }
}

bool PortMembers::differ(std::size_t which, std::size_t other) const {
  return !std::ranges::equal(exchange_->messages(which), exchange_->messages(other),
                             [](const ClassMessage& a, const ClassMessage& b) {
                               return a.offset == b.offset && a.bytes == b.bytes &&
                                      a.strided == b.strided;
                             });
}

void PortMembers::cut_zones() {
  for (int dim = 0; dim < classes_->rank(); ++dim) {
    const std::span<const std::int64_t> starts = classes_->starts(dim);
    const bool repeats = classes_->period(dim) > 1;
    between_.assign(starts.size(), repeats ? 1 : 0);
    for (std::size_t which = 0; !repeats && which < classes_->size(); ++which) {
      const std::size_t run = classes_->run(which, dim);
      if (run > 0 && between_[run] == 0 && differ(which, which - classes_->class_stride(dim))) {
        between_[run] = 1;
      }
    }
    std::vector<std::int64_t>& borders = borders_[static_cast<std::size_t>(dim)];
    borders.clear();
    for (std::size_t i = 1; i + 1 < starts.size(); ++i) {
      borders.push_back(starts[i]);
      if (between_[i] != 0) {
        borders.insert(borders.end(), {starts[i] - 1, starts[i] + 1});
      }
    }
  }
  zones_.assign_finer(*classes_, borders_);
  class_of_.assign(zones_.size(), 0);
  for (int dim = 0; dim < classes_->rank(); ++dim) {
    of_runs_.clear();  // classes along the dimension
    for (const ProcessorClasses::Run& run : zones_.all_runs(dim)) {
      of_runs_.push_back(static_cast<std::uint32_t>(classes_->run_of(dim, run.first) *
                                                    classes_->class_stride(dim)));
    }
    for (std::size_t zone = 0; zone < zones_.size(); ++zone) {
      class_of_[zone] += of_runs_[zones_.run(zone, dim)];
    }
  }
}

void PortMembers::find_sources() {
  sources_.clear();
  first_source_.assign(1, 0);
  for (std::size_t zone = 0; zone < zones_.size(); ++zone) {
    for (std::size_t way = 0; way < ways_.size(); ++way) {
      const std::size_t sender = sender_of(zone, ways_[way]);
      if (sender == ProcessorClasses::nowhere) {
        continue;
      }
      const std::size_t from = class_of_[sender];
      if (const std::uint32_t index = index_of_[from * ways_.size() + way]; index != none) {
        sources_.push_back({way, from, index});
      }
    }
    first_source_.push_back(sources_.size());
  }
}

std::size_t PortMembers::sender_of(std::size_t zone, const ClassMessage& way) const {
  if (exchange_->rings()) {
    const std::int64_t sender = zones_.first_of(zone) - way.offset;
    const bool is_there = sender >= 0 && sender < zones_.processors();
    return is_there ? zones_.class_of(sender) : ProcessorClasses::nowhere;
  }
  std::size_t from = zone;
  for (int dim = 0; dim < zones_.rank(); ++dim) {
    const std::int8_t shift = way.shift[static_cast<std::size_t>(dim)];
    if (shift == 0) {
      continue;
    }
    // The first coordinate of a run stands for all.
    const ProcessorClasses::Run& own = zones_.coordinates(zone, dim);
    const std::size_t beside = shift > 0 ? own.below : own.above;
    if (beside == ProcessorClasses::nowhere) {
      return ProcessorClasses::nowhere;
    }
    from += (beside - zones_.run(zone, dim)) * zones_.class_stride(dim);
  }
  return from;
}

/// Networks of a message, and those of what its sender sends before it, depend on the place of the
/// processor in its node only.
void PortMembers::cut_slots() {
  slot_of_.assign(static_cast<std::size_t>(size_), 0);  // 1: one begins there
  const auto cut = [this](std::int64_t border, std::int64_t size) {
    std::int64_t place = border - mapping::floor_div(border, size) * size;
    for (; place < size_; place += size) {
      slot_of_[static_cast<std::size_t>(place)] = 1;
    }
  };
  const auto cut_levels = [&](std::int64_t border) {
    for (std::uint32_t level = 0; level < top_; ++level) {
      cut(border, levels_[level].size);
    }
  };
  // What goes so far takes the top network from every place.
  const auto far = [this](const ClassMessage& way) { return std::abs(way.offset) >= size_; };
  slot_of_[0] = 1;
  cut_levels(0);
  for (const ClassMessage& way : ways_) {
    bool shares = false;  // its sender's own port, with what is sent later, or with itself
    for (const ClassMessage& other : ways_) {
      if (!far(other) && (!far(way) || other.offset < way.offset)) {
        shares = true;
        cut_levels(way.offset - other.offset);
      }
    }
    if (far(way)) {
      cut(way.offset, size_);
    } else {
      cut_levels(-way.offset);
    }
    if (shares) {
      cut_levels(way.offset);
    }
  }
  cuts_.clear();
  for (std::int64_t place = 0; place < size_; ++place) {
    std::uint32_t& slot = slot_of_[static_cast<std::size_t>(place)];
    if (slot != 0) {
      cuts_.push_back(place);
    }
    slot = size_of(cuts_) - 1;
  }
  member_of_.clear();
  for (const std::int64_t place : cuts_) {
    for (std::uint32_t level = 0; level < top_; ++level) {
      member_of_.push_back(static_cast<std::uint32_t>(place / levels_[level].size));
    }
  }
}

std::uint32_t PortMembers::level_to(std::size_t slot, std::int64_t place) const noexcept {
  if (place < 0 || place >= size_) {
    return top_;
  }
  const std::uint32_t* const own = member_of_.data() + slot * top_;
  const std::uint32_t* const other =
      member_of_.data() + std::size_t{slot_of_[static_cast<std::size_t>(place)]} * top_;
  std::uint32_t level = 0;
  while (level < top_ && own[level] != other[level]) {
    ++level;
  }
  return level;
}

void PortMembers::find_steps() {
  around_.assign(1, 0);
  steps_.resize(cuts_.size() * ways_.size());
  for (std::size_t i = 0; i < ways_.size(); ++i) {
    const std::int64_t offset = ways_[i].offset;
    const std::int64_t nodes = mapping::floor_div(-offset, size_);  // to the first place's sender
    for (std::size_t slot = 0; slot < cuts_.size(); ++slot) {
      const std::int64_t place = cuts_[slot];
      Step& step = steps_[slot * ways_.size() + i];
      step.level = level_to(slot, place + offset);
      step.out = port_at(slot, step.level, Way::out);
      std::int64_t node = nodes;
      std::int64_t from = place - offset - node * size_;
      if (from >= size_) {
        ++node;
        from -= size_;
      }
      step.slot = slot_of_[static_cast<std::size_t>(from)];
      step.in = port_at(slot, level_to(step.slot, from + offset), Way::in);
      if (top_ == 0) {
        continue;  // processors that are nodes themselves have no loads
      }
      const auto near = std::find(around_.begin(), around_.end(), node);
      step.node = static_cast<std::uint32_t>(near - around_.begin());
      if (near == around_.end()) {
        around_.push_back(node);
      }
    }
  }
}

// --- what processors do
// ----------------------------------------------------------------------------------------------

void PortMembers::send(std::size_t which, std::size_t slot, Sender& sender) {
  const std::span<const ClassMessage> messages = exchange_->messages(which);
  for (const ClassMessage& message : messages) {
    sender.prepared += message.strided * copy_time_;
  }
  sender.sends.begin = size_of(sends_);
  for (std::size_t i = first_message_[which]; i < first_message_[which] + messages.size(); ++i) {
    const Step& step = step_at(slot, way_of_[i]);
    Pass& pass = sends_.emplace_back();
    pass.level = step.level;
    pass.port = step.out;
    pass.size = size_of_[i];
    const machine::Network& network = levels_[step.level].network;
    sender.prepared += network.send_time;
    pass.ready = sender.prepared;
    pass.alone = pass.ready + sizes_.time(step.level, pass.size);
    pass.start = network.start_of(sizes_.bytes(pass.size));
    pass.cost = network.receive_time;
  }
  sender.sends.end = size_of(sends_);
  share_own(std::span(sends_).subspan(sender.sends.begin));
  for (const Pass& pass : part_of(sends_, sender.sends)) {
    sender.sent = std::max(sender.sent, pass.alone);
  }
}

void PortMembers::share_own(std::span<Pass> passes) {
  double begin = HUGE_VAL;
  own_.assign(2 * sizes_.size(), 0.0);
  for (const Pass& pass : passes) {
    if (pass.level == 0) {
      begin = std::min(begin, pass.ready);
      own_[pass.size] += 1.0;
    }
  }
  if (!(begin < HUGE_VAL)) {
    return;
  }
  const auto through = std::span(own_).subspan(sizes_.size());
  enter(0, begin, std::span(own_).first(sizes_.size()), through);
  for (Pass& pass : passes) {
    if (pass.level == 0) {
      pass.alone = std::max(pass.alone, through[pass.size]);
    }
  }
}

void PortMembers::receive(std::size_t zone, std::size_t slot, Cell& cell) {
  cell.sender = &sender_at(class_of_[zone], slot);
  cell.overhead = cell.sender->prepared;
  cell.receives.begin = size_of(receives_);
  for (std::size_t i = first_source_[zone]; i < first_source_[zone + 1]; ++i) {
    const Source& source = sources_[i];
    const Step& step = step_at(slot, source.way);
    const Sender& from = sender_at(source.from, step.slot);
    Pass& pass = receives_.emplace_back(sends_[from.sends.begin + source.index]);
    pass.from = step.node * node_ports_ + std::exchange(pass.port, step.in);
    cell.overhead += pass.cost;
    cell.unpacking += exchange_->messages(source.from)[source.index].strided * copy_time_;
  }
  cell.overhead += cell.unpacking;
  cell.receives.end = size_of(receives_);
  share_own(std::span(receives_).subspan(cell.receives.begin));
  cell.shares.begin = size_of(shares_);
  share_ports(part_of(sends_, cell.sender->sends));
  cell.receiving = size_of(shares_);
  share_ports(part_of(receives_, cell.receives));
  cell.shares.end = size_of(shares_);
}

void PortMembers::share_ports(std::span<const Pass> passes) {
  const std::size_t begin = shares_.size();
  for (const Pass& pass : passes) {
    if (pass.level == 0) {
      continue;
    }
    const auto same = std::find_if(
        shares_.begin() + static_cast<std::ptrdiff_t>(begin), shares_.end(),
        [&](const Share& share) { return share.port == pass.port && share.size == pass.size; });
    if (same == shares_.end()) {
      shares_.push_back({pass.port, pass.size, pass.ready, 1.0});
    } else {
      same->ready = std::min(same->ready, pass.ready);
      same->count += 1.0;
    }
  }
}

}  // namespace gridcast::network
