/// What passes the ports of the members of a machine, node by node, and what comes of it.

#include <algorithm>

#include "port_members.h"

namespace gridcast::network {

void PortMembers::cut_node(std::int64_t node, std::vector<Piece>& pieces) const {
  pieces.clear();
  const std::int64_t first = node * size_;
  const std::int64_t end = std::min(first + size_, zones_.processors());
  const std::int64_t row = zones_.extent(along_);
  for (std::int64_t p = first; p < end;) {
    const std::int64_t line = p - p % row;
    const std::size_t zone_of_line = zones_.class_of(line);
    const std::int64_t last = std::min(end - line, row);
    zones_.for_each_run(along_, p - line, last, [&](std::size_t run, std::int64_t, std::int64_t x) {
      const std::size_t zone = zone_of_line + run;
      while (p < line + x) {
        const std::uint32_t slot = slot_of_[static_cast<std::size_t>(p - first)];
        const std::int64_t border = slot + 1 < cuts_.size() ? cuts_[slot + 1] : size_;
        const std::int64_t here = std::min(line + x, first + border);
        pieces.push_back({p - first, here - first, class_of_[zone],
                          static_cast<std::uint32_t>(zone * cuts_.size()) + slot, 0});
        p = here;
      }
    });
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

std::size_t PortMembers::zone_around(std::int64_t node) const noexcept {
  const std::int64_t first = node * size_;
  const std::int64_t x = first % zones_.extent(along_);
  return zones_.run_end(along_, x, x + size_) == x + size_ ? zones_.class_of(first)
                                                           : ProcessorClasses::nowhere;
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
  const std::size_t zone = top_ > 0 ? zone_around(node) : ProcessorClasses::nowhere;
  const bool whole = zone != ProcessorClasses::nowhere;
  if (whole && whole_[zone] != none) {
    at = whole_[zone];
    return nodes_[at];
  }
  at = static_cast<std::uint32_t>(nodes_used_);
  Node& entry = add_node();
  cut_node(node, entry.pieces);
  if (whole) {
    entry.whole = true;
    entry.others.clear();
    whole_[zone] = at;
  }
  return entry;
}

PortMembers::Node& PortMembers::with_kinds(std::int64_t node, Node& whole) {
  if (whole.others.empty()) {
    for (const Piece& piece : whole.pieces) {
      for (const Pass& pass : part_of(receives_, cells_[piece.cell].receives)) {
        if (pass.level > 0 && pass.from >= node_ports_ &&
            std::find(whole.others.begin(), whole.others.end(), pass.from) == whole.others.end()) {
          whole.others.push_back(pass.from);
        }
      }
    }
  }
  found_.clear();
  for (const std::uint32_t other : whole.others) {
    found_.push_back(around_loads_[other]);
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

void PortMembers::enter(std::uint32_t level, double begin, std::span<const double> counts,
                        std::span<double> through) {
  const double seconds = sizes_.enter(level, begin, counts, through);
  if (seconds > 0.0) {
    busy_until_ = std::max(busy_until_, begin + seconds);
  }
}

std::uint32_t PortMembers::load_of(std::uint32_t level, std::span<const double> port) {
  constexpr std::ptrdiff_t looked_at = 8;  // few take turns
  std::vector<std::uint32_t>& known = loads_of_[level];
  const auto last = known.rbegin() + std::min(looked_at, known.rend() - known.rbegin());
  const auto same = std::find_if(known.rbegin(), last, [&](std::uint32_t load) {
    return std::equal(port.begin(), port.end(), loads_.begin() + load);
  });
  if (same != last) {
    return *same;
  }
  const std::uint32_t load = size_of(loads_);
  known.push_back(load);
  loads_.insert(loads_.end(), port.begin(), port.end());
  loads_.resize(loads_.size() + sizes_.size());
  enter(level, port.front(), port.subspan(1), std::span(loads_).last(sizes_.size()));
  return load;
}

PortMembers::Node& PortMembers::loaded(std::int64_t node) {
  Node& entry = node_at(node);
  if (!entry.loads.empty()) {
    return entry;
  }
  const std::size_t width = 1 + sizes_.size();
  std::fill(ports_.begin(), ports_.end(), 0.0);
  for (std::size_t port = 0; port < ports_.size(); port += width) {
    ports_[port] = HUGE_VAL;
  }
  for (const Piece& piece : entry.pieces) {
    const auto count = static_cast<double>(piece.end - piece.begin);
    for (const Share& share : part_of(shares_, cell_at(piece.cell).shares)) {
      double* const port = ports_.data() + share.port * width;
      *port = std::min(*port, share.ready);
      port[1 + share.size] += count * share.count;
    }
  }
  for (std::uint32_t level = 1; level <= top_; ++level) {
    const std::size_t end = level < top_ ? first_port_[level + 1] * width : ports_.size();
    for (std::size_t port = first_port_[level] * width; port < end; port += width) {
      entry.loads.push_back(load_of(level, std::span(ports_).subspan(port, width)));
    }
  }
  return entry;
}

void PortMembers::fill(Port& port, std::int64_t node, const Piece& piece, std::uint32_t level,
                       Way way, double later) {
  const auto begin_at = [&](double begin) {
    port.clear(begin < HUGE_VAL ? begin - later : -HUGE_VAL);
  };
  if (level > 0) {
    const std::uint32_t load = loaded(node).loads[port_at(piece.cell % cuts_.size(), level, way)];
    begin_at(loads_[load]);
    for (const std::uint32_t size : sizes_.order(level)) {
      if (const double count = loads_[load + 1 + size]; count > 0.0) {
        port.keep(sizes_.length(level, size), count);
      }
    }
    return;
  }
  const Cell& cell = cell_at(piece.cell);
  const auto passes =
      way == Way::out ? part_of(sends_, cell.sender->sends) : part_of(receives_, cell.receives);
  double begin = HUGE_VAL;
  for (const Pass& pass : passes) {
    begin = pass.level == 0 ? std::min(begin, pass.ready) : begin;
  }
  begin_at(begin);
  for (const Pass& pass : passes) {
    if (pass.level == 0) {
      port.keep(sizes_.length(0, pass.size), 1.0);
    }
  }
}

// --- ends
// ----------------------------------------------------------------------------------------------

std::span<const PortMembers::Piece> PortMembers::node(std::int64_t node) {
  Node* entry = &loaded(node);
  if (entry->ended) {
    return entry->pieces;
  }
  around_loads_.assign(around_.size() * node_ports_, none);
  for (std::size_t i = 0; i < around_.size(); ++i) {
    const std::int64_t first = (node + around_[i]) * size_;
    if (first >= 0 && first < zones_.processors()) {
      const std::vector<std::uint32_t>& loads = loaded(node + around_[i]).loads;
      std::copy(loads.begin(), loads.end(),
                around_loads_.begin() + static_cast<std::ptrdiff_t>(i * node_ports_));
    }
  }
  if (entry->whole) {
    entry = &with_kinds(node, *entry);
  }
  if (!std::exchange(entry->ended, true)) {
    for (Piece& piece : entry->pieces) {
      Cell& cell = cells_[piece.cell];
      if (std::exchange(cell.ended_in, node) != node) {
        kind_of(piece.which, cell);
      }
      piece.kind = cell.kind;
    }
  }
  return entry->pieces;
}

std::uint32_t PortMembers::kind_of(std::size_t which, Cell& cell) {
  constexpr int looked_at = 16;
  const Alike found = end_of(cell);
  const auto same = [&](std::uint32_t kind) {
    return kinds_[kind].alike.end == found.end && kinds_[kind].alike.overhead == found.overhead;
  };
  if (cell.kind != none && same(cell.kind)) {
    return cell.kind;
  }
  cell.kind = latest_[which];
  for (int i = 0; cell.kind != none && i < looked_at; cell.kind = kinds_[cell.kind].next, ++i) {
    if (same(cell.kind)) {
      return cell.kind;
    }
  }
  cell.kind = size_of(kinds_);
  kinds_.push_back({found, std::exchange(latest_[which], cell.kind)});
  return cell.kind;
}

PortMembers::Alike& PortMembers::alone(std::size_t zone) {
  cell_at(zone);
  return kinds_[kind_of(class_of_[zone], cells_[zone])].alike;
}

PortMembers::Alike PortMembers::end_of(const Cell& cell) {
  const auto through = [this, own = 1 + sizes_.size()](std::uint32_t port, std::uint32_t size) {
    return loads_[around_loads_[port] + own + size];
  };
  double end = cell.sender->sent;
  for (const Share& share : part_of(shares_, {cell.shares.begin, cell.receiving})) {
    end = std::max(end, through(share.port, share.size));
  }
  const auto passes = part_of(receives_, cell.receives);
  arrivals_.resize(passes.size());
  for (std::size_t i = 0; i < passes.size(); ++i) {
    const Pass& pass = passes[i];
    double arrival = pass.alone;
    if (pass.level > 0) {
      arrival = std::max(arrival, through(pass.from, pass.size));
      arrival = std::max(arrival, through(pass.port, pass.size));
    }
    arrival += pass.start;
    std::size_t at = i;
    for (; at > 0 && arrivals_[at - 1].first > arrival; --at) {
      arrivals_[at] = arrivals_[at - 1];
    }
    arrivals_[at] = {arrival, pass.cost};
  }
  double done = cell.sender->prepared;
  for (const auto& [arrival, cost] : arrivals_) {
    done = std::max(done, arrival) + cost;
  }
  Alike alike;
  alike.end = arrivals_.empty() ? end : std::max(end, done + cell.unpacking);
  alike.overhead = cell.overhead;
  return alike;
}

}  // namespace gridcast::network
