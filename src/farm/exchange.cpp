#include "exchange.h"

#include <boost/mpi/request.hpp>
#include <boost/mpi/status.hpp>
#include <boost/optional.hpp>
#include <numeric>
#include <utility>

#include "gridcast/farm/idle.h"
#include "gridcast/farm/watch.h"
#include "mailbox.h"

namespace gridcast::sweep {
namespace {

void wait_until_sent(Outbox& outbox) {
  Idle idle;
  while (outbox.settle() > 0) {
    idle.wait();
  }
}

}  // namespace

void get_on_with_start() {
  if (Watch* const watch = Watch::current()) {
    watch->get_on();
  }
}

Message take_handed(const boost::mpi::communicator& world, int rank) {
  Idle idle;
  boost::optional<boost::mpi::status> status;
  while (!(status = world.iprobe(rank, tag_exchange))) {
    idle.wait();
  }
  Message message(static_cast<std::size_t>(status->count<char>().value_or(0)));
  boost::mpi::request request =
      world.irecv(rank, tag_exchange, message.data(), static_cast<int>(message.size()));
  while (!request.test()) {
    idle.wait();
  }
  get_on_with_start();
  return message;
}

void hand(const boost::mpi::communicator& world, const std::vector<int>& ranks,
          const Message& message) {
  Outbox outbox(world);
  for (const int rank : ranks) {
    outbox.send(rank, tag_exchange, message);
  }
  wait_until_sent(outbox);
}

std::vector<Message> collect(const boost::mpi::communicator& world, Message own) {
  std::vector<Message> all;
  if (world.rank() != 0) {
    hand(world, {0}, own);
    return all;
  }
  all.push_back(std::move(own));
  for (int rank = 1; rank < world.size(); ++rank) {
    all.push_back(take_handed(world, rank));
  }
  return all;
}

Message hand_out(const boost::mpi::communicator& world, Message message) {
  if (world.rank() != 0) {
    return take_handed(world, 0);
  }
  std::vector<int> others(static_cast<std::size_t>(world.size()) - 1);
  std::iota(others.begin(), others.end(), 1);
  hand(world, others, message);
  return message;
}

}  // namespace gridcast::sweep
