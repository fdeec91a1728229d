#pragma once
/// Figures as people read them: the same on terminals, in messages and on pages, in every locale.
/// Files for programs (JSON, CSV, stores) have full precision instead: exact().

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace gridcast {

/// Seconds with four significant digits and the unit that suits: "1.500 ms", "12 350 s", "0 s".
/// What is shorter than a femtosecond is left over by rounding: "0 s".
[[nodiscard]] std::string seconds_text(double seconds);

/// Bytes with four significant digits and the unit that suits, powers of 1000: "1.500 MB".
[[nodiscard]] std::string bytes_text(double bytes);

/// A number of things: "1 processor", "20 processors".
[[nodiscard]] std::string counted(std::int64_t count, std::string_view noun);

/// An integer with narrow spaces between groups of three digits, for tables.
[[nodiscard]] std::string grouped(std::int64_t number);

/// Text for terminals with lines of more than 100 columns broken at blanks. What follows stands
/// below the beginning of the last column, a line's end behind two blanks or more; without one, two
/// blanks further in than the line; or at column `hanging`, if that is not 0. No line ends between
/// a number and its unit, or what it counts.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t hanging = 0);

/// Columns of a terminal that UTF-8 text takes: its characters.
[[nodiscard]] std::size_t columns_of(std::string_view text) noexcept;

/// The beginning of a text that takes at most so many columns.
[[nodiscard]] std::string_view first_columns(std::string_view text, std::size_t columns) noexcept;

/// The shortest decimal text that reads back as the same double.
[[nodiscard]] std::string exact(double value);

}  // namespace gridcast
