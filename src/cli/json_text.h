#pragma once
/// Small JSON texts of commands; those of predictions are made in the report room.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "gridcast/base/json_writer.h"

namespace gridcast::cli {

/// The text in quotes (RFC 8259). Bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string json_string(std::string_view text);

/// The shortest number that reads back the same; null if it is not finite.
[[nodiscard]] std::string json_number(double number);

/// "[4,2]".
[[nodiscard]] std::string json_array(std::span<const std::int64_t> numbers);

/// What `write` writes.
[[nodiscard]] std::string json_text(const std::function<void(JsonWriter&)>& write);

}  // namespace gridcast::cli
