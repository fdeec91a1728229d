#include "gridcast/base/printable.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

namespace gridcast {
namespace {

unsigned byte_at(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

/// Length of the well-formed sequence at `at`, 0 if there is none.
std::size_t sequence_length(std::string_view text, std::size_t at) {
  const unsigned lead = byte_at(text, at);
  if (lead < 0x80) {
    return 1;
  }
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || at + length > text.size()) {
    return 0;
  }
  const unsigned low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (byte_at(text, at + 1) < low || byte_at(text, at + 1) > high) {
    return 0;
  }
  for (std::size_t next = at + 2; next < at + length; ++next) {
    if ((byte_at(text, next) & 0xC0U) != 0x80) {
      return 0;
    }
  }
  return length;
}

/// The character of a well-formed sequence.
char32_t character_of(std::string_view sequence) {
  const auto lead = static_cast<std::uint32_t>(byte_at(sequence, 0));
  const std::uint32_t mask = sequence.size() == 1 ? 0x7FU : 0x7FU >> sequence.size();
  std::uint32_t code = lead & mask;
  for (std::size_t i = 1; i < sequence.size(); ++i) {
    code = code << 6U | (byte_at(sequence, i) & 0x3FU);
  }
  return code;
}

bool is_control(char32_t c) { return c < 0x20 || (c >= 0x7F && c < 0xA0); }

/// Between groups of digits on pages (grouped()); terminals may have nothing to show for it.
constexpr char32_t narrow_space = 0x202F;

/// Embeddings, overrides and isolates: what follows them may read as something else.
bool turns_direction(char32_t c) {
  return (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

/// Calls `show(character, sequence)` for each sequence, with an empty one for a wrong byte.
template <class Show>
void for_each_character(std::string_view text, const Show& show) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = sequence_length(text, at);
    const std::string_view sequence = text.substr(at, length);
    show(length == 0 ? U'\0' : character_of(sequence), sequence);
    at += length == 0 ? 1 : length;
  }
}

}  // namespace

std::string valid_utf8(std::string_view text, std::string_view replacement) {
  std::string result;
  result.reserve(text.size());
  for_each_character(text, [&](char32_t, std::string_view sequence) {
    result += sequence.empty() ? replacement : sequence;
  });
  return result;
}

std::string printable(std::string_view text, std::string_view replacement) {
  std::string result;
  result.reserve(text.size());
  for_each_character(text, [&](char32_t c, std::string_view sequence) {
    const bool shown = !sequence.empty() && !is_control(c) && !turns_direction(c);
    result += c == narrow_space && shown ? " " : shown ? sequence : replacement;
  });
  return result;
}

std::string printable_lines(std::string_view text) {
  std::string result;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    result += printable(text.substr(begin, end - begin));
    if (end == std::string_view::npos) {
      break;
    }
    result += '\n';
    begin = end + 1;
  }
  return result;
}

std::string json_quoted(std::string_view text) {
  std::string result = "\"";
  const auto stands_for_itself = [](char c) {
    return c >= ' ' && c <= '~' && c != '"' && c != '\\';
  };
  if (std::all_of(text.begin(), text.end(), stands_for_itself)) {  // nearly all texts
    result.append(text).push_back('"');
    return result;
  }
  for_each_character(text, [&](char32_t c, std::string_view sequence) {
    if (sequence.empty()) {
      result += replacement_character;
    } else if (is_control(c)) {
      std::array<char, 8> escaped{};
      std::snprintf(escaped.data(), escaped.size(), "\\u%04x", static_cast<unsigned>(c));
      result += escaped.data();
    } else {
      result += c == U'"' || c == U'\\' ? "\\" : "";
      result += sequence;
    }
  });
  return result + "\"";
}

}  // namespace gridcast
