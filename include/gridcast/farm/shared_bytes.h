#pragma once
/// One copy per node of what rank 0 has read.

#include <mpi.h>

#include <boost/mpi/communicator.hpp>
#include <cstddef>
#include <span>
#include <string>

namespace gridcast::sweep {

/// A block of bytes that rank 0 has and that every rank can read. The ranks of a node share one
/// copy in an MPI shared-memory window; one rank per node takes part in the broadcast.
class SharedBytes {
public:
  /// Collective over `world`; `bytes` counts on rank 0 only. The block is aligned to 8.
  SharedBytes(const boost::mpi::communicator& world, std::span<const std::byte> bytes);

  /// Collective, unless abandon() was called.
  ~SharedBytes();
  SharedBytes(const SharedBytes&) = delete;
  SharedBytes& operator=(const SharedBytes&) = delete;

  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return bytes_; }

  /// Leaves the window to the end of the process: some rank is gone and cannot take part in
  /// freeing.
  void abandon() noexcept { abandoned_ = true; }

private:
  MPI_Win window_ = MPI_WIN_NULL;
  std::span<const std::byte> bytes_;
  bool abandoned_ = false;
};

/// Rank 0's text on every rank; collective.
[[nodiscard]] std::string broadcast_text(const boost::mpi::communicator& world, std::string text);

}  // namespace gridcast::sweep
