#pragma once
/// Deterministic damage to texts, for fuzzing readers.

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <utility>

namespace gridcast::fuzz {

/// Random choices that are the same on every platform (the distributions of <random> are not).
class Dice {
public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}

  /// Even over 0 … below - 1; 0 if `below` is 0.
  std::size_t below(std::size_t below) {
    return below == 0 ? 0 : static_cast<std::size_t>(engine_() % below);
  }

private:
  std::mt19937_64 engine_;
};

namespace detail {

/// Begin and end of the line around a position chosen at random.
inline std::pair<std::size_t, std::size_t> random_line(const std::string& text, Dice& dice) {
  const std::size_t at = dice.below(text.size());
  const std::size_t before = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
  const std::size_t begin = before == std::string::npos ? 0 : before + 1;
  const std::size_t end = text.find('\n', at);
  return {begin, end == std::string::npos ? text.size() : end + 1};
}

inline void change_number(std::string& text, Dice& dice) {
  const std::size_t digit = text.find_first_of("0123456789", dice.below(text.size()));
  if (digit == std::string::npos) {
    return;
  }
  const std::size_t end = std::min(text.find_first_not_of("0123456789", digit), text.size());
  constexpr std::string_view numbers[] = {"0",  "1", "-1", "2147483648", "99999999999999999999",
                                          "ff", "",  "-7", "1e300",      "999999999999"};
  text.replace(digit, end - digit, numbers[dice.below(std::size(numbers))]);
}

inline void change_bytes(std::string& text, Dice& dice) {
  const std::size_t count = 1 + dice.below(8);
  for (std::size_t i = 0; i < count; ++i) {
    text[dice.below(text.size())] = static_cast<char>(dice.below(256));
  }
}

}  // namespace detail

/// One to six kinds of damage: bytes, numbers, lines deleted, doubled or exchanged, the end cut
/// off.
inline std::string mutated(std::string_view sound, Dice& dice) {
  std::string text(sound);
  const std::size_t changes = 1 + dice.below(6);
  for (std::size_t i = 0; i < changes && !text.empty(); ++i) {
    const auto [begin, end] = detail::random_line(text, dice);
    const std::string line = text.substr(begin, end - begin);
    switch (dice.below(8)) {
      case 0:
        detail::change_bytes(text, dice);
        break;
      case 1:
      case 2:
        detail::change_number(text, dice);
        break;
      case 3:
      case 4:
        text.erase(begin, end - begin);
        break;
      case 5:
        text.insert(end, line);
        break;
      case 6: {
        text.erase(begin, end - begin);
        text.insert(text.empty() ? 0 : detail::random_line(text, dice).first, line);
        break;
      }
      default:
        if (dice.below(4) == 0) {
          text.resize(dice.below(text.size()));
        }
        break;
    }
  }
  return text;
}

}  // namespace gridcast::fuzz
