#pragma once
/// Internal: numbers for things that are equal, by a hash and a comparison.

#include <cstdint>
#include <vector>

namespace gridcast::network {

/// A hash of numbers that are told to it one after the other.
class Hash {
public:
  void add(std::uint64_t value) noexcept {
    value_ = (value_ ^ value) * 0x9e3779b97f4a7c15U;
    value_ ^= value_ >> 29U;
  }
  [[nodiscard]] std::uint64_t value() const noexcept { return value_; }

private:
  std::uint64_t value_ = 0x2545f4914f6cdd1dU;
};

/// Finds the number of something equal. What the numbers stand for is the caller's.
class Interner {
public:
  /// No number of anything.
  static constexpr std::uint32_t unknown = UINT32_MAX;

  void clear() {
    slots_.assign(least_slots, Slot{});
    count_ = 0;
  }

  /// The number of what has this hash and for which same(number) holds; otherwise `fresh`, which is
  /// known from now on.
  template <class Same>
  std::uint32_t find(std::uint64_t hash, std::uint32_t fresh, Same&& same) {
    if (2 * count_ >= slots_.size()) {
      grow();
    }
    std::size_t at = place(hash);
    for (; slots_[at].number != unknown; at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at].hash == hash && same(slots_[at].number)) {
        return slots_[at].number;
      }
    }
    slots_[at] = {hash, fresh};
    ++count_;
    return fresh;
  }

private:
  static constexpr std::size_t least_slots = 64;  // a power of two
  struct Slot {
    std::uint64_t hash = 0;
    std::uint32_t number = unknown;
  };

  [[nodiscard]] std::size_t place(std::uint64_t hash) const noexcept {
    return static_cast<std::size_t>(hash >> 7U) & (slots_.size() - 1);
  }
  void grow() {
    std::vector<Slot> before(slots_.empty() ? least_slots : 2 * slots_.size());
    before.swap(slots_);
    for (const Slot& slot : before) {
      if (slot.number != unknown) {
        std::size_t at = place(slot.hash);
        for (; slots_[at].number != unknown; at = (at + 1) & (slots_.size() - 1)) {
        }
        slots_[at] = slot;
      }
    }
  }

  std::vector<Slot> slots_;
  std::size_t count_ = 0;
};

}  // namespace gridcast::network
