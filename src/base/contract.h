#pragma once
/// Contracts between rooms: checked in debug builds, free in release builds. What a *user* gives is
/// never checked here but always, with an InputError (error.h).

namespace gridcast {

namespace detail {
/// Prints the place of the broken contract and aborts.
[[noreturn]] void contract_broken(const char* what, const char* file, int line,
                                  const char* function) noexcept;
}  // namespace detail

/// A pre- or post-condition that only a mistake in gridcast itself can break. (The builtins stand
/// in for std::source_location, which clang 14 cannot read from the GCC 12 library.)
constexpr void expects([[maybe_unused]] bool condition, [[maybe_unused]] const char* what,
                       [[maybe_unused]] const char* file = __builtin_FILE(),
                       [[maybe_unused]] int line = __builtin_LINE(),
                       [[maybe_unused]] const char* function = __builtin_FUNCTION()) {
#ifndef NDEBUG
  if (!condition) {
    detail::contract_broken(what, file, line, function);
  }
#endif
}

}  // namespace gridcast
