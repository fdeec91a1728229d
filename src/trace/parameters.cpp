#include "parameters.h"

#include <array>
#include <charconv>

namespace gridcast::trace {
namespace {

enum CharacterClass : std::uint8_t { other = 0, letter = 1, digit = 2, blank = 4 };

constexpr std::array<std::uint8_t, 256> make_classes() {
  std::array<std::uint8_t, 256> classes{};
  for (int c = 'a'; c <= 'z'; ++c) {
    classes[static_cast<std::size_t>(c)] = letter;
  }
  for (int c = 'A'; c <= 'Z'; ++c) {
    classes[static_cast<std::size_t>(c)] = letter;
  }
  for (int c = '0'; c <= '9'; ++c) {
    classes[static_cast<std::size_t>(c)] = digit;
  }
  classes['_'] = letter;
  classes[' '] = blank;
  classes['\t'] = blank;
  return classes;
}

constexpr std::array<std::uint8_t, 256> classes = make_classes();

bool is(char c, int mask) noexcept { return (classes[static_cast<unsigned char>(c)] & mask) != 0; }

/// A place in the text; everything below stays inside it.
class Cursor {
public:
  explicit Cursor(std::string_view text)
      : place_(text.data()), end_(text.data() + text.size()), begin_(place_) {}

  [[nodiscard]] bool at_end() const noexcept { return place_ == end_; }

  /// Goes to the next name that begins a word and takes it; false at the end.
  bool take_name(Parameter& entry) noexcept {
    while (place_ != end_) {
      const char c = *place_;
      if (!is(c, letter | digit)) {
        ++place_;
        continue;
      }
      const char* const start = place_;
      std::uint32_t hash = ParameterName::hash_of("");
      while (place_ != end_ && is(*place_, letter | digit)) {
        hash = (hash ^ static_cast<std::uint8_t>(*place_)) * 16777619U;
        ++place_;
      }
      const char before = start == begin_ ? ' ' : start[-1];
      if (is(c, letter) && before != '.' && before != '>') {
        entry.name = {start, static_cast<std::size_t>(place_ - start)};
        entry.hash = hash;
        return true;
      }
    }
    return false;
  }

  /// `[ number ]`, or no_index.
  std::int32_t take_index() noexcept {
    const char* p = after_blanks(place_);
    if (p == end_ || *p != '[') {
      return Parameter::no_index;
    }
    p = after_blanks(p + 1);
    std::int32_t index = Parameter::no_index;
    const auto number = std::from_chars(p, end_, index);
    p = after_blanks(number.ptr);
    if (number.ec != std::errc{} || index < 0 || p == end_ || *p != ']') {
      return Parameter::no_index;
    }
    place_ = p + 1;
    return index;
  }

  /// `= value`; false if there is none.
  bool take_value(Parameter& entry) noexcept {
    const char* p = after_blanks(place_);
    if (p == end_ || *p != '=') {
      return false;
    }
    p = after_blanks(p + 1);
    const char* const start = p;
    while (p != end_ && !is(*p, blank) && *p != ';' && *p != '\n') {
      ++p;
    }
    entry.value = {start, static_cast<std::size_t>(p - start)};
    place_ = p;
    return true;
  }

private:
  const char* after_blanks(const char* p) const noexcept {
    while (p != end_ && is(*p, blank)) {
      ++p;
    }
    return p;
  }

  const char* place_;
  const char* end_;
  const char* begin_;
};

}  // namespace

void Parameters::parse(std::string_view text) {
  entries_.clear();
  Cursor cursor(text);
  Parameter entry;
  while (cursor.take_name(entry)) {
    entry.first = cursor.take_index();
    entry.second = entry.first == Parameter::no_index ? Parameter::no_index : cursor.take_index();
    if (cursor.take_value(entry)) {
      entries_.push_back(entry);
    }
  }
}

std::optional<std::string_view> Parameters::scalar(const ParameterName& name) const {
  for (const Parameter& entry : entries_) {
    if (entry.is(name) && entry.first == Parameter::no_index) {
      return entry.value;
    }
  }
  return std::nullopt;
}

std::optional<std::string_view> Parameters::element(const ParameterName& name,
                                                    std::size_t index) const {
  for (const Parameter& entry : entries_) {
    if (entry.is(name) && entry.first != Parameter::no_index &&
        static_cast<std::size_t>(entry.first) == index && entry.second == Parameter::no_index) {
      return entry.value;
    }
  }
  return std::nullopt;
}

std::vector<std::string_view> Parameters::list(const ParameterName& name) const {
  std::vector<std::string_view> values;
  bool again = true;
  while (again) {  // once, unless the elements are not in order
    again = false;
    const std::size_t before = values.size();
    for (const Parameter& entry : entries_) {
      if (!entry.is(name) || entry.first == Parameter::no_index ||
          entry.second != Parameter::no_index) {
        continue;
      }
      const auto index = static_cast<std::size_t>(entry.first);
      if (index == values.size()) {
        values.push_back(entry.value);
      } else if (index > values.size()) {
        again = true;
      }
    }
    again = again && values.size() > before;
  }
  return values;
}

}  // namespace gridcast::trace
