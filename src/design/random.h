#pragma once
/// Random numbers that are the same on every machine and with every standard library: designs of
/// experiments are repeated from their seed alone.

#include <cstdint>
#include <initializer_list>

namespace gridcast::design {

/// A stream of pseudo-random numbers: the SplitMix64 generator of Steele, Lea and Flood (2014), a
/// counter with a mixing function. Good enough for designs, and a stream costs nothing to start.
class Random {
public:
  /// `key`: numbers that name the stream (seed, factor, run, …); different keys give independent
  /// streams.
  explicit Random(std::initializer_list<std::uint64_t> key) noexcept;

  /// 64 random bits.
  [[nodiscard]] std::uint64_t next() noexcept;

  /// A multiple of 2^-53 in 0 ... 1, 1 excluded.
  [[nodiscard]] double uniform() noexcept;

  /// A whole number in 0 ... limit - 1, each equally likely. Precondition: limit > 0.
  [[nodiscard]] std::uint64_t below(std::uint64_t limit) noexcept;

private:
  std::uint64_t state_ = 0;
};

}  // namespace gridcast::design
