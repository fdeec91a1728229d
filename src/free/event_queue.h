#pragma once
/// Internal: what happens in the network, in order of time.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gridcast::model {

/// Something that happens at a time; seconds from 0 on.
struct FreeEvent {
  enum class Kind : std::uint32_t {
    enter,  ///< a message, its ports
    place,  ///< a message, a network without ports
    end,    ///< a message leaves its ports
  };
  double time = 0.0;
  Kind kind = Kind::enter;
  std::uint32_t a = 0, b = 0;  ///< block and message; of an end, port and version
};

/// A queue in which nothing comes before what was taken last: a radix heap. Events lie in a bucket
/// by the highest bit in which their times differ from the last one, and get nearer to the front
/// with it. Non-negative doubles are in the order of their bits.
class EventQueue {
public:
  void clear() {
    for (auto& bucket : buckets_) {
      bucket.clear();
    }
    used_ = last_ = 0;
    next_ = unknown;
  }
  [[nodiscard]] bool empty() const noexcept { return used_ == 0; }

  /// What is earlier than the last one taken happens with it.
  void push(const FreeEvent& event) {
    if (next_ != unknown) {
      next_ = std::min(next_, std::max(bits(event), last_));
    }
    put(event);
  }

  /// The time of the next one; there must be one.
  [[nodiscard]] double next() {
    if (next_ == unknown) {
      for (const FreeEvent& event : buckets_[static_cast<std::size_t>(std::countr_zero(used_))]) {
        next_ = std::min(next_, std::max(bits(event), last_));
      }
    }
    return std::bit_cast<double>(next_);
  }
  FreeEvent pop() {
    static_cast<void>(next());
    if (buckets_[0].empty()) {
      advance();
    }
    const FreeEvent event = buckets_[0].back();
    buckets_[0].pop_back();
    if (buckets_[0].empty()) {
      used_ &= ~mask(0);
      next_ = unknown;
    }
    return event;
  }

private:
  // Times do not use the sign bit: 63 bits in which they can differ, and a bucket of equal ones.
  static std::uint64_t mask(std::size_t bucket) noexcept { return std::uint64_t{1} << bucket; }
  static std::uint64_t bits(const FreeEvent& event) noexcept {
    return std::bit_cast<std::uint64_t>(event.time);
  }
  [[nodiscard]] std::size_t bucket_of(const FreeEvent& event) const noexcept {
    const std::uint64_t own = bits(event);
    return own <= last_ ? 0 : static_cast<std::size_t>(std::bit_width(own ^ last_));
  }
  void put(const FreeEvent& event) {
    const std::size_t at = bucket_of(event);
    buckets_[at].push_back(event);
    used_ |= mask(at);
  }
  /// Goes on to the next time: what lies in its bucket gets into lower ones.
  void advance() {
    const auto first = static_cast<std::size_t>(std::countr_zero(used_));
    last_ = next_;
    used_ &= ~mask(first);
    for (const FreeEvent& event : buckets_[first]) {
      put(event);
    }
    buckets_[first].clear();
  }

  static constexpr std::uint64_t unknown = ~std::uint64_t{0};

  std::array<std::vector<FreeEvent>, 64> buckets_;
  std::uint64_t used_ = 0;  // a bit per bucket that holds something
  std::uint64_t last_ = 0;  // the time taken last
  std::uint64_t next_ = unknown;
};

}  // namespace gridcast::model
