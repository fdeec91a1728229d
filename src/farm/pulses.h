#pragma once
/// Signs of life between rank 0 and each other rank.

#include <boost/mpi/communicator.hpp>
#include <boost/mpi/request.hpp>
#include <functional>
#include <map>
#include <optional>

#include "process.h"

namespace gridcast::sweep {

/// What a sign of life says about its sender.
enum class Pulse : int {
  alive,
  reading,  ///< rank 0 reads the inputs, and gets on
  over,     ///< rank 0: the end of MPI may come
  failed,   ///< it ends because a rank is lost
};

/// Used by the thread of the watch only, beside the main thread: needs MPI_THREAD_MULTIPLE.
class Pulses {
public:
  /// `others`: who is heard of, by rank; heard just now.
  Pulses(const boost::mpi::communicator& world, const std::map<int, ProcessIdentity>& others);

  /// To all others that took the one before.
  void send(Pulse pulse);

  /// Takes those that have come in.
  void take(double now, const std::function<void(Pulse)>& heard);

  /// Whether all that was sent has left.
  [[nodiscard]] bool settled();

  /// A rank that was last heard before `time`.
  [[nodiscard]] std::optional<int> find_silent(double time) const;

  /// The process of a rank; none of one that is not heard of.
  [[nodiscard]] ProcessWatch process_of(int rank) const;

  /// A rank of this host whose process is gone.
  [[nodiscard]] std::optional<int> find_gone() const;

  /// The silence of so many seconds does not count.
  void excuse(double seconds);

  void forget(int rank) { others_.erase(rank); }

private:
  struct Other {
    double heard = 0.0;
    ProcessWatch process;
  };
  struct Sent {
    int value = 0;
    boost::mpi::request request;
  };
  boost::mpi::communicator world_;
  std::map<int, Other> others_;
  std::map<int, Sent> sent_;  ///< addresses do not change
};

}  // namespace gridcast::sweep
