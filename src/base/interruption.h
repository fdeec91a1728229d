#pragma once
/// How long work is given up.

#include <cstddef>
#include <functional>

namespace gridcast {

/// Says whether to give up; null: never.
using GiveUp = const std::function<bool()>*;

/// Thrown out of work that was told to give up.
struct Interrupted {};

/// Asks between the operations of a prediction, and within those that take long. On few processors
/// operations take microseconds and are not asked after.
class Interruption {
public:
  void ask(GiveUp give_up) noexcept { give_up_ = give_up; }

  /// Before an operation on so many processors. Throws Interrupted if it is to be given up.
  void check(std::size_t processors) {
    constexpr std::size_t many = 4096;
    steps_ = 0;
    if (processors >= many) {
      check();
    }
  }

  /// Within one, after so many steps that take a few nanoseconds up to a microsecond each.
  void count(std::size_t steps = 1) {
    steps_ += steps;
    if (steps_ >= steps_between) {
      check();
    }
  }

  /// Steps that go by before it is asked.
  static constexpr std::size_t steps_between = std::size_t{1} << 16U;

private:
  void check() {
    steps_ = 0;
    if (give_up_ != nullptr && *give_up_ && (*give_up_)()) {
      throw Interrupted();
    }
  }

  GiveUp give_up_ = nullptr;
  std::size_t steps_ = 0;
};

}  // namespace gridcast
