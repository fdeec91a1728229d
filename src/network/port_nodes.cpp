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
        pieces.push_back({p - first, here - first, which, which * cuts_.size() + slot, 0.0, 0.0});
        p = here;
      }
    }
  }
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
  at = static_cast<std::uint32_t>(nodes_used_++);
  if (nodes_.size() < nodes_used_) {
    nodes_.resize(nodes_used_);
  }
  Node& entry = nodes_[at];
  entry.loaded = entry.ended = false;
  cut_node(node, entry.pieces);
  return entry;
}

template <class Find>
void PortMembers::add(const Piece& piece, Find&& find) {
  const Cell cell = cell_of(piece.which, piece.cell);
  const auto count = static_cast<double>(piece.end - piece.begin);
  for (std::uint32_t i = cell.sends; i < cell.sent; ++i) {
    if (Load* const load = find(passes_[i]); load != nullptr) {
      load->out.add(passes_[i].size, passes_[i].ready, count);
    }
  }
  for (std::uint32_t i = cell.receives; i < cell.received; ++i) {
    if (Load* const load = find(passes_[i]); load != nullptr) {
      load->in.add(passes_[i].size, passes_[i].ready, count);
    }
  }
}

void PortMembers::reset(Load& load) const {
  load.out.reset(sizes_.size());
  load.in.reset(sizes_.size());
}

void PortMembers::enter(Passing& passing, std::uint32_t level) {
  const machine::Network& network = levels_[level].network;
  const auto lengths = std::span(lengths_).subspan(level * sizes_.size(), sizes_.size());
  passing.through.resize(sizes_.size());
  double no_shorter = std::accumulate(passing.counts.begin(), passing.counts.end(), 0.0);
  for (const std::uint32_t size : order_[level]) {
    const double served = passing.seconds + lengths[size] * no_shorter;
    passing.through[size] =
        passing.begin + served - (lengths[size] - network.time_of(sizes_[size]));
    passing.seconds += lengths[size] * passing.counts[size];
    no_shorter -= passing.counts[size];
  }
  if (passing.seconds > 0.0) {
    busy_until_ = std::max(busy_until_, passing.begin + passing.seconds);
  }
}

void PortMembers::enter(Load& load, std::uint32_t level) {
  enter(load.out, level);
  enter(load.in, level);
}

PortLoad PortMembers::lengths(const Passing& passing, std::uint32_t level) const {
  PortLoad load;
  for (const std::uint32_t size : order_[level]) {
    load.add(lengths_[level * sizes_.size() + size], passing.counts[size]);
  }
  load.sum_up();
  return load;
}

const PortMembers::Load& PortMembers::top_member(std::int64_t node) {
  Node& entry = node_at(node);
  if (!entry.loaded) {
    entry.loaded = true;
    reset(entry.load);
    for (const Piece& piece : entry.pieces) {
      add(piece, [&](const Pass& pass) { return pass.level == top_ ? &entry.load : nullptr; });
    }
    enter(entry.load, top_);
  }
  return entry.load;
}

void PortMembers::members_of(std::int64_t node) {
  for (std::uint32_t level = 1; level < top_; ++level) {
    for (Load& load : members_[level]) {
      reset(load);
    }
  }
  for (const Piece& piece : node_at(node).pieces) {
    add(piece, [&](const Pass& pass) {
      return pass.level > 0 && pass.level < top_ ? &members_[pass.level][pass.own] : nullptr;
    });
  }
  for (std::uint32_t level = 1; level < top_; ++level) {
    for (Load& load : members_[level]) {
      enter(load, level);
    }
  }
}

const PortMembers::Load& PortMembers::load(std::int64_t node, const Piece& piece,
                                           std::uint32_t level) {
  if (level > 0) {
    return level == top_ ? top_member(node) : members_[level][member_at(piece.begin, level)];
  }
  cell_of(piece.which, piece.cell);  // uses own_
  reset(own_);
  Piece one = piece;
  one.end = one.begin + 1;
  add(one, [&](const Pass& pass) { return pass.level == 0 ? &own_ : nullptr; });
  enter(own_, 0);
  return own_;
}

// --- ends
// ----------------------------------------------------------------------------------------------

std::span<const PortMembers::Piece> PortMembers::node(std::int64_t node) {
  Node& entry = node_at(node);
  if (!entry.ended) {
    entry.ended = true;
    members_of(node);
    for (Piece& piece : entry.pieces) {
      find_end(node, piece);
    }
  }
  return entry.pieces;
}

PortMembers::Piece PortMembers::alone(std::size_t which) {
  Piece piece{0, 1, which, which};
  find_end(0, piece);
  return piece;
}

void PortMembers::find_end(std::int64_t node, Piece& piece) {
  const Cell cell = cell_of(piece.which, piece.cell);
  const Load* const top = top_ > 0 ? &top_member(node) : nullptr;
  const auto member = [&](const Pass& pass, std::uint32_t which) -> const Load& {
    return pass.level == top_ ? *top : members_[pass.level][which];
  };
  double end = 0.0;
  for (std::uint32_t i = cell.sends; i < cell.sent; ++i) {
    const Pass& pass = passes_[i];
    end = std::max(end, pass.level == 0
                            ? pass.through
                            : std::max(pass.alone, member(pass, pass.own).out.through[pass.size]));
  }
  arrivals_.clear();
  bool costs = false;
  for (std::uint32_t i = cell.receives; i < cell.received; ++i) {
    const bool outside = passes_[i].level == top_ && top_ > 0 && passes_[i].node != 0;
    const Load* const other = outside ? &top_member(node + passes_[i].node) : nullptr;
    const Pass& pass = passes_[i];
    double through = pass.through;
    if (pass.level > 0) {
      const Passing& out = other != nullptr ? other->out : member(pass, pass.from).out;
      through = std::max(
          {pass.alone, out.through[pass.size], member(pass, pass.own).in.through[pass.size]});
    }
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
  piece.until = arrivals_.empty() ? end : std::max(end, done + cell.unpacking);
  piece.overhead = cell.overhead;
}

}  // namespace gridcast::network
