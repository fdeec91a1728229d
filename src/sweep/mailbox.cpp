#include "mailbox.h"

#include <boost/mpi/exception.hpp>
#include <boost/mpi/status.hpp>
#include <iterator>
#include <utility>

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

std::optional<int> receive(const boost::mpi::communicator& world, int rank, int tag,
                           Message& message) {
  const boost::optional<boost::mpi::status> status = world.iprobe(rank, tag);
  if (!status) {
    return std::nullopt;
  }
  const boost::optional<int> size = status->count<char>();
  message.resize(static_cast<std::size_t>(size.value_or(0)));
  world.recv(status->source(), tag, message.data(), static_cast<int>(message.size()));
  return status->source();
}

}  // namespace gridcast::sweep
