#pragma once
/// Times messages between ranks of MPI.

#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "gridcast/measure/levels.h"
#include "gridcast/measure/samples.h"

namespace gridcast::measure {

/// MPI for the life of the object; initialises it unless it runs already.
class MpiSession {
public:
  MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;
  ~MpiSession();

  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int size() const noexcept { return size_; }

  /// Collective: host and socket of every rank.
  [[nodiscard]] std::vector<Place> places() const;

  /// Collective: the processors that the ranks on the host of rank 0 may run on, together.
  [[nodiscard]] std::vector<int> processors_of_host(std::span<const Place> places) const;

  /// Collective: rank 0 does the work while all others sleep. What it throws is thrown there when
  /// they are awake again.
  void on_first_alone(const std::function<void()>& work) const;

  /// Collective: what rank 0 says.
  [[nodiscard]] bool all_as_first(bool value) const;

private:
  int rank_ = 0;
  int size_ = 1;
  bool owner_ = false;
};

/// A transport over pairs of ranks; lives within the session. Every rank makes the same calls.
[[nodiscard]] std::unique_ptr<Transport> mpi_transport(const MpiSession& session,
                                                       std::vector<std::pair<int, int>> pairs);

}  // namespace gridcast::measure
