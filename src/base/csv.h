#pragma once
/// Text from outside in tables of comma-separated values. Every table that the product writes has
/// its texts from here; numbers are written as they are.

#include <string>
#include <string_view>

namespace gridcast {

/// A cell: valid UTF-8 on one line, in quotes where it holds a comma, semicolon, quote or `#`.
/// Control characters are replaced by U+FFFD. A text that a spreadsheet would take for a formula
/// (it begins with `=`, `+`, `-` or `@` and is no number) gets an apostrophe in front.
[[nodiscard]] std::string csv_cell(std::string_view text);

}  // namespace gridcast
