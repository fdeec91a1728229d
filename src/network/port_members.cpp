#include "port_members.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <numeric>

#include "gridcast/network/message_time.h"

namespace gridcast::network {
namespace {

std::int64_t quotient_below(std::int64_t a, std::int64_t n) noexcept {
  return a >= 0 ? a / n : -((-a + n - 1) / n);
}

std::int64_t rest_of(std::int64_t a, std::int64_t n) noexcept {
  const std::int64_t rest = a % n;
  return rest < 0 ? rest + n : rest;
}

}  // namespace

void PortMembers::Passing::reset(std::size_t sizes) {
  begin = HUGE_VAL;
  seconds = 0.0;
  counts.assign(sizes, 0.0);
}

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
  find_sources();
  cut_slots();
  cells_.assign(classes.size() * cuts_.size(), Cell{});
  passes_.clear();
  ++generation_;
  nodes_used_ = 0;
  const std::int64_t nodes = top_ > 0 ? (classes.processors() + size_ - 1) / size_ : 1;
  node_of_.resize(std::max(node_of_.size(), static_cast<std::size_t>(nodes)));
  members_.resize(std::max<std::size_t>(members_.size(), top_));
  for (std::size_t level = 1; level < top_; ++level) {
    members_[level].resize(static_cast<std::size_t>(size_ / levels_[level - 1].size));
  }
}

void PortMembers::find_sizes() {
  sizes_.clear();
  size_of_.clear();
  first_message_.clear();
  for (std::size_t which = 0; which < classes_->size(); ++which) {
    first_message_.push_back(size_of_.size());
    for (const ClassMessage& message : exchange_->messages(which)) {
      const auto place = std::find(sizes_.begin(), sizes_.end(), message.bytes);
      size_of_.push_back(static_cast<std::uint32_t>(place - sizes_.begin()));
      if (place == sizes_.end()) {
        sizes_.push_back(message.bytes);
      }
    }
  }
  lengths_.clear();
  order_.resize(std::max(order_.size(), levels_.size()));
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    for (const double bytes : sizes_) {
      lengths_.push_back(port_time(levels_[level].network, bytes));
    }
    const auto lengths = std::span(lengths_).last(sizes_.size());
    order_[level].resize(sizes_.size());
    std::iota(order_[level].begin(), order_[level].end(), 0U);
    std::sort(order_[level].begin(), order_[level].end(),
              [&](std::uint32_t a, std::uint32_t b) { return lengths[a] < lengths[b]; });
  }
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
  for (std::size_t which = 0; which < classes_->size(); ++which) {
    const std::span<const ClassMessage> sent = exchange_->messages(which);
    for (std::size_t i = 0; i < sent.size(); ++i) {
      const auto way = std::find(keys_.begin(), keys_.end(), key(sent[i])) - keys_.begin();
      index_of_[which * ways_.size() + static_cast<std::size_t>(way)] =
          static_cast<std::uint32_t>(i);
    }
  }
}

void PortMembers::find_sources() {
  sources_.clear();
  first_source_.assign(1, 0);
  for (std::size_t which = 0; which < classes_->size(); ++which) {
    for (std::size_t way = 0; way < ways_.size(); ++way) {
      const std::size_t from = sender_of(which, ways_[way]);
      if (from == ProcessorClasses::nowhere) {
        continue;
      }
      if (const std::uint32_t index = index_of_[from * ways_.size() + way]; index != none) {
        sources_.push_back({ways_[way].offset, from, index});
      }
    }
    first_source_.push_back(sources_.size());
  }
}

std::size_t PortMembers::sender_of(std::size_t which, const ClassMessage& way) const {
  if (exchange_->rings()) {
    const std::int64_t sender = classes_->first_of(which) - way.offset;
    const bool is_there = sender >= 0 && sender < classes_->processors();
    return is_there ? classes_->class_of(sender) : ProcessorClasses::nowhere;
  }
  std::size_t from = which;
  for (int dim = 0; dim < classes_->rank(); ++dim) {
    const std::int8_t shift = way.shift[static_cast<std::size_t>(dim)];
    if (shift == 0) {
      continue;
    }
    // The first coordinate of a run stands for all.
    const std::size_t run = classes_->run(which, dim);
    const std::span<const std::int64_t> starts = classes_->starts(dim);
    const bool up = shift < 0 && starts[run + 1] - starts[run] == 1;
    if ((shift > 0 && run == 0) || (up && run + 2 == starts.size())) {
      return ProcessorClasses::nowhere;
    }
    from += up ? classes_->class_stride(dim) : 0;
    from -= shift > 0 ? classes_->class_stride(dim) : 0;
  }
  return from;
}

/// Networks of a message, and those of what its sender sends before it, depend on the place of the
/// processor in its node only.
void PortMembers::cut_slots() {
  cuts_.assign(1, 0);
  const auto cut = [this](std::int64_t border, std::int64_t size) {
    for (std::int64_t place = rest_of(border, size); place < size_; place += size) {
      cuts_.push_back(place);
    }
  };
  const auto cut_levels = [&](std::int64_t border) {
    for (std::uint32_t level = 0; level < top_; ++level) {
      cut(border, levels_[level].size);
    }
  };
  // What goes so far takes the top network from every place.
  const auto far = [this](const ClassMessage& way) { return std::abs(way.offset) >= size_; };
  cut_levels(0);
  for (const ClassMessage& way : ways_) {
    if (far(way)) {
      cut(way.offset, size_);
    } else {
      cut_levels(way.offset);
      cut_levels(-way.offset);
    }
    for (const ClassMessage& other : ways_) {
      // Those that are sent later matter if they may share the sender's own port.
      if (!far(other) && (!far(way) || other.offset < way.offset)) {
        cut_levels(way.offset);
        cut_levels(way.offset - other.offset);
      }
    }
  }
  std::sort(cuts_.begin(), cuts_.end());
  cuts_.erase(std::unique(cuts_.begin(), cuts_.end()), cuts_.end());
  slot_of_.resize(static_cast<std::size_t>(size_));
  for (std::size_t slot = 0; slot < cuts_.size(); ++slot) {
    const std::int64_t end = slot + 1 < cuts_.size() ? cuts_[slot + 1] : size_;
    std::fill(slot_of_.begin() + cuts_[slot], slot_of_.begin() + end,
              static_cast<std::uint32_t>(slot));
  }
}

std::uint32_t PortMembers::level_of(std::int64_t place, std::int64_t offset) const noexcept {
  const std::int64_t to = place + offset;
  if (to < 0 || to >= size_) {
    return top_;
  }
  std::uint32_t level = 0;
  while (level < top_ && place / levels_[level].size != to / levels_[level].size) {
    ++level;
  }
  return level;
}

std::uint32_t PortMembers::member_at(std::int64_t place, std::uint32_t level) const noexcept {
  return level > 0 && level < top_ ? static_cast<std::uint32_t>(place / levels_[level - 1].size)
                                   : 0;
}

std::size_t PortMembers::cell_at(std::size_t which, std::int64_t place) const noexcept {
  return which * cuts_.size() + slot_of_[static_cast<std::size_t>(rest_of(place, size_))];
}

// --- what processors do
// ----------------------------------------------------------------------------------------------

const PortMembers::Cell& PortMembers::sends_of(std::size_t which, std::size_t at) {
  Cell& cell = cells_[at];
  if (cell.sends_known) {
    return cell;
  }
  cell.sends_known = true;
  const std::span<const ClassMessage> messages = exchange_->messages(which);
  for (const ClassMessage& message : messages) {
    cell.prepared += message.strided * copy_time_;
  }
  cell.overhead = cell.prepared;
  cell.sends = cell.sent = static_cast<std::uint32_t>(passes_.size());
  if (messages.empty()) {
    return cell;
  }
  const std::int64_t place = cuts_[at % cuts_.size()];
  Passing& out = own_.out;
  out.reset(sizes_.size());
  for (std::size_t i = 0; i < messages.size(); ++i) {
    Pass& pass = passes_.emplace_back();
    pass.level = level_of(place, messages[i].offset);
    pass.size = size_of_[first_message_[which] + i];
    cell.prepared += network(pass).send_time;
    cell.overhead += network(pass).send_time;
    pass.ready = cell.prepared;
    pass.alone = pass.ready + network(pass).time_of(messages[i].bytes);
    pass.own = member_at(place, pass.level);
    if (pass.level == 0) {
      out.add(pass.size, pass.ready, 1.0);
    }
  }
  cell.sent = static_cast<std::uint32_t>(passes_.size());
  enter(out, 0);
  for (std::uint32_t i = cell.sends; i < cell.sent; ++i) {
    Pass& pass = passes_[i];
    pass.through = pass.level == 0 ? std::max(pass.alone, out.through[pass.size]) : 0.0;
  }
  return cell;
}

const PortMembers::Cell& PortMembers::cell_of(std::size_t which, std::size_t at) {
  if (!cells_[at].known) {
    sends_of(which, at);
    receive(which, at);
  }
  return cells_[at];
}

void PortMembers::receive(std::size_t which, std::size_t at) {
  const std::int64_t place = cuts_[at % cuts_.size()];
  const auto sources = std::span(sources_).subspan(first_source_[which],
                                                   first_source_[which + 1] - first_source_[which]);
  for (const Source& source : sources) {
    sends_of(source.from, cell_at(source.from, place - source.offset));
  }
  Cell& cell = cells_[at];
  cell.known = true;
  cell.receives = cell.received = static_cast<std::uint32_t>(passes_.size());
  if (sources.empty()) {
    return;
  }
  Passing& in = own_.in;
  in.reset(sizes_.size());
  for (const Source& source : sources) {
    const std::int64_t from = place - source.offset;
    Pass pass = passes_[cells_[cell_at(source.from, from)].sends + source.index];
    pass.from = pass.own;
    pass.own = member_at(place, pass.level);
    pass.node = quotient_below(from, size_);
    passes_.push_back(pass);
    cell.overhead += network(pass).receive_time;
    cell.unpacking += exchange_->messages(source.from)[source.index].strided * copy_time_;
    if (pass.level == 0) {
      in.add(pass.size, pass.ready, 1.0);
    }
  }
  cell.overhead += cell.unpacking;
  cell.received = static_cast<std::uint32_t>(passes_.size());
  enter(in, 0);
  for (std::uint32_t i = cell.receives; i < cell.received; ++i) {
    Pass& pass = passes_[i];
    if (pass.level == 0) {
      pass.through = std::max({pass.through, pass.alone, in.through[pass.size]});
    }
  }
}

}  // namespace gridcast::network
