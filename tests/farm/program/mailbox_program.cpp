/// Messages to rank 0, for tests under mpirun with 3 ranks: mailbox_program BOARD. Rank 1 is killed
/// when only the beginning of its long message is out; then rank 2 sends long and short ones, and
/// rank 0 begins to take. Prints what it took.

#include <signal.h>
#include <unistd.h>

#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>
#include <cstdio>
#include <string>

#include "board.h"
#include "gridcast/farm/mailbox.h"

namespace {

namespace mpi = boost::mpi;
using namespace gridcast::sweep;

constexpr int tag = 1;
/// Far more than Open MPI sends without being asked for it.
constexpr std::size_t long_bytes = std::size_t{1} << 22U;
constexpr int rounds = 5;

/// Round i: a long message full of 'a' + i, then a short one.
void send_rounds(const mpi::communicator& world) {
  Outbox outbox(world);
  for (int i = 0; i < rounds; ++i) {
    const auto letter = static_cast<char>('a' + i);
    outbox.send(0, tag, Message(long_bytes, letter));
    outbox.send(0, tag, Message(1, letter));
  }
  while (outbox.settle() > 0) {
    ::usleep(100);
  }
}

void die_sending(const mpi::communicator& world, farm_test::Board& board) {
  Outbox outbox(world);
  outbox.send(0, tag, Message(long_bytes, 'x'));
  board.pid[1] = ::getpid();
  ::raise(SIGKILL);
}

void wait_for_death(const farm_test::Board& board) {
  while (board.pid[1] == 0 || ::kill(board.pid[1], 0) == 0) {
    ::usleep(100);
  }
}

void take_rounds(const mpi::communicator& world) {
  Inbox inbox(world, tag);
  Message message;
  std::string order;
  while (order.size() < std::size_t{2} * rounds) {
    if (const std::optional<int> source = inbox.take(mpi::any_source, message)) {
      const bool whole = *source == 2 && message == Message(message.size(), message.front()) &&
                         (message.size() == 1 || message.size() == long_bytes);
      order += whole ? message.front() : '?';
    }
  }
  std::printf("order=%s\n", order.c_str());
  std::fflush(stdout);
}

}  // namespace

int main(int, char** argv) {
  farm_test::Board& board = farm_test::open_board(argv[1]);
  const mpi::environment environment;
  const mpi::communicator world;
  if (world.rank() == 1) {
    die_sending(world, board);
  }
  wait_for_death(board);
  if (world.rank() == 0) {
    take_rounds(world);
  } else {
    send_rounds(world);
  }
  // MPI would wait for the rank that is gone.
  ::_exit(0);
}
