#pragma once
/// Internal: what is done in an operation.

#include "gridcast/figures/losses.h"
#include "gridcast/rules/observer.h"

namespace gridcast::model {

/// What an operation is about.
[[nodiscard]] Activity activity_of(const Op& op) noexcept;

/// The same of a piece of work in it.
[[nodiscard]] constexpr Activity activity_of(Work work, Activity operation) noexcept {
  return work == Work::library ? Activity::library : work == Work::io ? Activity::io : operation;
}

}  // namespace gridcast::model
