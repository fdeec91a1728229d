#pragma once
/// What the ranks of a test program tell each other beside MPI: memory that all of them share.

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <new>
#include <stdexcept>
#include <string>

namespace farm_test {

struct Board {
  static constexpr std::size_t most_ranks = 64;
  std::array<std::atomic<int>, most_ranks> pid{};
  /// By which the leases of a master run out: stands still unless it is moved.
  std::array<std::atomic<double>, most_ranks> clock{};
  std::atomic<int> hung{0};            ///< workers that hang
  std::atomic<int> master_of_hung{0};  ///< of the last of them
  std::atomic<int> held{0};            ///< workers that wait in an evaluation
  std::atomic<bool> released{false};   ///< ... and need not any more
};

/// The board in this file; one that nobody else sees without a name. A new file is all zeros, which
/// is a new board.
inline Board& open_board(const std::string& path) {
  int file = -1;
  if (!path.empty()) {
    file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0 || ::ftruncate(file, sizeof(Board)) != 0) {
      throw std::runtime_error(path);
    }
  }
  void* memory = ::mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE,
                        MAP_SHARED | (file < 0 ? MAP_ANONYMOUS : 0), file, 0);
  if (memory == MAP_FAILED) {
    throw std::runtime_error("mmap " + path);
  }
  return *std::launder(static_cast<Board*>(memory));
}

}  // namespace farm_test
