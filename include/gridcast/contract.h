#pragma once
/// Contracts between rooms: checked in debug builds, free in release builds. What a *user* gives is
/// never checked here but always, with an InputError (error.h).

#include <source_location>

namespace gridcast {

namespace detail {
/// Prints the place of the broken contract and aborts.
[[noreturn]] void contract_broken(const char* what, const std::source_location& place) noexcept;
}  // namespace detail

/// A pre- or post-condition that only a mistake in gridcast itself can break.
constexpr void expects(
    [[maybe_unused]] bool condition, [[maybe_unused]] const char* what,
    [[maybe_unused]] const std::source_location& place = std::source_location::current()) {
#ifndef NDEBUG
  if (!condition) {
    detail::contract_broken(what, place);
  }
#endif
}

}  // namespace gridcast
