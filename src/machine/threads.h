#pragma once
/// Numbers of threads that a search chooses among, and the machine as processes of each of them see
/// it (docs/search.md, "Threads").

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gridcast/machine/cluster.h"

namespace gridcast::machine {

/// Numbers of threads of searches that do not choose among several.
inline constexpr std::array<std::int32_t, 1> one_thread{1};

/// The most threads of a process that a search chooses.
inline constexpr std::int32_t most_threads = 2048;

/// Reads a list such as "1,2,4,8", at most most_threads each: ascending, each once. Throws
/// InputError.
[[nodiscard]] std::vector<std::int32_t> parse_threads(std::string_view text);

/// "1,2,4,8".
[[nodiscard]] std::string threads_text(std::span<const std::int32_t> numbers);

/// A cluster for processes of each of some numbers of threads.
class ThreadedClusters {
public:
  ThreadedClusters() = default;

  /// `numbers`: ascending, each once, not empty. Throws InputError as Cluster::with_threads().
  ThreadedClusters(const Cluster& cluster, std::span<const std::int32_t> numbers);

  /// The cluster itself.
  [[nodiscard]] const Cluster& whole() const noexcept { return whole_; }

  [[nodiscard]] std::span<const std::int32_t> numbers() const noexcept { return numbers_; }

  /// Cluster::with_threads(numbers()[i]).
  [[nodiscard]] const Cluster& at(std::size_t i) const { return clusters_[i]; }

  /// The cluster for a number of threads. Precondition: it is one of numbers().
  [[nodiscard]] const Cluster& of(std::int32_t threads) const { return at(place_of(threads)); }

  /// The place of a number of threads in numbers(). Precondition: it is there.
  [[nodiscard]] std::size_t place_of(std::int32_t threads) const;

private:
  Cluster whole_;
  std::vector<std::int32_t> numbers_;
  std::vector<Cluster> clusters_;
};

}  // namespace gridcast::machine
