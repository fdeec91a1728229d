/// An exchange over one channel in closed form.

#include "bus_ends.h"

#include <algorithm>
#include <cmath>

#include "gridcast/network/message_time.h"

namespace gridcast::network {

void BusEnds::work_out(const ProcessorClasses& classes, const ClassExchange& exchange,
                       const machine::Network& bus, double later) {
  start(classes.size());
  classes_ = &classes;
  bus_ = &bus;
  exchange.ways(shifts_);
  // From the receiver's side: the neighbour behind, then the nearer ones.
  std::sort(shifts_.begin(), shifts_.end(),
            [](const ClassMessage& a, const ClassMessage& b) { return a.shift < b.shift; });
  weigh(exchange);
  for (int dim = 0; dim < classes.rank(); ++dim) {
    find_parts(dim);
  }
  boxes_.clear();
  first_box_.assign(1, 0);
  total_ = 0.0;
  for (std::size_t which = 0; which < classes.size(); ++which) {
    add_boxes(which, exchange);
    first_box_.push_back(boxes_.size());
    least_[which] = HUGE_VAL;
    for (const Box& box : boxes(which)) {
      least_[which] = std::min(least_[which], box.first);
      most_[which] = std::max(most_[which], box.last());
    }
    if (most_[which] > 0.0) {  // a message takes time, so others do not take part
      delay(which, later);
    }
    total_ += sum(which);
  }
  find_last();
}

void BusEnds::delay(std::size_t which, double seconds) {
  for (std::size_t i = first_box_[which]; i < first_box_[which + 1]; ++i) {
    boxes_[i].first += seconds;
  }
  least_[which] += seconds;
  most_[which] += seconds;
}

void BusEnds::weigh(const ClassExchange& exchange) {
  const ProcessorClasses& classes = *classes_;
  const int rank = classes.rank();
  std::size_t count = classes.size();
  std::vector<double>& below = below_;
  below.assign(count, 0.0);
  until_.clear();
  first_message_.assign(1, 0);
  for (std::size_t which = 0; which < count; ++which) {
    for (const ClassMessage& message : exchange.messages(which)) {
      below[which] += channel_time(*bus_, message.bytes);
      until_.push_back(below[which]);
    }
    first_message_.push_back(until_.size());
  }
  for (int dim = rank; dim-- > 0;) {
    const auto at = static_cast<std::size_t>(dim);
    const std::size_t runs = classes.runs(dim);
    weight_[at] = below;
    weight_before_[at].assign(count, 0.0);
    count /= runs;
    below.assign(count, 0.0);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t k = 0; k < runs; ++k) {
        weight_before_[at][i * runs + k] = below[i];
        below[i] += weight_[at][i * runs + k] *
                    static_cast<double>(classes.starts(dim)[k + 1] - classes.starts(dim)[k]);
      }
    }
  }
}

void BusEnds::find_parts(int dim) {
  // The first and the last coordinate of a run may have their neighbour in another run.
  const auto j = static_cast<std::size_t>(dim);
  parts_[j].clear();
  first_part_[j].assign(1, 0);
  const std::span<const std::int64_t> starts = classes_->starts(dim);
  const std::size_t runs = classes_->runs(dim);
  for (std::size_t run = 0; run < runs; ++run) {
    const std::size_t below = run == 0 ? ProcessorClasses::nowhere : run - 1;
    const std::size_t above = run + 1 == runs ? ProcessorClasses::nowhere : run + 1;
    const std::int64_t lo = starts[run];
    const std::int64_t hi = starts[run + 1];
    if (hi - lo == 1) {
      parts_[j].push_back({lo, hi, {below, run, above}});
    } else {
      parts_[j].push_back({lo, lo + 1, {below, run, run}});
      if (hi - lo > 2) {
        parts_[j].push_back({lo + 1, hi - 1, {run, run, run}});
      }
      parts_[j].push_back({hi - 1, hi, {run, run, above}});
    }
    first_part_[j].push_back(parts_[j].size());
  }
}

void BusEnds::add_boxes(std::size_t which, const ClassExchange& exchange) {
  std::array<std::span<const Part>, machine::max_grid_rank> parts;
  std::size_t all = 1;
  for (int dim = 0; dim < classes_->rank(); ++dim) {
    const auto j = static_cast<std::size_t>(dim);
    const std::size_t run = classes_->run(which, dim);
    parts[j] = std::span(parts_[j]).subspan(first_part_[j][run],
                                            first_part_[j][run + 1] - first_part_[j][run]);
    all *= parts[j].size();
  }
  for (std::size_t i = 0; i < all; ++i) {
    Parts own{};
    Box& box = boxes_.emplace_back();
    box.hi.fill(1);
    std::size_t rest = i;
    for (int dim = classes_->rank(); dim-- > 0;) {
      const auto j = static_cast<std::size_t>(dim);
      own[j] = &parts[j][rest % parts[j].size()];
      box.lo[j] = own[j]->lo;
      box.hi[j] = own[j]->hi;
      box.count *= static_cast<double>(box.hi[j] - box.lo[j]);
      rest /= parts[j].size();
    }
    find_last_sender(box, own, which, exchange);
  }
}

std::size_t BusEnds::sender_of(const Parts& own, const Shift& shift) const noexcept {
  std::size_t which = 0;
  for (int dim = 0; dim < classes_->rank(); ++dim) {
    const auto j = static_cast<std::size_t>(dim);
    const std::size_t run = own[j]->run_beside(shift[j]);
    if (run == ProcessorClasses::nowhere) {
      return ProcessorClasses::nowhere;
    }
    which += run * classes_->class_stride(dim);
  }
  return which;
}

void BusEnds::find_last_sender(Box& box, const Parts& own, std::size_t which,
                               const ClassExchange& exchange) const {
  const bool sends = !exchange.messages(which).empty();
  bool tried = false;
  const auto try_own = [&] {
    tried = true;
    if (sends) {
      set_ends(box, own, {}, until_[first_message_[which + 1] - 1]);
    }
    return sends;
  };
  // Messages that went down come from behind, those that went far down from farthest behind.
  for (const ClassMessage& way : shifts_) {
    if (way.offset > 0 && !tried && try_own()) {
      return;
    }
    const std::size_t sender = sender_of(own, way.shift);
    if (sender == ProcessorClasses::nowhere) {
      continue;
    }
    const auto messages = exchange.messages(sender);
    for (std::size_t i = 0; i < messages.size(); ++i) {
      if (messages[i].shift == way.shift) {
        set_ends(box, own, way.shift, until_[first_message_[sender] + i]);
        return;
      }
    }
  }
  if (!tried) {
    try_own();
  }
}

void BusEnds::set_ends(Box& box, const Parts& own, const Shift& shift, double after) const {
  box.first = after;
  std::size_t prefix = 0;
  for (int dim = 0; dim < classes_->rank(); ++dim) {
    const auto j = static_cast<std::size_t>(dim);
    const std::size_t run = own[j]->run_beside(shift[j]);
    prefix = prefix * classes_->runs(dim) + run;
    box.slope[j] = weight_[j][prefix];
    box.first +=
        weight_before_[j][prefix] +
        static_cast<double>(box.lo[j] - shift[j] - classes_->starts(dim)[run]) * box.slope[j];
  }
}

double BusEnds::end_of(std::size_t which, const Indices& at, std::int64_t) const {
  std::size_t i = first_box_[which];
  const auto inside = [&](const Box& box) {
    for (std::size_t j = 0; j < static_cast<std::size_t>(classes_->rank()); ++j) {
      if (at[j] < box.lo[j] || at[j] >= box.hi[j]) {
        return false;
      }
    }
    return true;
  };
  while (!inside(boxes_[i])) {
    ++i;
  }
  return boxes_[i].end(at);
}

double BusEnds::sum_of(std::size_t which) const {
  double result = 0.0;
  for (const Box& box : boxes(which)) {
    // The mean of an affine function is that of two opposite corners.
    result += box.count * 0.5 * (box.first + box.last());
  }
  return result;
}

EndsBelow BusEnds::below(std::size_t which, double limit) const {
  EndsBelow result;
  for (const Box& box : boxes(which)) {
    add_below(box, limit, result);
  }
  return result;
}

void BusEnds::add_below(const Box& box, double limit, EndsBelow& result) const {
  // Ends ascend with the processors' numbers, so those below the limit come first: whole slabs
  // along the first dimension, then of the next slab those along the second, and so on.
  double first = box.first;  // end of the first processor of the slabs
  double count = box.count;  // of each slab's processors
  double spread = box.last() - box.first;
  for (std::size_t dim = 0; dim < static_cast<std::size_t>(classes_->rank()); ++dim) {
    const auto slabs = static_cast<double>(box.hi[dim] - box.lo[dim]);
    const double slope = box.slope[dim];
    count /= slabs;
    spread -= (slabs - 1.0) * slope;
    const double ahead = limit - (first + spread);  // of the last processor of the first slab
    double low = slabs;
    if (ahead <= (slabs - 1.0) * slope) {
      low = ahead > 0.0 ? std::ceil(ahead / slope) : 0.0;
    }
    if (low > 0.0) {
      result.count += count * low;
      result.sum += count * low * (first + 0.5 * (spread + (low - 1.0) * slope));
    }
    if (low == slabs) {
      return;
    }
    first += low * slope;
  }
}

}  // namespace gridcast::network
