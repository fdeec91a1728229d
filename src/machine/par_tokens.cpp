#include "par_tokens.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <utility>

#include "gridcast/base/characters.h"
#include "gridcast/base/error.h"

namespace gridcast::machine::par {
namespace {

bool is_name_character(char c) {
  return is_digit(c) || is_letter(c) ||
         (c != '\0' && std::string_view("_-+@#:$").find(c) != std::string_view::npos);
}
bool is_symbol(char c) {
  return c != '\0' && std::string_view(".;,{}()=").find(c) != std::string_view::npos;
}
bool is_white(char c) { return is_blank(c) || c == '\v' || c == '\f'; }

class Tokenizer {
public:
  Tokenizer(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  std::vector<Token> run() {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (text_.starts_with(byte_order_mark)) {
      at_ = byte_order_mark.size();
    }
    while (true) {
      skip_blanks_and_comments();
      if (at_ >= text_.size()) {
        break;
      }
      if (is_name_character(text_[at_]) && (names_part() || !starts_number())) {
        take(TokenKind::word, name_length(at_));
      } else if (starts_number()) {
        number();
      } else if (is_symbol(text_[at_])) {
        take(TokenKind::symbol, 1);
      } else {
        unexpected_character();
      }
    }
    result_.push_back({TokenKind::end, "end of file", 0.0, line_});
    return std::move(result_);
  }

private:
  [[nodiscard]] char peek(std::size_t offset) const {
    return at_ + offset < text_.size() ? text_[at_ + offset] : '\0';
  }

  void skip_blanks_and_comments() {
    // Copies from the manual carry no-break spaces (U+00A0).
    constexpr std::string_view no_break_space = "\xC2\xA0";
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n' || (c == '\r' && peek(1) != '\n')) {
        ++line_;
        ++at_;
      } else if (is_white(c) || c == '\r') {
        ++at_;
      } else if (text_.substr(at_).starts_with(no_break_space)) {
        at_ += no_break_space.size();
      } else if (c == '/' && peek(1) == '/') {
        at_ = std::min(text_.find_first_of("\r\n", at_), text_.size());
      } else {
        return;
      }
    }
  }

  [[nodiscard]] std::size_t name_length(std::size_t from) const {
    std::size_t to = from;
    while (to < text_.size() && is_name_character(text_[to])) {
      ++to;
    }
    return to - from;
  }

  /// Behind a point between words stands a name, also of digits only ("c.Segments.4096.TStart").
  [[nodiscard]] bool names_part() const {
    return result_.size() > 1 && result_.back().is('.') &&
           result_[result_.size() - 2].kind == TokenKind::word;
  }

  [[nodiscard]] bool starts_number() const {
    const char c = text_[at_];
    if (c == '.') {
      // After a word a point separates name and attribute.
      return is_digit(peek(1)) && (result_.empty() || result_.back().kind != TokenKind::word);
    }
    if (c == '-' || c == '+') {
      return is_digit(peek(1)) || (peek(1) == '.' && is_digit(peek(2)));
    }
    return is_digit(c);
  }

  // A number; or a name that begins with digits ("2way"). "4xnode" is the number 4 and "xnode".
  void number() {
    const std::size_t sign = text_[at_] == '+' ? 1 : 0;  // from_chars knows only '-'
    const char* const begin = text_.data() + at_ + sign;
    double value = 0.0;
    const auto [next, status] = std::from_chars(begin, text_.data() + text_.size(), value);
    const auto length = static_cast<std::size_t>(next - begin) + sign;
    const std::string_view digits = text_.substr(at_, length);
    const std::size_t glued = name_length(at_ + length);
    const bool whole = digits.find_first_not_of("0123456789") == std::string_view::npos;
    const char follower = peek(length);
    if (glued != 0 && !(whole && (follower == 'x' || follower == 'X'))) {
      if (!whole) {
        malformed(length + glued);
      }
      take(TokenKind::word, length + glued);
      return;
    }
    if (follower == '.' || status == std::errc::result_out_of_range) {
      malformed(length);
    }
    take(TokenKind::number, length);
    result_.back().value = value;
  }

  void take(TokenKind kind, std::size_t length) {
    result_.push_back({kind, std::string(text_.substr(at_, length)), 0.0, line_});
    at_ += length;
  }

  [[noreturn]] void malformed(std::size_t length) const {
    throw InputError(file_, line_, in_quotes(text_.substr(at_, length)) + " is not a usable number",
                     "expected digits, at most one point and an exponent like 1.5e-3");
  }

  [[noreturn]] void unexpected_character() const {
    throw InputError(file_, line_, "unexpected character " + in_quotes(text_.substr(at_, 1)),
                     "expected statements like mvs.TStart = 7; of a machine file");
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::vector<Token> result_;
};

}  // namespace

std::vector<Token> tokens(std::string_view text, const std::string& file) {
  return Tokenizer(text, file).run();
}

std::optional<std::int64_t> integer(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
  }
  std::int64_t value = 0;
  const auto [next, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || next != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 48;
  std::string result = "'";
  for (const char c : text.substr(0, longest)) {
    if (c >= ' ' && c <= '~') {
      result += c;
    } else {
      std::array<char, 8> hexadecimal{};
      std::snprintf(hexadecimal.data(), hexadecimal.size(), "\\x%02x",
                    static_cast<unsigned>(static_cast<unsigned char>(c)));
      result += hexadecimal.data();
    }
  }
  return result + (text.size() > longest ? "...'" : "'");
}

std::string shortest(double value) {
  std::array<char, 40> buffer{};
  const auto [end, status] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return status == std::errc{} ? std::string(buffer.data(), end) : std::string();
}

std::string rounded(double value, int digits) {
  std::array<char, 40> buffer{};
  const auto [end, status] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                           std::chars_format::general, digits);
  return status == std::errc{} ? std::string(buffer.data(), end) : std::string();
}

std::string gigabytes(double byte_time) { return rounded(1e-9 / byte_time, 4) + " GB/s"; }

}  // namespace gridcast::machine::par
