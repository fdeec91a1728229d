#include "gridcast/farm/shared_bytes.h"

#include <algorithm>
#include <boost/mpi/collectives/broadcast.hpp>
#include <cstdint>
#include <cstring>

#include "gridcast/base/error.h"

namespace gridcast::sweep {
namespace {

void check(int result, const char* call) {
  if (result != MPI_SUCCESS) {
    throw RunError(call, "failed", "check the MPI installation and free shared memory (/dev/shm)");
  }
}

/// A communicator of this function only.
class SplitCommunicator {
public:
  static SplitCommunicator by_node(MPI_Comm world) {
    SplitCommunicator split;
    check(MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &split.handle_),
          "MPI_Comm_split_type");
    return split;
  }
  static SplitCommunicator by_color(MPI_Comm world, int color) {
    SplitCommunicator split;
    check(MPI_Comm_split(world, color, 0, &split.handle_), "MPI_Comm_split");
    return split;
  }
  SplitCommunicator(SplitCommunicator&& other) noexcept : handle_(other.handle_) {
    other.handle_ = MPI_COMM_NULL;
  }
  SplitCommunicator& operator=(SplitCommunicator&&) = delete;
  SplitCommunicator(const SplitCommunicator&) = delete;
  SplitCommunicator& operator=(const SplitCommunicator&) = delete;
  ~SplitCommunicator() {
    if (handle_ != MPI_COMM_NULL) {
      MPI_Comm_free(&handle_);
    }
  }
  [[nodiscard]] MPI_Comm get() const noexcept { return handle_; }
  [[nodiscard]] int rank() const {
    int rank = 0;
    MPI_Comm_rank(handle_, &rank);
    return rank;
  }

private:
  SplitCommunicator() = default;
  MPI_Comm handle_ = MPI_COMM_NULL;
};

/// MPI counts in int: large blocks go in pieces.
void broadcast_bytes(MPI_Comm communicator, std::byte* data, std::uint64_t size) {
  constexpr std::uint64_t piece = std::uint64_t{1} << 30U;
  for (std::uint64_t begin = 0; begin < size; begin += piece) {
    check(MPI_Bcast(data + begin, static_cast<int>(std::min(piece, size - begin)), MPI_BYTE, 0,
                    communicator),
          "MPI_Bcast");
  }
}

}  // namespace

SharedBytes::SharedBytes(const boost::mpi::communicator& world, std::span<const std::byte> bytes) {
  std::uint64_t size = bytes.size();
  boost::mpi::broadcast(world, size, 0);
  const SplitCommunicator node = SplitCommunicator::by_node(world);
  const bool leads = node.rank() == 0;
  const SplitCommunicator leaders = SplitCommunicator::by_color(world, leads ? 0 : 1);
  void* own = nullptr;
  check(MPI_Win_allocate_shared(leads ? static_cast<MPI_Aint>(size) : 0, 1, MPI_INFO_NULL,
                                node.get(), &own, &window_),
        "MPI_Win_allocate_shared");
  MPI_Aint shared_size = 0;
  int unit = 0;
  void* shared = nullptr;
  check(MPI_Win_shared_query(window_, 0, &shared_size, &unit, &shared), "MPI_Win_shared_query");
  if (reinterpret_cast<std::uintptr_t>(shared) % alignof(double) != 0) {
    throw RunError("MPI_Win_allocate_shared", "gave memory that is not aligned to 8 bytes",
                   "use another MPI");
  }
  check(MPI_Win_fence(0, window_), "MPI_Win_fence");
  if (leads) {
    if (world.rank() == 0 && !bytes.empty()) {
      std::memcpy(shared, bytes.data(), bytes.size());
    }
    broadcast_bytes(leaders.get(), static_cast<std::byte*>(shared), size);
  }
  check(MPI_Win_fence(0, window_), "MPI_Win_fence");
  bytes_ = {static_cast<const std::byte*>(shared), static_cast<std::size_t>(size)};
}

SharedBytes::~SharedBytes() {
  if (!abandoned_ && window_ != MPI_WIN_NULL) {
    MPI_Win_free(&window_);
  }
}

std::string broadcast_text(const boost::mpi::communicator& world, std::string text) {
  std::uint64_t size = text.size();
  boost::mpi::broadcast(world, size, 0);
  text.resize(static_cast<std::size_t>(size));
  boost::mpi::broadcast(world, text.data(), static_cast<int>(size), 0);
  return text;
}

}  // namespace gridcast::sweep
