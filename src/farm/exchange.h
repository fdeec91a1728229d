#pragma once
/// What ranks give each other at the start, point to point: within a collective of MPI nobody would
/// notice that a rank is gone.

#include <boost/mpi/communicator.hpp>
#include <vector>

#include "messages.h"

namespace gridcast::sweep {

/// Sends the message to these ranks, which take it with take_handed(). Returns when it has left.
void hand(const boost::mpi::communicator& world, const std::vector<int>& ranks,
          const Message& message);

/// Waits for the next message that `rank` hands to this one.
[[nodiscard]] Message take_handed(const boost::mpi::communicator& world, int rank);

/// On rank 0 the messages of all ranks, by rank; elsewhere nothing. All ranks call it.
[[nodiscard]] std::vector<Message> collect(const boost::mpi::communicator& world, Message own);

/// The message of rank 0 on every rank. All ranks call it.
[[nodiscard]] Message hand_out(const boost::mpi::communicator& world, Message message);

/// The start gets on, if anybody watches it.
void get_on_with_start();

}  // namespace gridcast::sweep
