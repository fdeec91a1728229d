// Messages that share ports (docs/model.md §4), each looked at by itself.

#include <algorithm>

#include "machine.h"

namespace gridcast::naive {
namespace {

/// What a port has served when a message of `length` is through.
double served_until(const std::vector<double>& lengths, double length) {
  double sum = 0.0;
  for (const double other : lengths) {
    sum += std::min(other, length);
  }
  return sum;
}

/// How much each message has been served after that time.
double share_after(std::vector<double> lengths, double seconds) {
  std::sort(lengths.begin(), lengths.end());
  double share = 0.0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const auto left = static_cast<double>(lengths.size() - i);
    const double next = (lengths[i] - share) * left;
    if (next >= seconds) {
      return share + seconds / left;
    }
    seconds -= next;
    share = lengths[i];
  }
  return share;
}

void serve_each(std::vector<double>& lengths, double share) {
  std::vector<double> left;
  for (const double length : lengths) {
    if (length > share) {
      left.push_back(length - share);
    }
  }
  lengths = left;
}

/// One port with the messages of a communication that pass it.
class Passing {
public:
  void add(PortMessage& message, const Network& network) {
    messages_.push_back(&message);
    const double bytes = message.bytes * network.byte(message.bytes);
    bytes_.push_back(bytes);
    lengths_.push_back(std::max(network.gap, bytes));
  }

  /// When each is through, in the order in which they were added.
  std::vector<double> through(SharedPort& port) {
    double begin = messages_.front()->ready;
    for (const PortMessage* const message : messages_) {
      begin = std::min(begin, message->ready);
    }
    std::vector<double> ends;
    if (begin >= port.since || port.lengths.empty()) {
      serve_each(port.lengths, share_after(port.lengths, begin - port.since));
      for (std::size_t i = 0; i < messages_.size(); ++i) {
        const double all =
            served_until(lengths_, lengths_[i]) + served_until(port.lengths, lengths_[i]);
        ends.push_back(end_of(i, begin + all));
      }
      port.since = begin;
    } else {
      const double alone = share_after(lengths_, port.since - begin);
      for (std::size_t i = 0; i < messages_.size(); ++i) {
        const double others = served_until(port.lengths, std::max(lengths_[i] - alone, 0.0));
        ends.push_back(end_of(i, begin + served_until(lengths_, lengths_[i]) + others));
      }
      serve_each(lengths_, alone);
    }
    port.lengths.insert(port.lengths.end(), lengths_.begin(), lengths_.end());
    return ends;
  }

private:
  [[nodiscard]] double end_of(std::size_t i, double served) const {
    const double length = std::max(lengths_[i], bytes_[i]);
    return std::max(messages_[i]->ready + bytes_[i], served - (length - bytes_[i]));
  }

  std::vector<PortMessage*> messages_;
  std::vector<double> bytes_, lengths_;
};

}  // namespace

void pass_ports(Machine& machine, std::vector<PortMessage>& messages) {
  std::map<SharedPort*, std::vector<std::size_t>> through;  // numbers of messages
  for (const bool out : {true, false}) {
    for (std::size_t i = 0; i < messages.size(); ++i) {
      const PortMessage& message = messages[i];
      Network& network = machine.networks[machine.between(message.from, message.to)];
      SharedPort& port = out ? network.out[machine.member(network, message.from)]
                             : network.in[machine.member(network, message.to)];
      through[&port].push_back(i);
    }
  }
  for (const auto& [port, numbers] : through) {
    Passing passing;
    for (const std::size_t i : numbers) {
      passing.add(messages[i], machine.networks[machine.between(messages[i].from, messages[i].to)]);
    }
    const std::vector<double> ends = passing.through(*port);
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      PortMessage& message = messages[numbers[k]];
      Network& network = machine.networks[machine.between(message.from, message.to)];
      if (&network.out[machine.member(network, message.from)] == port) {
        message.left = ends[k];
      }
      message.arrived = std::max(message.arrived, ends[k] + network.start(message.bytes));
    }
  }
}

}  // namespace gridcast::naive
