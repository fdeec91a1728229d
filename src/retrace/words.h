#pragma once
/// Internal: words of a description and what they stand for.

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "settings.h"

namespace gridcast::trace {

/// What the word under a key stands for. Throws InputError for another one.
template <class Value, std::size_t n>
Value one_of(const Settings& where, std::string_view key,
             const std::array<std::pair<std::string_view, Value>, n>& words) {
  const std::string text = where.text(key);
  std::string known;
  for (const auto& [name, value] : words) {
    if (name == text) {
      return value;
    }
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  where.fail(key, "\"" + text + "\" is not known here", "expected one of " + known);
}

}  // namespace gridcast::trace
