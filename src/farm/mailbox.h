#pragma once
/// Sending and receiving messages without ever blocking in MPI.

#include <boost/mpi/communicator.hpp>
#include <boost/mpi/request.hpp>
#include <list>
#include <optional>

#include "messages.h"

namespace gridcast::sweep {

/// Messages on their way to other ranks. Those to a rank that is gone never arrive: their memory is
/// kept until the outbox is destroyed.
class Outbox {
public:
  explicit Outbox(const boost::mpi::communicator& world) : world_(&world) {}

  /// Starts to send; the outbox keeps the message until it has arrived. Returns false if MPI knows
  /// that the rank cannot be reached.
  bool send(int rank, int tag, Message message);

  /// Forgets messages that have arrived; returns how many have not.
  std::size_t settle();

private:
  struct Sent {
    Message message;
    boost::mpi::request request;
  };
  const boost::mpi::communicator* world_;
  std::list<Sent> sent_;        ///< addresses of messages must not change
  std::size_t settle_at_ = 16;  ///< messages on their way at which they are looked at again
};

/// Messages with one tag that come in from other ranks. The beginning of a long one comes before
/// the rest, which never comes if its sender is killed in between: it is left alone then.
class Inbox {
public:
  Inbox(const boost::mpi::communicator& world, int tag) : world_(&world), tag_(tag) {}

  /// Takes the next message that has come in whole from `rank` (or boost::mpi::any_source), in the
  /// order in which its sender sent them; returns the sender, nothing if there is none.
  [[nodiscard]] std::optional<int> take(int rank, Message& message);

private:
  struct Begun {
    int source = 0;
    Message message;
    boost::mpi::request request;
    bool complete = false;
  };
  [[nodiscard]] std::optional<int> take_begun(int rank, Message& message);
  [[nodiscard]] bool has_begun(int source) const;

  const boost::mpi::communicator* world_;
  int tag_;
  std::list<Begun> begun_;  ///< oldest first; addresses of messages must not change
};

}  // namespace gridcast::sweep
