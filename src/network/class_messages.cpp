#include "gridcast/network/class_messages.h"

#include <algorithm>

namespace gridcast::network {

void ClassExchange::begin(bool rings) {
  messages_.clear();
  begin_.assign(1, 0);
  rings_ = rings;
}

void ClassExchange::add(const ClassMessage& message) {
  const auto own = messages_.begin() + static_cast<std::ptrdiff_t>(begin_.back());
  auto place = messages_.end();  // most are told in ascending order
  while (place != own && (place - 1)->offset > message.offset) {
    --place;
  }
  if (place != own && (place - 1)->offset == message.offset) {
    (place - 1)->bytes += message.bytes;
    (place - 1)->strided += message.strided;
  } else {
    messages_.insert(place, message);
  }
}

void ClassExchange::ways(std::vector<ClassMessage>& result) const {
  result.clear();
  for (const ClassMessage& message : messages_) {
    if (std::none_of(result.begin(), result.end(),
                     [&](const ClassMessage& known) { return known.shift == message.shift; })) {
      result.push_back(message);
    }
  }
}

namespace {

/// Whether a processor of the class gets a message that goes that way.
bool receives(const ProcessorClasses& classes, const ClassExchange& exchange, std::size_t which,
              const ClassMessage& way) {
  ProcessorClasses::Indices sender{};
  for (int dim = 0; dim < classes.rank(); ++dim) {
    const auto at = static_cast<std::size_t>(dim);
    const ProcessorClasses::Run& run = classes.coordinates(which, dim);
    // Up from the last and down from the first coordinate of the run, which stand for all.
    sender[at] = (way.shift[at] > 0 ? run.first : run.last) - way.shift[at];
  }
  const std::size_t from = classes.class_at(sender);
  if (from == ProcessorClasses::nowhere) {
    return false;
  }
  const auto messages = exchange.messages(from);
  return std::any_of(messages.begin(), messages.end(),
                     [&](const ClassMessage& m) { return m.offset == way.offset; });
}

}  // namespace

std::vector<std::uint8_t> participants(const ProcessorClasses& classes,
                                       const ClassExchange& exchange) {
  std::vector<ClassMessage> ways;
  exchange.ways(ways);
  std::vector<std::uint8_t> result(classes.size(), 0);
  for (std::size_t which = 0; which < classes.size(); ++which) {
    const bool receives_some = std::any_of(ways.begin(), ways.end(), [&](const ClassMessage& way) {
      return receives(classes, exchange, which, way);
    });
    result[which] = receives_some || !exchange.messages(which).empty() ? 1 : 0;
  }
  return result;
}

Fan reduction_fan(const ProcessorClasses& classes, const mapping::ClassLayout& loop, double bytes) {
  Fan fan;
  if (loop.fully_replicated || !(bytes > 0.0) || !(loop.elements() > 0.0)) {
    return fan;
  }
  for (int j = 0; j < classes.rank(); ++j) {
    const mapping::AxisCut& cut = loop.cuts[static_cast<std::size_t>(j)];
    if (!cut.active()) {
      continue;
    }
    fan.root += cut.first() * classes.stride(j);
    // Where coordinates only decide presence, the lowest one present speaks for all.
    fan.representatives *= cut.dim() >= 0
                               ? static_cast<double>(cut.holders())
                               : static_cast<double>(std::min<std::int64_t>(cut.holders(), 1));
  }
  fan.bytes = fan.representatives > 0.0 ? bytes : 0.0;
  return fan;
}

}  // namespace gridcast::network
