#pragma once
/// Classes of ASCII characters. Not those of `cctype`: their answers depend on the locale.

#include <string>
#include <string_view>

namespace gridcast {

/// '0' ... '9'.
[[nodiscard]] constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

/// 'A' ... 'Z' and 'a' ... 'z'.
[[nodiscard]] constexpr bool is_letter(char c) noexcept {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/// A character of a name after its first: letter, digit or underscore.
[[nodiscard]] constexpr bool is_in_name(char c) noexcept {
  return is_letter(c) || is_digit(c) || c == '_';
}

/// Small letters in place of 'A' ... 'Z'.
[[nodiscard]] inline std::string lowered(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return result;
}

/// Space or tab: what may stand between words of a line.
[[nodiscard]] constexpr bool is_blank(char c) noexcept { return c == ' ' || c == '\t'; }

}  // namespace gridcast
