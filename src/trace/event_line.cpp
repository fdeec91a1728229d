#include "gridcast/trace/event_line.h"

#include <array>
#include <charconv>
#include <cmath>

#include "gridcast/base/characters.h"

namespace gridcast::trace {
namespace {

void skip_blanks(std::string_view& text) noexcept {
  std::size_t i = 0;
  while (i < text.size() && is_blank(text[i])) {
    ++i;
  }
  text.remove_prefix(i);
}

std::string_view take_word(std::string_view& text) noexcept {
  std::size_t i = 0;
  while (i < text.size() && !is_blank(text[i])) {
    ++i;
  }
  const std::string_view word = text.substr(0, i);
  text.remove_prefix(i);
  return word;
}

std::optional<EventLine> marked(std::string_view word) {
  EventLine event;
  if (word.starts_with("call_")) {
    event.kind = EventKind::call;
    event.name = word.substr(5);
  } else if (word.starts_with("ret_")) {
    event.kind = EventKind::ret;
    event.name = word.substr(4);
  } else if (word.starts_with("Event_")) {
    event.kind = EventKind::event;
    event.name = word.substr(6);
  } else {
    return std::nullopt;
  }
  return event.name.empty() ? std::nullopt : std::optional(event);
}

constexpr std::array<double, 19> powers_of_ten = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,
                                                  1e7,  1e8,  1e9,  1e10, 1e11, 1e12, 1e13,
                                                  1e14, 1e15, 1e16, 1e17, 1e18};

/// Seconds. Fixed notation with few digits is one exact division, correctly rounded as from_chars
/// would do it, at a fraction of the cost.
bool parse_seconds(std::string_view word, double& value) {
  constexpr std::uint64_t exact = std::uint64_t{1} << 53U;
  std::uint64_t digits = 0;
  std::size_t fraction = 0;
  std::size_t i = 0;
  bool any = false;
  bool point = false;
  for (; i < word.size() && digits < exact / 16; ++i) {
    if (is_digit(word[i])) {
      digits = digits * 10 + static_cast<std::uint64_t>(word[i] - '0');
      fraction += point ? 1 : 0;
      any = true;
    } else if (word[i] == '.' && !point) {
      point = true;
    } else {
      break;
    }
  }
  if (i == word.size() && any && fraction < powers_of_ten.size()) {
    value = static_cast<double>(digits) / powers_of_ten[fraction];
    return true;
  }
  const char* const end = word.data() + word.size();
  const auto result = std::from_chars(word.data(), end, value);
  return result.ec == std::errc{} && result.ptr == end && std::isfinite(value);
}

bool parse_line_number(std::string_view word, std::uint32_t& value) {
  const char* const end = word.data() + word.size();
  const auto result = std::from_chars(word.data(), end, value);
  return result.ec == std::errc{} && result.ptr == end;
}

/// The keys after (or before) the mark.
struct Keys {
  std::optional<std::string_view> time, line, file;
  std::string_view mark;
};

Keys read_keys(std::string_view text) {
  Keys keys;
  for (skip_blanks(text); !text.empty(); skip_blanks(text)) {
    std::size_t i = 0;
    while (i < text.size() && (is_letter(text[i]) || text[i] == '_')) {
      ++i;
    }
    const std::string_view key = text.substr(0, i);
    std::string_view rest = text.substr(i);
    skip_blanks(rest);
    if (key.empty() || rest.empty() || rest.front() != '=') {
      const std::string_view word = take_word(text);  // a number after TIME, the mark, a comment
      if (keys.mark.empty() && marked(word)) {
        keys.mark = word;
      }
      continue;
    }
    rest.remove_prefix(1);
    skip_blanks(rest);
    const std::string_view value = take_word(rest);
    text = rest;
    if (key == "TIME" && !keys.time) {
      keys.time = value;
    } else if (key == "LINE" && !keys.line) {
      keys.line = value;
    } else if (key == "FILE" && !keys.file) {
      keys.file = value;
    } else if (key == "NAME" && keys.mark.empty()) {
      keys.mark = value;
    }
  }
  return keys;
}

}  // namespace

std::optional<EventLine> parse_event_line(std::string_view line, bool& damaged) {
  damaged = false;
  skip_blanks(line);
  if (line.size() < 5) {
    return std::nullopt;
  }
  switch (line.front()) {  // most lines are not event lines: see that at once
    case 'c':
    case 'r':
    case 'E':
      if (!marked(line.substr(0, 7))) {
        return std::nullopt;
      }
      break;
    case 'N':
    case 'T':
    case 'L':
    case 'F': {
      const std::string_view key = line.substr(0, 4);
      if (key != "NAME" && key != "TIME" && key != "LINE" && key != "FILE") {
        return std::nullopt;
      }
      break;
    }
    default:
      return std::nullopt;
  }
  const Keys keys = read_keys(line);
  if (!keys.time || !keys.line || !keys.file) {
    return std::nullopt;
  }
  std::optional<EventLine> event = marked(keys.mark);
  if (!event) {
    return std::nullopt;
  }
  event->file = *keys.file;
  damaged = !parse_seconds(*keys.time, event->time) || !parse_line_number(*keys.line, event->line);
  return event;
}

}  // namespace gridcast::trace
