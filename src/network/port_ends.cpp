#include "port_ends.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "gridcast/mapping/index_range.h"
#include "gridcast/network/message_time.h"

namespace gridcast::network {

void PortEnds::work_out(const ProcessorClasses& classes, const ClassExchange& exchange,
                        std::span<const NetworkLevel> levels, double copy_time) {
  start(classes.size());
  classes_ = &classes;
  flat_ = levels.size() == 1;
  members_.reset(classes, exchange, levels, copy_time);
  if (flat_) {
    const ProcessorClasses& zones = members_.zones();
    for (std::size_t zone = 0; zone < zones.size(); ++zone) {
      Alike& alike = members_.alone(zone);
      alike.count += zones.members()[zone];
      alike.first = std::min(alike.first, zones.first_of(zone));
      alike.last = std::max(alike.last, zones.last_of(zone));
    }
  } else {
    visit(0, 0, {}, [this](std::int64_t node, const Family& family) { visit_node(node, family); });
  }
  sum_up();
}

void PortEnds::visit(int dim, std::int64_t first, const Family& family, const Visitor& f) const {
  if (dim == members_.along()) {
    visit_line(first, family, f);
    return;
  }
  const ProcessorClasses& zones = members_.zones();
  const std::int64_t size = members_.size();
  const std::int64_t stride = zones.stride(dim);
  const std::int64_t period = std::lcm(size / std::gcd(size, stride), zones.period(dim));
  // A node lies in so many more lines than the one that it begins in, and has to do with the nodes
  // of its neighbours, too: these begin so much earlier, or end so much later, and may touch the
  // lines beside the run, which send alike, if they are there.
  const std::int64_t reach = (stride - std::gcd(size, stride) + size - 1) / stride;
  const std::span<const std::int64_t> starts = zones.starts(dim);
  for (std::size_t run = 0; run + 1 < starts.size(); ++run) {
    const bool is_first = starts[run] == 0;
    const bool is_last = starts[run + 1] == zones.extent(dim);
    const std::int64_t before = reach > 0 && is_first ? reach + 1 : reach;
    const std::int64_t behind = reach > 0 && is_last ? 2 * reach + 1 : 2 * reach;
    const std::int64_t inner = starts[run + 1] - starts[run] - before - behind;
    std::int64_t x = starts[run];
    if (inner > period) {
      for (; x < starts[run] + before; ++x) {
        visit(dim + 1, first + x * stride, family, f);
      }
      for (std::int64_t i = 0; i < period; ++i) {
        const std::int64_t more = (inner - i - 1) / period;
        visit(dim + 1, first + (x + i) * stride, family.of(more + 1, more * period * stride), f);
      }
      x += inner;
    } else if (zones.period(dim) > 1) {
      visit_kinds(dim, first, x, starts[run + 1], reach, family, f);
      continue;
    }
    for (; x < starts[run + 1]; ++x) {
      visit(dim + 1, first + x * stride, family, f);
    }
  }
}

void PortEnds::visit_kinds(int dim, std::int64_t first, std::int64_t begin, std::int64_t end,
                           std::int64_t reach, const Family& family, const Visitor& f) const {
  struct Group {
    std::int64_t first = 0, last = 0, count = 0;
  };
  const ProcessorClasses& zones = members_.zones();
  const std::int64_t size = members_.size();
  const std::int64_t stride = zones.stride(dim);
  // From `reach` + 1 before the first one on.
  std::vector<std::size_t> runs(static_cast<std::size_t>(end - begin + 3 * reach + 2),
                                ProcessorClasses::nowhere);
  const std::int64_t origin = begin - reach - 1;
  zones.for_each_run(dim, std::max<std::int64_t>(origin, 0),
                     std::min(origin + std::ssize(runs), zones.extent(dim)),
                     [&](std::size_t run, std::int64_t from, std::int64_t to) {
                       std::fill(runs.begin() + (from - origin), runs.begin() + (to - origin), run);
                     });
  std::map<std::vector<std::size_t>, Group> groups;  // by where nodes begin and the runs around
  std::vector<std::size_t> key;
  for (std::int64_t x = begin; x < end; ++x) {
    const std::int64_t start = first + x * stride;
    const std::int64_t later = mapping::floor_div(-start, size) * -size - start;  // the first node
    if (later >= stride) {
      continue;
    }
    const auto around = runs.begin() + (x - begin);
    key.assign(around, around + 3 * reach + 3);
    key.push_back(static_cast<std::size_t>(later));
    Group& group = groups[key];
    group.first = group.count++ > 0 ? group.first : x;
    group.last = x;
  }
  for (const auto& [alike, group] : groups) {
    visit(dim + 1, first + group.first * stride,
          family.of(group.count, (group.last - group.first) * stride), f);
  }
}

void PortEnds::visit_line(std::int64_t first, const Family& family, const Visitor& f) const {
  const ProcessorClasses& zones = members_.zones();
  const int along = members_.along();
  const std::int64_t size = members_.size();
  const std::int64_t row = zones.extent(along);
  const std::span<const std::int64_t> starts = zones.starts(along);
  const std::int64_t coordinates = zones.period(along);
  const std::int64_t period = coordinates / std::gcd(coordinates, size);  // nodes
  for (std::int64_t node = (first + size - 1) / size; node * size < first + row;) {
    const std::int64_t x = node * size - first;
    const std::size_t start = zones.start_before(along, x);
    const std::int64_t room = starts[start + 1] - 2 * size - x;  // up to the last node alike
    const bool inside = x - size >= starts[start] && room >= 0;
    const std::int64_t count = inside ? room / size + 1 : 1;
    for (std::int64_t i = 0; i < std::min(period, count); ++i) {
      const std::int64_t more = (count - i - 1) / period;
      f(node + i, family.of(more + 1, more * period * size));
    }
    node += count;
  }
}

void PortEnds::visit_node(std::int64_t node, const Family& family) {
  const std::int64_t first = node * members_.size();
  for (const PortMembers::Piece& piece : members_.node(node)) {
    Alike& kind = members_.kind(piece);
    kind.count += family.times * static_cast<double>(piece.end - piece.begin);
    kind.first = std::min(kind.first, first + piece.begin);
    kind.last = std::max(kind.last, first + family.span + piece.end - 1);
  }
}

void PortEnds::sum_up() {
  total_ = 0.0;
  std::vector<ClassOverheads> overheads(classes_->size());
  for (std::size_t which = 0; which < classes_->size(); ++which) {
    least_[which] = HUGE_VAL;
    members_.for_each_kind(which, [&](const Alike& each) {
      least_[which] = std::min(least_[which], each.end);
      most_[which] = std::max(most_[which], each.end);
      overheads[which].add(each.end, each.end, each.overhead);
    });
    total_ += sum(which);
  }
  find_last();
  busy_ = members_.busy_until();
  set_overheads(overheads);
}

// --- behind the exchange
// ----------------------------------------------------------------------------------------------

FanSender PortEnds::gather_behind(double bytes, std::int64_t root,
                                  std::span<const std::uint8_t> speaks,
                                  std::span<const std::int64_t> speaking, double later) const {
  using Way = PortMembers::Way;
  const std::span<const NetworkLevel> levels = members_.levels();
  FanSender gathered;
  std::vector<std::pair<double, double>> arrivals;  // at the root, and what receiving them costs
  std::vector<double> in(levels.size(), 0.0);       // through the root's ports
  Port port;
  const auto through = [&](std::int64_t node, const PortMembers::Piece& piece, std::uint32_t level,
                           Way way, double count) {
    members_.fill(port, node, piece, level, way, later);
    const machine::Network& network = levels[level].network;
    const double end = port.pass(network, bytes, network.send_time, count);
    gathered.busy = std::max(gathered.busy, port.busy_until());
    return end;
  };
  const auto arrive = [&](std::int64_t node, const PortMembers::Piece& piece, std::uint32_t level,
                          double each, double times) {
    const machine::Network& network = levels[level].network;
    const double sent = through(node, piece, level, Way::out, each);
    const double receiving = each * times * network.receive_time;
    arrivals.emplace_back(std::max(sent, in[level]) + network.start_of(bytes), receiving);
    gathered.overhead += receiving;
  };
  const std::int64_t node = root / members_.size();
  const std::int64_t place = root % members_.size();
  const auto top = static_cast<std::uint32_t>(levels.size() - 1);
  const std::span<const PortMembers::Piece> found = members_.cut(node);
  const std::vector<PortMembers::Piece> pieces(found.begin(), found.end());
  const PortMembers::Piece& own = *std::find_if(
      pieces.begin(), pieces.end(), [&](const auto& piece) { return place < piece.end; });
  for (std::uint32_t level = 0; level <= top; ++level) {
    if (speaking[level] > 0) {
      in[level] = through(node, own, level, Way::in, static_cast<double>(speaking[level]));
    }
  }
  // In the root's node.
  for (std::uint32_t level = 0; level < top; ++level) {
    const std::int64_t size = level > 0 ? levels[level - 1].size : 1;
    for (auto piece = pieces.begin(); piece != pieces.end();) {
      const auto first = piece;
      double count = 0.0;
      for (;
           piece != pieces.end() && (piece == first || piece->begin / size == first->begin / size);
           ++piece) {
        count += speaks[piece->which] != 0 ? static_cast<double>(piece->end - piece->begin) : 0.0;
      }
      if (first->which != own.which && count > 0.0 &&
          members_.level_between(place, first->begin) == level) {
        arrive(node, *first, level, level == 0 ? 1.0 : count, level == 0 ? count : 1.0);
      }
    }
  }
  // In others.
  const auto others = [&](std::int64_t other, const Family& family) {
    double count = 0.0;
    const std::span<const PortMembers::Piece> there = members_.cut(other);
    for (const PortMembers::Piece& piece : there) {
      count += speaks[piece.which] != 0 ? static_cast<double>(piece.end - piece.begin) : 0.0;
    }
    if (other != node && count > 0.0) {
      const PortMembers::Piece first = there.front();
      arrive(other, first, top, count, family.times);
    }
  };
  if (flat_) {
    for (std::size_t which = 0; which < classes_->size(); ++which) {
      if (which != own.which && speaks[which] != 0) {
        const std::int64_t first = classes_->first_of(which);
        arrive(first, members_.cut(first).front(), top, 1.0, classes_->members()[which]);
      }
    }
  } else {
    visit(0, 0, {}, others);
  }
  std::sort(arrivals.begin(), arrivals.end());
  for (const auto& [arrival, receiving] : arrivals) {
    gathered.until = std::max(gathered.until, arrival) + receiving;
  }
  return gathered;
}

// --- questions
// ----------------------------------------------------------------------------------------------

double PortEnds::sum_of(std::size_t which) const {
  double sum = 0.0;
  members_.for_each_kind(which, [&](const Alike& each) { sum += each.count * each.end; });
  return sum;
}

EndsBelow PortEnds::below(std::size_t which, double limit) const {
  EndsBelow result;
  members_.for_each_kind(which, [&](const Alike& each) {
    if (each.end < limit) {
      result.count += each.count;
      result.sum += each.count * each.end;
    }
  });
  return result;
}

Settled PortEnds::settle(std::size_t which, double clock) const {
  Settled result;
  result.least = HUGE_VAL;
  result.most = -HUGE_VAL;
  members_.for_each_kind(which, [&](const Alike& each) {
    const double paid = clock + each.overhead;
    if (each.end < paid) {
      result.count += each.count;
      result.sum += each.count * each.end;
      result.paid += each.count * each.overhead;
    }
    result.least = std::min(result.least, std::max(each.end, paid));
    result.most = std::max(result.most, std::max(each.end, paid));
  });
  return result;
}

double PortEnds::most_paid(std::size_t which, std::int64_t root,
                           const std::function<double(std::int64_t)>& clock) const {
  const std::int64_t begin = root - root % members_.size();
  const std::int64_t end = begin + members_.size();
  double most = -HUGE_VAL;
  bool known = true;
  members_.for_each_kind(which, [&](const Alike& each) {
    if (each.last < begin || each.last >= end) {
      most = std::max(most, clock(each.last) + each.overhead);
    } else {
      known = known && each.first >= begin;
    }
  });
  if (!known) {  // the last one before the root's node
    classes_->for_each_member(which, [&](const auto& /*at*/, std::int64_t number) {
      most = std::max(most, clock(number) + overhead_of(which, number));
    });
    return most;
  }
  for (const PortMembers::Piece& piece : members_.node(begin / members_.size())) {
    for (std::int64_t place = piece.begin; piece.which == which && place < piece.end; ++place) {
      most = std::max(most, clock(begin + place) + members_.kind(piece).overhead);
    }
  }
  return most;
}

const PortEnds::Alike& PortEnds::kind_of(std::int64_t number) const {
  const std::span<const PortMembers::Piece> pieces = members_.node(number / members_.size());
  const std::int64_t place = number % members_.size();
  return members_.kind(*(std::upper_bound(pieces.begin(), pieces.end(), place,
                                          [](std::int64_t wanted, const PortMembers::Piece& piece) {
                                            return wanted < piece.begin;
                                          }) -
                         1));
}

double PortEnds::end_of(std::size_t which, const ProcessorClasses::Indices& /*at*/,
                        std::int64_t number) const {
  return least_[which] == most_[which] ? most_[which] : kind_of(number).end;
}

double PortEnds::overhead_of(std::size_t which, std::int64_t number) const {
  return overheads_listed(which) ? kind_of(number).overhead : overhead(which);
}

}  // namespace gridcast::network
