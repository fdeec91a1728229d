#include "mailbox.h"

#include <algorithm>
#include <boost/mpi/exception.hpp>
#include <boost/mpi/status.hpp>
#include <iterator>
#include <utility>
#include <vector>

namespace gridcast::sweep {

bool Outbox::send(int rank, int tag, Message message) {
  // Looking at all messages with each new one would cost a square of the number of workers.
  if (sent_.size() >= settle_at_) {
    constexpr std::size_t least = 16;
    settle_at_ = 2 * settle() + least;
  }
  Sent& sent = sent_.emplace_back(Sent{std::move(message), {}});
  try {
    sent.request =
        world_->isend(rank, tag, sent.message.data(), static_cast<int>(sent.message.size()));
    return true;
  } catch (const boost::mpi::exception&) {
    sent_.pop_back();
    return false;
  }
}

std::size_t Outbox::settle() {
  for (auto sent = sent_.begin(); sent != sent_.end();) {
    bool arrived = false;
    try {
      arrived = sent->request.test().has_value();
    } catch (const boost::mpi::exception&) {
      // The receiver is gone; that is noticed elsewhere.
      arrived = true;
    }
    sent = arrived ? sent_.erase(sent) : std::next(sent);
  }
  return sent_.size();
}

std::optional<int> Inbox::take(int rank, Message& message) {
  if (const std::optional<int> source = take_begun(rank, message)) {
    return source;
  }
  while (const boost::optional<boost::mpi::status> status = world_->iprobe(rank, tag_)) {
    const boost::optional<int> size = status->count<char>();
    const int source = status->source();
    Message next(std::exchange(message, {}));
    next.resize(static_cast<std::size_t>(size.value_or(0)));
    boost::mpi::request request =
        world_->irecv(source, tag_, next.data(), static_cast<int>(next.size()));
    if (!has_begun(source) && request.test()) {
      message = std::move(next);
      return source;
    }
    begun_.push_back({source, std::move(next), std::move(request), false});
  }
  return std::nullopt;
}

/// The first message of which all has come in, unless an older one of its sender has not.
std::optional<int> Inbox::take_begun(int rank, Message& message) {
  std::vector<int> held_up;
  for (auto begun = begun_.begin(); begun != begun_.end(); ++begun) {
    const int source = begun->source;
    if (rank != boost::mpi::any_source && rank != source) {
      continue;
    }
    begun->complete = begun->complete || begun->request.test().has_value();
    if (!begun->complete) {
      held_up.push_back(source);
    } else if (std::find(held_up.begin(), held_up.end(), source) == held_up.end()) {
      message = std::move(begun->message);
      begun_.erase(begun);
      return source;
    }
  }
  return std::nullopt;
}

bool Inbox::has_begun(int source) const {
  return std::any_of(begun_.begin(), begun_.end(),
                     [source](const Begun& begun) { return begun.source == source; });
}

}  // namespace gridcast::sweep
