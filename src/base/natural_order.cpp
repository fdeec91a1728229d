#include "gridcast/base/natural_order.h"

#include <algorithm>

#include "gridcast/base/characters.h"

namespace gridcast {
namespace {

/// The digits at the front, without leading zeros; removes them from the text.
std::string_view take_number(std::string_view& text) {
  std::size_t size = 0;
  while (size < text.size() && is_digit(text[size])) {
    ++size;
  }
  std::string_view number = text.substr(0, size);
  text.remove_prefix(size);
  number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
  return number;
}

}  // namespace

bool natural_less(std::string_view a, std::string_view b) {
  const std::string_view whole_a = a;
  const std::string_view whole_b = b;
  while (!a.empty() && !b.empty()) {
    if (is_digit(a.front()) && is_digit(b.front())) {
      const std::string_view x = take_number(a);
      const std::string_view y = take_number(b);
      if (x != y) {
        return x.size() != y.size() ? x.size() < y.size() : x < y;
      }
    } else if (a.front() != b.front()) {
      return a.front() < b.front();
    } else {
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
  }
  return a.empty() != b.empty() ? a.empty() : whole_a < whole_b;
}

}  // namespace gridcast
