/// What a message costs a master, under mpirun with 2 ranks: processor time to take results of one
/// row and to send a batch of one task, without the work on tasks and rows. Rank 0 prints one line
/// of key=value: microseconds to send, to take, and their mean.

#include <fmt/core.h>

#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>
#include <ctime>
#include <utility>

#include "gridcast/farm/mailbox.h"

namespace {

namespace mpi = boost::mpi;
using namespace gridcast::sweep;

constexpr int rounds = 200;
constexpr int messages = 500;
constexpr int tag_turn = 73;

double processor_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void send_all(Outbox& outbox, int rank, int tag, const Message& message) {
  for (int i = 0; i < messages; ++i) {
    outbox.send(rank, tag, message);
  }
}

void take_all(const mpi::communicator& world, int rank, int tag) {
  Inbox inbox(world, tag);
  Message message;
  for (int taken = 0; taken < messages;) {
    taken += inbox.take(rank, message) ? 1 : 0;
  }
}

}  // namespace

int main() {
  const mpi::environment environment;
  const mpi::communicator world;
  const int other = 1 - world.rank();
  Message batch;
  write_batch(batch, {1, 0, std::vector<Task>(1)});
  Results one;
  one.rows.resize(1);
  Message results;
  write_results(results, 1, one, 0.0);
  Outbox outbox(world);
  double sending = 0.0;
  double taking = 0.0;
  for (int round = 0; round < rounds; ++round) {
    if (world.rank() == 1) {
      send_all(outbox, other, tag_to_master, results);
      world.send(other, tag_turn);
      take_all(world, other, tag_to_worker);
      continue;
    }
    // All results are there before the first is taken.
    world.recv(other, tag_turn);
    double begin = processor_seconds();
    take_all(world, other, tag_to_master);
    taking += processor_seconds() - begin;
    begin = processor_seconds();
    send_all(outbox, other, tag_to_worker, batch);
    sending += processor_seconds() - begin;
  }
  while (outbox.settle() > 0) {
  }
  if (world.rank() == 0) {
    constexpr double all = 1.0 * rounds * messages;
    fmt::print("send_us={:.4f} take_us={:.4f} message_us={:.4f}\n", 1e6 * sending / all,
               1e6 * taking / all, 0.5e6 * (sending + taking) / all);
  }
  return 0;
}
