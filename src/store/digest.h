#pragma once
/// Digests that tell damaged bytes from those that were written: XXH3, fast enough to cost nothing
/// beside reading. They guard against accidents, not against forgery.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace gridcast::store {

/// 64 bits; bytes that were changed by chance keep their digest once in 10^19 times.
[[nodiscard]] std::uint64_t digest64(std::span<const std::byte> bytes,
                                     std::uint64_t seed = 0) noexcept;

/// 128 bits over bytes that come in pieces.
class DigestStream {
public:
  using Digest = std::array<std::uint64_t, 2>;
  DigestStream();
  DigestStream(const DigestStream&) = delete;
  DigestStream& operator=(const DigestStream&) = delete;
  ~DigestStream();
  void add(std::span<const std::byte> bytes) noexcept;
  /// Of all bytes so far.
  [[nodiscard]] Digest value() const noexcept;

private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gridcast::store
