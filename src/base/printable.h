#pragma once
/// Text from outside (names in traces, machines and stores, file names) for people and programs.
/// Every place that shows such text on a terminal or writes it as JSON uses these functions.

#include <string>
#include <string_view>

namespace gridcast {

/// What stands for a byte or character that cannot be shown: U+FFFD.
inline constexpr std::string_view replacement_character = "\xEF\xBF\xBD";

/// The text with each byte that is not part of well-formed UTF-8 (Unicode 15, table 3-7) replaced.
[[nodiscard]] std::string valid_utf8(std::string_view text,
                                     std::string_view replacement = replacement_character);

/// Valid UTF-8 on one line that cannot steer a terminal: control characters (also those of two
/// bytes, U+0080 to U+009F) and characters that turn the direction of writing are replaced; narrow
/// no-break spaces become blanks.
[[nodiscard]] std::string printable(std::string_view text,
                                    std::string_view replacement = replacement_character);

/// The same for text of several lines.
[[nodiscard]] std::string printable_lines(std::string_view text);

/// A JSON string with its quotes, valid whatever the text holds; control characters are escaped.
[[nodiscard]] std::string json_quoted(std::string_view text);

}  // namespace gridcast
