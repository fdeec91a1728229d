/// What passes the ports of the members of a machine, node by node, and what comes of it.

#include <algorithm>
#include <numeric>

#include "gridcast/network/message_time.h"
#include "port_members.h"

namespace gridcast::network {

void PortMembers::cut_node(std::int64_t node, std::vector<Piece>& pieces) const {
  pieces.clear();
  const std::int64_t first = node * size_;
  const std::int64_t end = std::min(first + size_, classes_->processors());
  const std::span<const std::int64_t> starts = classes_->starts(along_);
  const std::int64_t row = classes_->extent(along_);
  for (std::int64_t p = first; p < end;) {
    const std::int64_t line = p - p % row;
    const std::size_t class_of_line = classes_->class_of(line);
    for (std::size_t run = classes_->run_of(along_, p - line); p < end && run + 1 < starts.size();
         ++run) {
      const std::int64_t until = std::min(end, line + starts[run + 1]);
      while (p < until) {
        const std::uint32_t slot = slot_of_[static_cast<std::size_t>(p - first)];
        const std::int64_t border = slot + 1 < cuts_.size() ? cuts_[slot + 1] : size_;
        const std::int64_t here = std::min(until, first + border);
        const std::size_t which = class_of_line + run;
        pieces.push_back({p - first, here - first, which,
                          static_cast<std::uint32_t>(which * cuts_.size()) + slot, 0});
        p = here;
      }
    }
  }
}

PortMembers::Node& PortMembers::add_node() {
  if (nodes_.size() < ++nodes_used_) {
    nodes_.emplace_back();
  }
  Node& entry = nodes_[nodes_used_ - 1];
  entry.whole = entry.ended = false;
  entry.loads.clear();
  entry.next = none;
  return entry;
}

std::size_t PortMembers::class_around(std::int64_t node) const noexcept {
  const std::int64_t first = node * size_;
  const std::int64_t x = first % classes_->extent(along_);
  const std::int64_t end = classes_->starts(along_)[classes_->run_of(along_, x) + 1];
  return x + size_ <= end ? classes_->class_of(first) : ProcessorClasses::nowhere;
}

PortMembers::Node& PortMembers::node_at(std::int64_t node) {
  // Processors that are nodes themselves are looked at one at a time.
  auto& [generation, at] = node_of_[top_ > 0 ? static_cast<std::size_t>(node) : 0];
  if (top_ == 0) {
    nodes_used_ = 0;
  } else if (generation == generation_) {
    return nodes_[at];
  }
  generation = generation_;
  const std::size_t which = top_ > 0 ? class_around(node) : ProcessorClasses::nowhere;
  const bool whole = which != ProcessorClasses::nowhere;
  if (whole && whole_[which] != none) {
    at = whole_[which];
    return nodes_[at];
  }
  at = static_cast<std::uint32_t>(nodes_used_);
  Node& entry = add_node();
  cut_node(node, entry.pieces);
  if (whole) {
    entry.whole = true;
    entry.others.clear();
    whole_[which] = at;
  }
  return entry;
}

PortMembers::Node& PortMembers::with_kinds(std::int64_t node, Node& whole) {
  if (whole.others.empty()) {
    for (const Piece& piece : whole.pieces) {
      for (const Use& use : part_of(uses_, cells_[piece.cell].uses)) {
        const bool known = std::any_of(
            whole.others.begin(), whole.others.end(),
            [&](const Use& other) { return other.node == use.node && other.port == use.port; });
        if (around_[use.node] != 0 && !known) {
          whole.others.push_back(use);
        }
      }
    }
  }
  found_.clear();
  for (const Use& use : whole.others) {
    found_.push_back(load_of(node, use));
  }
  std::uint32_t& at = node_of_[static_cast<std::size_t>(node)].second;
  for (at = whole.next; at != none; at = nodes_[at].next) {
    if (nodes_[at].around == found_) {
      return nodes_[at];
    }
  }
  at = static_cast<std::uint32_t>(nodes_used_);
  Node& entry = add_node();
  entry.pieces = whole.pieces;
  entry.loads = whole.loads;
  entry.around = found_;
  entry.next = std::exchange(whole.next, at);
  return entry;
}

void PortMembers::enter(Load& load, std::uint32_t level) {
  const machine::Network& network = levels_[level].network;
  const auto lengths = std::span(lengths_).subspan(level * sizes_.size(), sizes_.size());
  load.through.resize(sizes_.size());
  double no_shorter = std::accumulate(load.counts.begin(), load.counts.end(), 0.0);
  for (const std::uint32_t size : order_[level]) {
    const double served = load.seconds + lengths[size] * no_shorter;
    load.through[size] = load.begin + served - (lengths[size] - network.time_of(sizes_[size]));
    load.seconds += lengths[size] * load.counts[size];
    no_shorter -= load.counts[size];
  }
  if (load.seconds > 0.0) {
    busy_until_ = std::max(busy_until_, load.begin + load.seconds);
  }
}

std::uint32_t PortMembers::number_of(std::uint32_t level, Load& load) {
  constexpr std::ptrdiff_t looked_at = 8;  // few take turns
  std::vector<std::uint32_t>& known = loads_of_[level];
  const auto last = known.rbegin() + std::min(looked_at, known.rend() - known.rbegin());
  const auto same = std::find_if(known.rbegin(), last, [&](std::uint32_t number) {
    return loads_[number].begin == load.begin && loads_[number].counts == load.counts;
  });
  if (same != last) {
    return *same;
  }
  const auto number = static_cast<std::uint32_t>(loads_used_++);
  if (loads_.size() < loads_used_) {
    loads_.emplace_back();
  }
  known.push_back(number);
  std::swap(loads_[number], load);
  enter(loads_[number], level);
  return number;
}

PortMembers::Node& PortMembers::loaded(std::int64_t node) {
  Node& entry = node_at(node);
  if (!entry.loads.empty()) {
    return entry;
  }
  for (Load& load : ports_) {
    load.reset(sizes_.size());
  }
  for (const Piece& piece : entry.pieces) {
    const auto count = static_cast<double>(piece.end - piece.begin);
    for (const Share& share : part_of(shares_, cell_of(piece.which, piece.cell).shares)) {
      ports_[share.port].add(share.size, share.ready, count * share.count);
    }
  }
  std::uint32_t level = 1;
  for (std::uint32_t port = 0; port < ports_.size(); ++port) {
    level += level < top_ && port == first_port_[level + 1] ? 1 : 0;
    entry.loads.push_back(number_of(level, ports_[port]));
  }
  return entry;
}

void PortMembers::fill(Port& port, std::int64_t node, const Piece& piece, std::uint32_t level,
                       Way way, double later) {
  const auto begin_at = [&](double begin) {
    port.clear(begin < HUGE_VAL ? begin - later : -HUGE_VAL);
  };
  if (level > 0) {
    const Load& load = loads_[loaded(node).loads[port_at(piece.begin, level, way)]];
    begin_at(load.begin);
    for (const std::uint32_t size : order_[level]) {
      if (load.counts[size] > 0.0) {
        port.keep(length(level, size), load.counts[size]);
      }
    }
    return;
  }
  const Cell& cell = cell_of(piece.which, piece.cell);
  const auto passes = part_of(passes_, way == Way::out ? cell.sends : cell.receives);
  double begin = HUGE_VAL;
  for (const Pass& pass : passes) {
    begin = pass.level == 0 ? std::min(begin, pass.ready) : begin;
  }
  begin_at(begin);
  for (const Pass& pass : passes) {
    if (pass.level == 0) {
      port.keep(length(0, pass.size), 1.0);
    }
  }
}

// --- ends
// ----------------------------------------------------------------------------------------------

std::uint32_t PortMembers::load_of(std::int64_t node, const Use& use) {
  const Node*& near = around_node_[use.node];
  if (near == nullptr) {
    near = &loaded(node + around_[use.node]);
  }
  return near->loads[use.port];
}

std::span<const PortMembers::Piece> PortMembers::node(std::int64_t node) {
  Node* entry = &loaded(node);
  around_node_.assign(around_.size(), nullptr);
  if (entry->whole) {
    entry = &with_kinds(node, *entry);
  }
  if (!entry->ended) {
    entry->ended = true;
    for (Piece& piece : entry->pieces) {
      piece.kind = kind_of(node, piece.cell);
    }
  }
  return entry->pieces;
}

std::uint32_t PortMembers::kind_of(std::int64_t node, std::uint32_t at) {
  constexpr int looked_at = 8;
  found_.clear();
  for (std::uint32_t i = cells_[at].uses.begin; i < cells_[at].uses.end; ++i) {
    const Use use = uses_[i];  // others may become known
    found_.push_back(load_of(node, use));
  }
  std::uint32_t kind = cells_[at].kinds;
  for (int i = 0; kind != none && i < looked_at; kind = kinds_[kind].next, ++i) {
    if (std::equal(found_.begin(), found_.end(), kind_loads_.data() + kinds_[kind].loads)) {
      return kind;
    }
  }
  return add_kind(cells_[at], found_);
}

std::uint32_t PortMembers::add_kind(Cell& cell, std::span<const std::uint32_t> loads) {
  kinds_.push_back({end_of(cell, loads), kind_loads_.size(), cell.kinds});
  kind_loads_.insert(kind_loads_.end(), loads.begin(), loads.end());
  cell.kinds = size_of(kinds_) - 1;
  return cell.kinds;
}

PortMembers::Alike& PortMembers::alone(std::size_t which) {
  cell_of(which, static_cast<std::uint32_t>(which));
  return kinds_[add_kind(cells_[which], {})].alike;
}

PortMembers::Alike PortMembers::end_of(const Cell& cell, std::span<const std::uint32_t> loads) {
  double end = 0.0;
  for (const Pass& pass : part_of(passes_, cell.sends)) {
    const double through =
        pass.level == 0 ? pass.through : loads_[loads[pass.own]].through[pass.size];
    end = std::max({end, pass.alone, through});
  }
  arrivals_.clear();
  bool costs = false;
  for (const Pass& pass : part_of(passes_, cell.receives)) {
    const double through = pass.level == 0
                               ? pass.through
                               : std::max({pass.alone, loads_[loads[pass.from]].through[pass.size],
                                           loads_[loads[pass.own]].through[pass.size]});
    arrivals_.emplace_back(through + network(pass).start_of(sizes_[pass.size]),
                           network(pass).receive_time);
    costs = costs || network(pass).receive_time > 0.0;
  }
  if (costs) {
    std::sort(arrivals_.begin(), arrivals_.end());
  }
  double done = cell.prepared;
  for (const auto& [arrival, cost] : arrivals_) {
    done = std::max(done, arrival) + cost;
  }
  Alike alike;
  alike.end = arrivals_.empty() ? end : std::max(end, done + cell.unpacking);
  alike.overhead = cell.overhead;
  return alike;
}

}  // namespace gridcast::network
