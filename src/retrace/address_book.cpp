#include "address_book.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "gridcast/base/characters.h"

namespace gridcast::trace {
namespace {

bool is_word(char c) { return is_in_name(c) || c == '[' || c == ']'; }

bool is_hexadecimal(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool names_address(std::string_view name) {
  return name.ends_with("Ref") || name.ends_with("Ptr") || name.ends_with("Header");
}

/// A parameter that holds an address other than 0 and NULL.
struct Address {
  std::string_view name;
  std::string_view digits;
  std::size_t at = 0;  ///< of the digits in the lines
};

/// The next address at or after `from`.
std::optional<Address> next_address(std::string_view lines, std::size_t from) {
  for (std::size_t equals = lines.find('=', from); equals != std::string_view::npos;
       equals = lines.find('=', equals + 1)) {
    std::size_t begin = equals;
    while (begin > 0 && is_word(lines[begin - 1])) {
      --begin;
    }
    std::size_t end = equals + 1;
    while (end < lines.size() && is_hexadecimal(lines[end])) {
      ++end;
    }
    const std::string_view name = lines.substr(begin, equals - begin);
    const std::string_view digits = lines.substr(equals + 1, end - equals - 1);
    const bool ended = end == lines.size() || lines[end] == ';' || lines[end] == ' ' ||
                       lines[end] == '\n' || lines[end] == '\t';
    const bool zero = std::all_of(digits.begin(), digits.end(), [](char c) { return c == '0'; });
    if (ended && !zero && names_address(name)) {
      return Address{name, digits, equals + 1};
    }
  }
  return std::nullopt;
}

}  // namespace

std::string AddressBook::unique_name(std::string_view address) const {
  if (process_ == 0) {
    return std::string(address);
  }
  // Addresses have up to 48 bits, so the number of the process fits in front of 12 digits.
  constexpr std::size_t digits_of_address = 12;
  std::array<char, 16> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), process_, 16);
  std::string name(text.data(), end.ptr);
  name.append(digits_of_address - std::min(digits_of_address, address.size()), '0');
  return name.append(address);
}

std::string AddressBook::translate(std::string_view lines, bool creates) {
  std::string text;
  std::size_t from = 0;
  while (const auto address = next_address(lines, from)) {
    text.append(lines.substr(from, address->at - from));
    std::string own(address->digits);
    auto known = names_.find(own);
    if (known == names_.end() || creates) {
      std::string name = unique_name(own);
      known = names_.insert_or_assign(std::move(own), std::move(name)).first;
    }
    creates = false;  // one object; what else stands there is known
    text.append(known->second);
    from = address->at + address->digits.size();
  }
  return text.append(lines.substr(from));
}

void AddressBook::learn(std::string_view own, std::string_view merged) {
  auto mine = next_address(own, 0);
  auto theirs = next_address(merged, 0);
  while (mine && theirs) {
    if (mine->name != theirs->name) {
      // Lines about messages may stand in one of the two only: look for the same parameter.
      auto other = next_address(merged, theirs->at + theirs->digits.size());
      while (other && other->name != mine->name) {
        other = next_address(merged, other->at + other->digits.size());
      }
      if (!other) {
        mine = next_address(own, mine->at + mine->digits.size());
        continue;
      }
      theirs = other;
    }
    names_.insert_or_assign(std::string(mine->digits), std::string(theirs->digits));
    mine = next_address(own, mine->at + mine->digits.size());
    theirs = next_address(merged, theirs->at + theirs->digits.size());
  }
}

}  // namespace gridcast::trace
