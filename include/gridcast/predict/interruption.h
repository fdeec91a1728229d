#pragma once
/// How a long prediction is given up.

#include <cstddef>
#include <functional>

namespace gridcast::model {

/// Says whether to give up; null: never.
using GiveUp = const std::function<bool()>*;

/// Thrown out of a prediction that was told to give up.
struct Interrupted {};

/// Asks between the operations of a prediction. On few processors it does not: those take
/// milliseconds.
class Interruption {
public:
  void ask(GiveUp give_up) noexcept { give_up_ = give_up; }

  /// Throws Interrupted if the prediction, on so many processors, is to be given up.
  void check(std::size_t processors) const {
    constexpr std::size_t many = 4096;
    if (processors >= many && give_up_ != nullptr && *give_up_ && (*give_up_)()) {
      throw Interrupted();
    }
  }

private:
  GiveUp give_up_ = nullptr;
};

}  // namespace gridcast::model
