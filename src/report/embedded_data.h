#pragma once
/// Internal: data of a page for its scripts.

#include <cstdint>
#include <string>
#include <string_view>

namespace gridcast::report {

enum class DataKind : std::uint8_t {
  json,    ///< for JSON.parse
  packed,  ///< numbers as packed_text() has them
};

/// The element that scripts find by `id`: the only place where a page gets data for scripts.
/// Nothing in `text` can end the element or begin another one: <, >, & and the line separators
/// U+2028 and U+2029, which JSON has only inside of strings, stand as escapes of JSON.
[[nodiscard]] std::string data_element(std::string_view id, DataKind kind, std::string_view text);

}  // namespace gridcast::report
