#include "port_members.h"

#include <algorithm>

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
  find_sources();
  cut_slots();
  cells_.assign(classes.size() * cuts_.size(), Cell{});
  passes_.clear();
  loads_used_ = 1;
  const std::int64_t nodes = top_ > 0 ? (classes.processors() + size_ - 1) / size_ : 0;
  load_of_.assign(static_cast<std::size_t>(nodes), 0);
  members_.resize(std::max<std::size_t>(members_.size(), top_));
  for (std::size_t level = 1; level < top_; ++level) {
    members_[level].resize(static_cast<std::size_t>(size_ / levels_[level - 1].size));
  }
}

void PortMembers::find_sources() {
  // All ways that messages go, by ascending sender. Around rings different numbers are one step
  // away.
  const bool rings = exchange_->rings();
  const auto same = [rings](const ClassMessage& a, const ClassMessage& b) {
    return rings ? a.offset == b.offset : a.shift == b.shift;
  };
  ways_.clear();
  for (std::size_t which = 0; which < classes_->size(); ++which) {
    for (const ClassMessage& message : exchange_->messages(which)) {
      if (std::none_of(ways_.begin(), ways_.end(),
                       [&](const ClassMessage& way) { return same(way, message); })) {
        ways_.push_back(message);
      }
    }
  }
  std::sort(ways_.begin(), ways_.end(),
            [](const ClassMessage& a, const ClassMessage& b) { return a.offset > b.offset; });
  sources_.clear();
  first_source_.assign(1, 0);
  for (std::size_t which = 0; which < classes_->size(); ++which) {
    for (const ClassMessage& way : ways_) {
      const std::size_t from = sender_of(which, way);
      if (from == ProcessorClasses::nowhere) {
        continue;
      }
      const std::span<const ClassMessage> sent = exchange_->messages(from);
      const auto found = std::find_if(sent.begin(), sent.end(), [&](const ClassMessage& message) {
        return same(way, message);
      });
      if (found != sent.end()) {
        sources_.push_back({way.offset, from, static_cast<std::size_t>(found - sent.begin())});
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
  std::vector<std::int64_t> borders{0};
  for (const ClassMessage& way : ways_) {
    borders.insert(borders.end(), {-way.offset, way.offset});
    for (const ClassMessage& other : ways_) {
      borders.push_back(way.offset - other.offset);
    }
  }
  cuts_.assign(1, 0);
  for (std::uint32_t level = 0; level < top_; ++level) {
    const std::int64_t size = levels_[level].size;
    for (const std::int64_t border : borders) {
      for (std::int64_t place = rest_of(border, size); place < size_; place += size) {
        cuts_.push_back(place);
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
  cell.sends = static_cast<std::uint32_t>(passes_.size());
  PortPassage& out = passage_;
  out.clear();
  for (const ClassMessage& message : messages) {
    const std::uint32_t level = level_of(cuts_[at % cuts_.size()], message.offset);
    const machine::Network& network = levels_[level].network;
    cell.prepared += network.send_time;
    cell.overhead += network.send_time;
    passes_.push_back({message.offset, level, message.bytes, cell.prepared, 0.0});
    if (level == 0) {
      out.add(cell.prepared, port_time(network, message.bytes));
    }
  }
  cell.sent = static_cast<std::uint32_t>(passes_.size());
  enter(out);
  for (std::uint32_t i = cell.sends; i < cell.sent; ++i) {
    Pass& pass = passes_[i];
    pass.through = pass.level == 0 ? out.end(network(pass), pass.bytes, pass.ready) : 0.0;
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
  cell.receives = static_cast<std::uint32_t>(passes_.size());
  PortPassage& in = passage_;
  in.clear();
  for (const Source& source : sources) {
    const Cell& sender = cells_[cell_at(source.from, place - source.offset)];
    const Pass pass = passes_[sender.sends + source.index];
    passes_.push_back(pass);
    cell.overhead += network(pass).receive_time;
    cell.unpacking += exchange_->messages(source.from)[source.index].strided * copy_time_;
    if (pass.level == 0) {
      in.add(pass.ready, port_time(network(pass), pass.bytes));
    }
  }
  cell.overhead += cell.unpacking;
  cell.received = static_cast<std::uint32_t>(passes_.size());
  enter(in);
  for (std::uint32_t i = cell.receives; i < cell.received; ++i) {
    Pass& pass = passes_[i];
    if (pass.level == 0) {
      pass.through = std::max(pass.through, in.end(network(pass), pass.bytes, pass.ready));
    }
  }
}

// --- what passes the ports of members
// ----------------------------------------------------------------------------------------------

void PortMembers::cut_node(std::int64_t node, std::vector<Piece>& pieces) {
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

void PortMembers::add(const Piece& piece, std::uint32_t level, Load& load) {
  const Cell& cell = cell_of(piece.which, piece.cell);
  const auto count = static_cast<double>(piece.end - piece.begin);
  for (std::uint32_t i = cell.sends; i < cell.sent; ++i) {
    if (const Pass& pass = passes_[i]; pass.level == level) {
      load.out.add(pass.ready, port_time(network(pass), pass.bytes), count);
    }
  }
  for (std::uint32_t i = cell.receives; i < cell.received; ++i) {
    if (const Pass& pass = passes_[i]; pass.level == level) {
      load.in.add(pass.ready, port_time(network(pass), pass.bytes), count);
    }
  }
}

void PortMembers::enter(PortPassage& passage) {
  if (!passage.load().empty()) {
    passage.enter_idle();
    busy_until_ = std::max(busy_until_, passage.begin() + passage.load().total());
  }
}

const PortMembers::Load& PortMembers::top_member(std::int64_t node) {
  std::uint32_t& at = load_of_[static_cast<std::size_t>(node)];
  if (at == 0) {
    at = static_cast<std::uint32_t>(loads_used_++);
    if (loads_.size() < loads_used_) {
      loads_.resize(loads_used_);
    }
    Load& load = loads_[at];
    load.clear();
    cut_node(node, others_);
    for (const Piece& piece : others_) {
      add(piece, top_, load);
    }
    enter(load.out);
    enter(load.in);
  }
  return loads_[at];
}

void PortMembers::load_members() {
  for (std::uint32_t level = 1; level < top_; ++level) {
    for (Load& load : members_[level]) {
      load.clear();
    }
    for (const Piece& piece : pieces_) {
      add(piece, level,
          members_[level][static_cast<std::size_t>(piece.begin / levels_[level - 1].size)]);
    }
    for (Load& load : members_[level]) {
      enter(load.out);
      enter(load.in);
    }
  }
}

const PortMembers::Load& PortMembers::member(std::int64_t node, std::int64_t place,
                                             std::uint32_t level) {
  return level == top_ ? top_member(node + quotient_below(place, size_))
                       : members_[level][static_cast<std::size_t>(place / levels_[level - 1].size)];
}

const PortMembers::Load& PortMembers::load(std::int64_t node, const Piece& piece,
                                           std::uint32_t level) {
  if (level > 0) {
    return member(node, piece.begin, level);
  }
  own_.clear();
  Piece one = piece;
  one.end = one.begin + 1;
  add(one, 0, own_);
  enter(own_.out);
  enter(own_.in);
  return own_;
}

// --- ends
// ----------------------------------------------------------------------------------------------

std::span<const PortMembers::Piece> PortMembers::node(std::int64_t node) {
  cut_node(node, pieces_);
  load_members();
  for (Piece& piece : pieces_) {
    piece.until = end(node, piece);
    piece.overhead = cells_[piece.cell].overhead;
  }
  return pieces_;
}

double PortMembers::end(std::int64_t node, const Piece& piece) {
  const Cell cell = cell_of(piece.which, piece.cell);
  double end = 0.0;
  for (std::uint32_t i = cell.sends; i < cell.sent; ++i) {
    const Pass pass = passes_[i];
    end = std::max(
        end,
        pass.level == 0
            ? pass.through
            : member(node, piece.begin, pass.level).out.end(network(pass), pass.bytes, pass.ready));
  }
  arrivals_.clear();
  bool costs = false;
  for (std::uint32_t i = cell.receives; i < cell.received; ++i) {
    const Pass pass = passes_[i];
    double through = pass.through;
    if (pass.level > 0) {
      const PortPassage& out = member(node, piece.begin - pass.offset, pass.level).out;
      const PortPassage& in = member(node, piece.begin, pass.level).in;
      through = std::max(out.end(network(pass), pass.bytes, pass.ready),
                         in.end(network(pass), pass.bytes, pass.ready));
    }
    arrivals_.emplace_back(through + network(pass).start_of(pass.bytes),
                           network(pass).receive_time);
    costs = costs || network(pass).receive_time > 0.0;
  }
  if (arrivals_.empty()) {
    return end;
  }
  if (costs) {
    std::sort(arrivals_.begin(), arrivals_.end());
  }
  double done = cell.prepared;
  for (const auto& [arrival, cost] : arrivals_) {
    done = std::max(done, arrival) + cost;
  }
  return std::max(end, done + cell.unpacking);
}

}  // namespace gridcast::network
