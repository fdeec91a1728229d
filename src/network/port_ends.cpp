#include "port_ends.h"

#include <algorithm>
#include <numeric>

#include "gridcast/base/floor_sums.h"

namespace gridcast::network {

void PortEnds::work_out(const ProcessorClasses& classes, const ClassExchange& exchange,
                        std::span<const NetworkLevel> levels, double copy_time) {
  start(classes.size());
  classes_ = &classes;
  flat_ = levels.size() == 1;
  members_.reset(classes, exchange, levels, copy_time);
  node_ = -1;
  alike_.resize(std::max(alike_.size(), classes.size()));
  for (std::vector<Alike>& each : alike_) {
    each.clear();
  }
  if (flat_) {
    for (std::size_t which = 0; which < classes.size(); ++which) {
      std::int64_t number = 0;
      for (int dim = 0; dim < classes.rank(); ++dim) {
        number += classes.starts(dim)[classes.run(which, dim)] * classes.stride(dim);
      }
      visit_node(number, classes.members()[which]);
    }
  } else {
    visit(0, 0, 1.0);
  }
  sum_up();
}

void PortEnds::visit(int dim, std::int64_t first, double times) {
  if (dim == members_.along()) {
    visit_line(first, times);
    return;
  }
  const std::int64_t size = members_.size();
  const std::int64_t stride = classes_->stride(dim);
  const std::int64_t period = size / std::gcd(size, stride);
  // A node has to do with its processors, with their neighbours and the nodes of these.
  const std::int64_t margin = stride % size == 0 ? 1 : 2 + 2 * size / stride;
  const std::span<const std::int64_t> starts = classes_->starts(dim);
  for (std::size_t run = 0; run + 1 < starts.size(); ++run) {
    const std::int64_t inner = starts[run + 1] - starts[run] - 2 * margin;
    std::int64_t x = starts[run];
    if (inner > period) {
      for (; x < starts[run] + margin; ++x) {
        visit(dim + 1, first + x * stride, times);
      }
      for (std::int64_t i = 0; i < period; ++i) {
        visit(dim + 1, first + (x + i) * stride,
              times * whole_quotient(inner - i + period - 1, period));
      }
      x += inner;
    }
    for (; x < starts[run + 1]; ++x) {
      visit(dim + 1, first + x * stride, times);
    }
  }
}

void PortEnds::visit_line(std::int64_t first, double times) {
  const std::int64_t size = members_.size();
  const std::int64_t row = classes_->extent(members_.along());
  const std::span<const std::int64_t> starts = classes_->starts(members_.along());
  for (std::int64_t node = (first + size - 1) / size; node * size < first + row;) {
    const std::int64_t x = node * size - first;
    const std::size_t run = classes_->run_of(members_.along(), x);
    const std::int64_t room = starts[run + 1] - 2 * size - 1 - x;  // up to the last node alike
    const bool inside = x - size - 1 >= starts[run] && room >= 0;
    const std::int64_t count = inside ? room / size + 1 : 1;
    visit_node(node, times * static_cast<double>(count));
    node += count;
  }
}

void PortEnds::visit_node(std::int64_t node, double times) {
  for (const PortMembers::Piece& piece : members_.node(node)) {
    add(piece.which,
        {piece.until, piece.overhead, times * static_cast<double>(piece.end - piece.begin)});
  }
}

void PortEnds::add(std::size_t which, const Alike& more) {
  constexpr std::ptrdiff_t looked_at = 32;  // lists are short, but for odd rows
  std::vector<Alike>& known = alike_[which];
  const auto last =
      known.rbegin() + std::min<std::ptrdiff_t>(looked_at, known.rend() - known.rbegin());
  const auto same = std::find_if(known.rbegin(), last, [&](const Alike& each) {
    return each.end == more.end && each.overhead == more.overhead;
  });
  if (same != last) {
    same->count += more.count;
  } else {
    known.push_back(more);
  }
}

void PortEnds::sum_up() {
  class_sums_.assign(classes_->size(), 0.0);
  total_ = 0.0;
  std::vector<ClassOverheads> overheads(classes_->size());
  for (std::size_t which = 0; which < classes_->size(); ++which) {
    double least = HUGE_VAL;
    double most = 0.0;
    for (const Alike& each : alike_[which]) {
      least = std::min(least, each.end);
      most = std::max(most, each.end);
      class_sums_[which] += each.count * each.end;
      overheads[which].add(each.end, each.end, each.overhead);
    }
    least_[which] = least;
    most_[which] = most;
    total_ += class_sums_[which];
  }
  find_last();
  busy_ = members_.busy_until();
  set_overheads(overheads);
}

EndsBelow PortEnds::below(std::size_t which, double limit) const {
  EndsBelow result;
  for (const Alike& each : alike_[which]) {
    if (each.end < limit) {
      result.count += each.count;
      result.sum += each.count * each.end;
    }
  }
  return result;
}

Settled PortEnds::settle(std::size_t which, double clock) const {
  Settled result;
  result.least = HUGE_VAL;
  result.most = -HUGE_VAL;
  for (const Alike& each : alike_[which]) {
    const double paid = clock + each.overhead;
    if (each.end < paid) {
      result.count += each.count;
      result.sum += each.count * each.end;
      result.paid += each.count * each.overhead;
    }
    result.least = std::min(result.least, std::max(each.end, paid));
    result.most = std::max(result.most, std::max(each.end, paid));
  }
  return result;
}

const PortMembers::Piece& PortEnds::piece_of(std::int64_t number) const {
  const std::int64_t node = number / members_.size();
  if (node != node_) {
    node_ = node;
    pieces_ = members_.node(node);
  }
  const std::int64_t place = number % members_.size();
  return *(std::upper_bound(pieces_.begin(), pieces_.end(), place,
                            [](std::int64_t wanted, const PortMembers::Piece& piece) {
                              return wanted < piece.begin;
                            }) -
           1);
}

double PortEnds::end_of(std::size_t which, const ProcessorClasses::Indices& /*at*/,
                        std::int64_t number) const {
  return flat_ ? most_[which] : piece_of(number).until;
}

double PortEnds::overhead_of(std::size_t which, std::int64_t number) const {
  return overheads_listed(which) ? piece_of(number).overhead : overhead(which);
}

}  // namespace gridcast::network
