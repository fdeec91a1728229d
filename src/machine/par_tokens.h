#pragma once
/// Words, numbers and symbols of a .par file ([Predictor2010 §2.4]). Both formats share them.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gridcast/base/characters.h"

namespace gridcast::machine::par {

enum class TokenKind : std::uint8_t { word, number, symbol, end };

/// One token and the line it stands in.
struct Token {
  TokenKind kind = TokenKind::end;
  std::string text;      ///< as written
  double value = 0.0;    ///< of a number
  std::size_t line = 1;  ///< 1-based

  [[nodiscard]] bool is(char symbol) const noexcept {
    return kind == TokenKind::symbol && text[0] == symbol;
  }
};

/// Splits `text` into tokens, the last of which is `end`. Comments run from // to the end of the
/// line; lines end with LF, CRLF or CR. Throws InputError with `file` and the line for a character
/// that has no meaning and for a malformed number.
std::vector<Token> tokens(std::string_view text, const std::string& file);

/// The integer that the text of a number stands for, if it is one (no point, no exponent).
std::optional<std::int64_t> integer(std::string_view text);

/// `text` in quotes for a message: shortened and with nothing unprintable in it.
std::string in_quotes(std::string_view text);

/// The shortest decimal number that reads back as exactly `value`.
std::string shortest(double value);

/// The value to so many significant digits.
std::string rounded(double value, int digits);

/// The speed of a network that takes `byte_time` seconds per byte: "12.5 GB/s".
std::string gigabytes(double byte_time);

}  // namespace gridcast::machine::par
