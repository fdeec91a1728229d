#include "bound_streams.h"

#include <algorithm>

#include "gridcast/network/networks.h"

namespace gridcast::model {

using machine::NetworkType;

namespace {

/// So many senders are added up one by one.
constexpr std::int64_t few_senders = 3;

}  // namespace

double begin_behind(double load, double longest, std::int32_t channels) noexcept {
  const auto n = static_cast<double>(channels);
  return std::max((load - (n - 1.0) * longest) / n, 0.0);
}

void NeighbourStreams::clear() {
  used_ = 0;
  streams_.clear();
  inner_used_ = 0;
}

StepFunction& NeighbourStreams::function() {
  if (used_ == functions_.size()) {
    functions_.emplace_back();
  }
  return functions_[used_++];
}

void NeighbourStreams::add(std::span<const int> step, double scale,
                           const std::array<const StepFunction*, machine::max_grid_rank>& bytes,
                           const std::array<const StepFunction*, machine::max_grid_rank>& counts) {
  Stream stream;
  for (std::size_t j = 0; j < step.size(); ++j) {
    stream.shift += step[j] * shape().strides[j];
    stream.key = stream.key * 3 + step[j] + 1;
    stream.distance += step[j] != 0 ? 1 : 0;
  }
  stream.bytes = ProductForm(shape(), scale, bytes);
  if (!(stream.bytes.total() > 0.0)) {
    return;
  }
  stream.count = ProductForm(shape(), 1.0, counts);
  stream.largest = stream.bytes.most();
  for (Stream& other : streams_) {
    if (other.key == stream.key && other.counted) {
      // Messages of the same pair are one: the stream with more of them counts.
      stream.counted = stream.count.total() > other.count.total();
      other.counted = !stream.counted;
    }
  }
  streams_.push_back(stream);
}

void NeighbourStreams::settle() {
  largest_ = 0.0;
  farthest_ = 0;
  for (const Stream& stream : streams_) {
    double sum = 0.0;
    for (const Stream& other : streams_) {
      sum += other.key == stream.key ? other.largest : 0.0;
    }
    largest_ = std::max(largest_, sum);
    farthest_ = std::max(farthest_, stream.distance);
  }
}

NeighbourStreams::Load NeighbourStreams::within(std::int64_t begin, std::int64_t end,
                                                std::int64_t limit,
                                                std::int64_t reach) const noexcept {
  Load load;
  for (const Stream& stream : streams_) {
    if (std::abs(stream.shift) >= reach) {
      continue;
    }
    const std::int64_t lo = std::max(begin, begin - stream.shift);
    const std::int64_t hi = std::min({end, end - stream.shift, limit});
    if (lo >= hi) {
      continue;
    }
    if (hi - lo <= few_senders) {
      for (std::int64_t p = lo; p < hi; ++p) {
        const double bytes = stream.bytes.at(p);
        load.bytes += bytes;
        load.messages += stream.counted && bytes > 0.0 ? 1.0 : 0.0;
      }
      continue;
    }
    load.bytes += stream.bytes.prefix(hi) - stream.bytes.prefix(lo);
    if (stream.counted) {
      load.messages += stream.count.prefix(hi) - stream.count.prefix(lo);
    }
  }
  return load;
}

const std::vector<NeighbourStreams::Load>& NeighbourStreams::inner(std::uint32_t network) {
  for (std::size_t i = 0; i < inner_used_; ++i) {
    if (inner_[i].network == network) {
      return inner_[i].before;
    }
  }
  if (inner_used_ == inner_.size()) {
    inner_.emplace_back();
  }
  Inner& entry = inner_[inner_used_++];
  entry.network = network;
  entry.before.assign(1, {});
  const BoundMachine::Part& part = mapping_->machine().part(network);
  Load sum;
  for (const std::uint32_t below : part.networks) {
    const BoundMachine::Part& range = mapping_->machine().part(below);
    if (range.begin >= shape().processors) {
      break;
    }
    const Load load = within(range.begin, std::min(range.end, shape().processors),
                             shape().processors, range.end - range.begin);
    sum.messages += load.messages;
    sum.bytes += load.bytes;
    entry.before.push_back(sum);
  }
  return entry.before;
}

NeighbourStreams::Load NeighbourStreams::load_before(std::uint32_t network, std::int64_t sender) {
  const BoundMachine& machine = mapping_->machine();
  const BoundMachine::Part& part = machine.part(network);
  const std::int64_t end = std::min(part.end, shape().processors);
  Load load = within(part.begin, end, sender, end - part.begin);
  if (part.networks.empty()) {
    return load;
  }
  const std::vector<Load>& before = inner(network);
  const auto behind = std::partition_point(
      part.networks.begin(), part.networks.begin() + static_cast<std::ptrdiff_t>(before.size() - 1),
      [&](std::uint32_t below) { return machine.part(below).end <= sender; });
  const auto index = static_cast<std::size_t>(behind - part.networks.begin());
  load.messages -= before[index].messages;
  load.bytes -= before[index].bytes;
  if (index + 1 < before.size()) {
    const BoundMachine::Part& range = machine.part(*behind);
    const Load partly = within(range.begin, std::min(range.end, shape().processors), sender,
                               range.end - range.begin);
    load.messages -= partly.messages;
    load.bytes -= partly.bytes;
  }
  return {std::max(load.messages, 0.0), std::max(load.bytes, 0.0)};
}

void NeighbourStreams::collect(std::int64_t processor) {
  messages_.clear();
  const auto add = [&](std::int64_t from, std::int64_t to, double bytes) {
    for (Message& message : messages_) {
      if (message.from == from && message.to == to) {
        message.bytes += bytes;
        return;
      }
    }
    messages_.push_back({from, to, bytes, mapping_->machine().common(from, to)});
  };
  for (const Stream& stream : streams_) {
    if (const double bytes = stream.bytes.at(processor); bytes > 0.0) {
      add(processor, processor + stream.shift, bytes);
    }
    const std::int64_t from = processor - stream.shift;
    if (from < 0 || from >= shape().processors) {
      continue;
    }
    // Only if the step does not leave the grid: then the figure is positive just for such senders.
    if (const double bytes = stream.bytes.at(from); bytes > 0.0) {
      add(from, processor, bytes);
    }
  }
  std::sort(messages_.begin(), messages_.end(), [](const Message& a, const Message& b) {
    return std::pair(a.from, a.to) < std::pair(b.from, b.to);
  });
}

void NeighbourStreams::links(std::span<const std::int64_t> candidates, BoundTimes& result) {
  // A flat grid of links: everybody who takes part completes after the same time.
  const machine::Network& network = mapping_->machine().network(0);
  double bytes = 0.0;
  bool single = true;  // one stream per step: its largest message is the largest there is
  for (const Stream& stream : streams_) {
    bytes = stream.distance == farthest_ ? std::max(bytes, stream.largest) : bytes;
    single = single && stream.counted;
  }
  double time = network.start_time + bytes * network.byte_time;
  if (farthest_ > 1 && single) {
    time = network::pipelined_message_time(farthest_, bytes, network.start_time, network.byte_time);
  }
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    collect(candidates[i]);
    if (farthest_ == 1) {
      for (const Message& message : messages_) {
        time = std::max(time, network.start_time + message.bytes * network.byte_time);
      }
    }
  }
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    collect(candidates[i]);
    if (!messages_.empty()) {
      result.raise(i, time, time);
    }
  }
  result.raise_last(time, time);
}

void NeighbourStreams::run_all(std::span<const std::int64_t> candidates, BoundTimes& result) {
  // Where every network has one channel, formulas are exact.
  const BoundMachine& machine = mapping_->machine();
  bool exact = true;
  for (std::uint32_t id = 0; id < machine.system().networks.size() && exact; ++id) {
    if (machine.part(id).begin < shape().processors) {
      const machine::Network& network = machine.network(id);
      exact = network.type != NetworkType::transputer && network.channels == 1;
    }
  }
  double messages = 0.0;
  for (const Stream& stream : streams_) {
    messages += stream.count.total();
  }
  if (exact || !run_.pays(messages)) {
    return;
  }
  auto& transfers = run_.list().transfers;
  for (const Stream& stream : streams_) {
    for (std::int64_t p = 0; p < shape().processors; ++p) {
      if (const double bytes = stream.bytes.at(p); bytes > 0.0) {
        transfers.push_back(
            {static_cast<std::uint32_t>(p), static_cast<std::uint32_t>(p + stream.shift), bytes});
      }
    }
  }
  run_.end_phase();
  run_.run(candidates, result);
}

void NeighbourStreams::times(std::span<const std::int64_t> candidates, BoundTimes& result) {
  result.reset(candidates.size());
  if (streams_.empty()) {
    return;
  }
  settle();
  const BoundMachine& machine = mapping_->machine();
  if (machine.flat() && machine.network(0).type == NetworkType::transputer) {
    links(candidates, result);
    return;
  }
  run_all(candidates, result);
  const auto whole_time = [&](std::uint32_t id) {
    const machine::Network& network = machine.network(id);
    const Load all = load(id);
    return (all.messages * network.start_time + all.bytes * network.byte_time) /
           static_cast<double>(network.channels);
  };
  const std::uint32_t top = mapping_->top();
  if (machine.network(top).type != NetworkType::transputer) {
    const double time = whole_time(top);
    result.top = time;
    const machine::Network& network = machine.network(top);
    result.top_free =
        begin_behind(time * static_cast<double>(network.channels),
                     network.start_time + largest_ * network.byte_time, network.channels);
    result.raise_last(time, time);
  }
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    collect(candidates[i]);
    for (std::size_t k = 0; k < messages_.size(); ++k) {
      const Message& message = messages_[k];
      const machine::Network& network = machine.network(message.network);
      const double length = network.start_time + message.bytes * network.byte_time;
      if (network.type == NetworkType::transputer) {
        // The longest way and its largest message decide; with single steps that is at least ours.
        const double time = farthest_ == 1 ? length : network.start_time;
        result.raise(i, time, time);
        continue;
      }
      result.raise(i, length, length);
      const bool last =
          std::none_of(messages_.begin() + static_cast<std::ptrdiff_t>(k) + 1, messages_.end(),
                       [&](const Message& later) { return later.network == message.network; });
      if (!last) {
        continue;  // a later one on the same network ends later
      }
      Load before = load_before(message.network, message.from);
      for (const Stream& stream : streams_) {
        const double bytes = stream.bytes.at(message.from);
        const std::int64_t to = message.from + stream.shift;
        if (bytes > 0.0 && to < message.to && machine.common(message.from, to) == message.network) {
          before.bytes += bytes;
          before.messages += stream.counted ? 1.0 : 0.0;
        }
      }
      const double begin =
          begin_behind(before.messages * network.start_time + before.bytes * network.byte_time,
                       network.start_time + largest_ * network.byte_time, network.channels);
      result.raise(i, begin + length, length);
      if (message.network != top) {
        const double time = whole_time(message.network);
        result.raise_last(time, time);
      }
    }
  }
}

}  // namespace gridcast::model
