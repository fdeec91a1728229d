/// Which message of a section each processor gets.

#include <algorithm>

#include "spread_ends.h"

namespace gridcast::network {

void SpreadEnds::measure(const Spread& spread) {
  // Receivers of one sender follow each other, and so do the senders: each its own mixed radix.
  per_sender_ = 1;
  inside_ = true;
  for (int j = classes_->rank(); j-- > 0;) {
    const auto at = static_cast<std::size_t>(j);
    if (spread.fixed[at]) {
      steps_[at] = per_sender_;
      per_sender_ *= spread.hi[at] - spread.lo[at];
      inside_ = inside_ && spread.lo[at] <= spread.at[at] && spread.at[at] < spread.hi[at];
    }
  }
  per_sender_ -= inside_ ? 1 : 0;
  messages_ = per_sender_;
  for (int j = what_ == Count::of_each_sender ? 0 : classes_->rank(); j-- > 0;) {
    const auto at = static_cast<std::size_t>(j);
    if (!spread.fixed[at]) {
      steps_[at] = messages_;
      messages_ *= spread.hi[at] - spread.lo[at];
    }
  }
}

void SpreadEnds::add_part(std::size_t which, const Spread& spread) {
  Part& part = parts_.emplace_back();
  part.sender = part.receiver = true;
  int after = 0;  // where the fixed coordinates are, seen from the sender
  for (int j = 0; j < classes_->rank(); ++j) {
    const auto at = static_cast<std::size_t>(j);
    part.runs[at] = &classes_->coordinates(which, j);
    const std::int64_t x = part.runs[at]->first;
    const bool within = spread.lo[at] <= x && x < spread.hi[at];
    part.receiver = part.receiver && within;
    if (spread.fixed[at]) {
      part.sender = part.sender && x == spread.at[at];
      after = after != 0 ? after : x < spread.at[at] ? -1 : x > spread.at[at] ? 1 : 0;
    } else {
      part.sender = part.sender && within;
    }
  }
  part.receiver = part.receiver && !part.sender;
  const bool ranked = what_ == Count::receivers;
  if (part.sender || part.receiver) {
    count(part, spread,
          part.sender                        ? (ranked ? -1 : per_sender_)
          : ranked || (after > 0 && inside_) ? 0
                                             : 1);
  }
}

void SpreadEnds::count(Part& part, const Spread& spread, std::int64_t lowest) const {
  part.first_number = lowest;
  for (int j = 0; j < classes_->rank(); ++j) {
    const auto at = static_cast<std::size_t>(j);
    part.steps[at] = part.sender && spread.fixed[at] ? 0 : steps_[at];
    part.first_number +=
        part.steps[at] != 0 ? part.steps[at] * (part.runs[at]->first - spread.lo[at]) : 0;
  }
  part.box = NumberedBox(part.first_number);
  for (int j = 0; j < classes_->rank(); ++j) {
    const auto at = static_cast<std::size_t>(j);
    part.box.add(*part.runs[at], part.steps[at]);
  }
}

std::int64_t SpreadEnds::receivers_below(const Spread& spread,
                                         std::int64_t processor) const noexcept {
  const ProcessorClasses::Indices coordinates = classes_->coordinates_of(processor);
  std::int64_t result = 0;
  for (int j = 0; j < classes_->rank(); ++j) {
    const auto at = static_cast<std::size_t>(j);
    const std::int64_t x = coordinates[at];
    result += (std::clamp(x, spread.lo[at], spread.hi[at]) - spread.lo[at]) * steps_[at];
    if (x < spread.lo[at] || x >= spread.hi[at]) {
      break;
    }
  }
  return result;
}

}  // namespace gridcast::network
