#pragma once
/// One copy per node of what rank 0 has read.

#include <boost/mpi/communicator.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace gridcast::sweep {

/// Blocks of bytes that rank 0 has and that every rank can read. The first rank of every node gets
/// them from another node's, and its neighbours map its memory. Nothing of it outlives the
/// processes, however they end.
class SharedBytes {
public:
  /// All ranks of `world` call it; `blocks` count on rank 0 only. A rank that is lost meanwhile
  /// holds up the others until the watch ends them. Throws RunError if the memory cannot be had or
  /// mapped.
  SharedBytes(const boost::mpi::communicator& world,
              const std::vector<std::span<const std::byte>>& blocks);
  ~SharedBytes();
  SharedBytes(const SharedBytes&) = delete;
  SharedBytes& operator=(const SharedBytes&) = delete;

  /// How many blocks there are.
  [[nodiscard]] std::size_t size() const noexcept { return blocks_.size(); }

  /// A block, aligned to 8.
  [[nodiscard]] std::span<const std::byte> block(std::size_t i) const { return blocks_[i]; }
  [[nodiscard]] std::string_view text(std::size_t i) const {
    return {reinterpret_cast<const char*>(blocks_[i].data()), blocks_[i].size()};
  }

private:
  int file_ = -1;  ///< of whoever leads its node: its neighbours open it
  std::span<std::byte> memory_;
  std::vector<std::span<const std::byte>> blocks_;
};

}  // namespace gridcast::sweep
