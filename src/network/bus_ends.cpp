/// An exchange over one channel in closed form.

#include "bus_ends.h"

#include <algorithm>
#include <cmath>

#include "gridcast/network/message_time.h"

namespace gridcast::network {

void BusEnds::work_out(const ProcessorClasses& classes, const ClassExchange& exchange,
                       const machine::Network& bus) {
  if (exchange.empty()) {
    silent_ = true;
    return;
  }
  start(classes.size());
  classes_ = &classes;
  bus_ = &bus;
  exchange.ways(shifts_);
  // From the receiver's side: the neighbour behind, then the nearer ones.
  std::sort(shifts_.begin(), shifts_.end(),
            [](const ClassMessage& a, const ClassMessage& b) { return a.shift < b.shift; });
  weigh(exchange);
  boxes_.clear();
  first_box_.assign(1, 0);
  total_ = 0.0;
  for (std::size_t which = 0; which < classes.size(); ++which) {
    add_boxes(which, exchange);
    first_box_.push_back(boxes_.size());
    least_[which] = boxes_[first_box_[which]].takes_part ? HUGE_VAL : 0.0;
    for (std::size_t i = first_box_[which]; i < first_box_[which + 1]; ++i) {
      const Box& box = boxes_[i];
      Indices highest = box.hi;
      for (std::int64_t& x : highest) {
        --x;
      }
      least_[which] = std::min(least_[which], end(box, box.lo));
      most_[which] = std::max(most_[which], end(box, highest));
    }
    total_ += sum(which);
  }
  find_last();
}

void BusEnds::weigh(const ClassExchange& exchange) {
  const ProcessorClasses& classes = *classes_;
  const int rank = classes.rank();
  std::size_t count = classes.size();
  std::vector<double> below(count);
  for (std::size_t which = 0; which < count; ++which) {
    below[which] = 0.0;
    for (const ClassMessage& message : exchange.messages(which)) {
      below[which] += channel_time(*bus_, message.bytes);
    }
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

double BusEnds::before(const Indices& at) const noexcept {
  double time = 0.0;
  std::size_t prefix = 0;
  for (int dim = 0; dim < classes_->rank(); ++dim) {
    const auto j = static_cast<std::size_t>(dim);
    const std::size_t run = classes_->run_of(dim, at[j]);
    prefix = prefix * classes_->runs(dim) + run;
    time += weight_before_[j][prefix] +
            static_cast<double>(at[j] - classes_->starts(dim)[run]) * weight_[j][prefix];
  }
  return time;
}

void BusEnds::add_boxes(std::size_t which, const ClassExchange& exchange) {
  // The first and the last coordinate of a run may have their neighbour in another run.
  const ProcessorClasses& classes = *classes_;
  std::array<std::array<std::int64_t, 4>, machine::max_grid_rank> bounds{};
  std::array<std::size_t, machine::max_grid_rank> parts{1, 1, 1, 1};
  std::size_t all = 1;
  for (int dim = 0; dim < classes.rank(); ++dim) {
    const auto j = static_cast<std::size_t>(dim);
    const std::size_t run = classes.run(which, dim);
    const std::int64_t lo = classes.starts(dim)[run];
    const std::int64_t hi = classes.starts(dim)[run + 1];
    parts[j] = static_cast<std::size_t>(std::min<std::int64_t>(hi - lo, 3));
    bounds[j] = hi - lo > 2 ? std::array<std::int64_t, 4>{lo, lo + 1, hi - 1, hi}
                            : std::array<std::int64_t, 4>{lo, lo + 1, hi, hi};
    all *= parts[j];
  }
  for (std::size_t i = 0; i < all; ++i) {
    Box box;
    box.hi.fill(1);
    std::size_t rest = i;
    for (int dim = classes.rank(); dim-- > 0;) {
      const auto j = static_cast<std::size_t>(dim);
      box.lo[j] = bounds[j][rest % parts[j]];
      box.hi[j] = bounds[j][rest % parts[j] + 1];
      box.count *= static_cast<double>(box.hi[j] - box.lo[j]);
      rest /= parts[j];
    }
    find_last_sender(box, exchange);
    boxes_.push_back(box);
  }
}

void BusEnds::find_last_sender(Box& box, const ClassExchange& exchange) const {
  const ProcessorClasses& classes = *classes_;
  const auto lasts = [&](std::span<const ClassMessage> messages, std::int64_t up_to) {
    double time = 0.0;
    for (const ClassMessage& message : messages) {
      if (message.offset <= up_to) {
        time += channel_time(*bus_, message.bytes);
      }
    }
    return time;
  };
  const std::size_t own = classes.class_at(box.lo);
  const auto try_own = [&] {
    const auto messages = exchange.messages(own);
    if (!messages.empty()) {
      box.takes_part = true;
      box.after = lasts(messages, messages.back().offset);
    }
    return box.takes_part;
  };
  bool own_tried = false;
  // Messages that went down come from behind, those that went far down from farthest behind.
  for (const ClassMessage& way : shifts_) {
    if (way.offset > 0 && !own_tried) {
      own_tried = true;
      if (try_own()) {
        return;
      }
    }
    Indices sender = box.lo;
    for (std::size_t j = 0; j < sender.size(); ++j) {
      sender[j] -= way.shift[j];
    }
    const std::size_t neighbour = classes.class_at(sender);
    if (neighbour == ProcessorClasses::nowhere) {
      continue;
    }
    const auto messages = exchange.messages(neighbour);
    if (std::any_of(messages.begin(), messages.end(),
                    [&](const ClassMessage& m) { return m.shift == way.shift; })) {
      box.takes_part = true;
      box.after = lasts(messages, way.offset);
      for (std::size_t j = 0; j < box.shift.size(); ++j) {
        box.shift[j] = static_cast<std::int8_t>(-way.shift[j]);
      }
      return;
    }
  }
  if (!own_tried) {
    try_own();
  }
}

double BusEnds::end(const Box& box, Indices at) const noexcept {
  if (!box.takes_part) {
    return 0.0;
  }
  for (std::size_t j = 0; j < at.size(); ++j) {
    at[j] += box.shift[j];
  }
  return before(at) + box.after;
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
  return end(boxes_[i], at);
}

double BusEnds::sum_of(std::size_t which) const {
  double result = 0.0;
  for (std::size_t i = first_box_[which]; i < first_box_[which + 1]; ++i) {
    const Box& box = boxes_[i];
    Indices highest = box.hi;
    for (std::int64_t& x : highest) {
      --x;
    }
    // The mean of an affine function is that of two opposite corners.
    result += box.count * 0.5 * (end(box, box.lo) + end(box, highest));
  }
  return result;
}

EndsBelow BusEnds::below(std::size_t which, double limit) const {
  EndsBelow result;
  for (std::size_t i = first_box_[which]; i < first_box_[which + 1]; ++i) {
    add_below(boxes_[i], limit, result);
  }
  return result;
}

void BusEnds::add_below(const Box& box, double limit, EndsBelow& result) const {
  // Ends ascend with the processors' numbers, so those below the limit come first: whole slabs
  // along the first dimension, then of the next slab those along the second, and so on.
  const auto rank = static_cast<std::size_t>(classes_->rank());
  Indices from = box.lo;
  for (std::size_t dim = 0; dim < rank; ++dim) {
    Indices to = from;
    double each = 1.0;
    for (std::size_t inner = dim + 1; inner < rank; ++inner) {
      to[inner] = box.hi[inner] - 1;
      each *= static_cast<double>(box.hi[inner] - box.lo[inner]);
    }
    std::int64_t low = box.lo[dim];  // slabs before it lie below
    std::int64_t high = box.hi[dim];
    while (low < high) {
      to[dim] = low + (high - low) / 2;
      if (end(box, to) < limit) {
        low = to[dim] + 1;
      } else {
        high = to[dim];
      }
    }
    if (low > box.lo[dim]) {
      const double count = each * static_cast<double>(low - box.lo[dim]);
      to[dim] = low - 1;
      result.count += count;
      result.sum += count * 0.5 * (end(box, from) + end(box, to));
    }
    if (low == box.hi[dim]) {
      return;
    }
    from[dim] = low;
  }
}

}  // namespace gridcast::network
