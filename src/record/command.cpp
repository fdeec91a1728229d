#include "gridcast/record/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <numeric>
#include <string_view>

#include "gridcast/base/error.h"
#include "gridcast/base/printable.h"
#include "gridcast/record/plan.h"

namespace gridcast::record {
namespace {

bool is_name_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

/// The word with each {name} replaced by what `value` returns for the name.
std::string replace_names(std::string_view word,
                          const std::function<std::string(std::string_view)>& value) {
  std::string result;
  for (std::size_t at = 0; at < word.size(); ++at) {
    const std::string_view rest = word.substr(at + 1);
    const auto length = static_cast<std::size_t>(
        std::find_if_not(rest.begin(), rest.end(), is_name_letter) - rest.begin());
    const bool is_variable = at > 0 && word[at - 1] == '$';
    if (word[at] != '{' || is_variable || length == rest.size() || rest[length] != '}') {
      result += word[at];
      continue;
    }
    result += value(rest.substr(0, length));
    at += length + 1;
  }
  return result;
}

/// Which of the `numbers` "p2" names with the letter p: 1; as many as there are if none.
std::size_t index_of(std::string_view name, char letter, std::size_t numbers) {
  const bool is_one = name.size() == 2 && name[0] == letter && name[1] >= '1' &&
                      static_cast<std::size_t>(name[1] - '1') < numbers;
  return is_one ? static_cast<std::size_t>(name[1] - '1') : numbers;
}

/// "{p1} to {p3}".
std::string names_text(char letter, std::size_t numbers) {
  return numbers == 1 ? fmt::format("{{{}1}}", letter)
                      : fmt::format("{{{}1}} to {{{}{}}}", letter, letter, numbers);
}

}  // namespace

std::vector<std::string> filled_command(const std::vector<std::string>& command,
                                        const std::vector<std::int64_t>& grid,
                                        const std::vector<std::int64_t>& extents) {
  std::vector<std::string> filled;
  filled.reserve(command.size());
  for (const std::string& word : command) {
    filled.push_back(replace_names(word, [&](std::string_view name) {
      if (name.empty()) {
        return std::to_string(
            std::accumulate(grid.begin(), grid.end(), std::int64_t{1}, std::multiplies<>()));
      }
      if (name == "grid" || name == "extents") {
        return extents_text(name == "grid" ? grid : extents);
      }
      const std::size_t p = index_of(name, 'p', grid.size());
      const std::size_t n = index_of(name, 'n', extents.size());
      if (p == grid.size() && n == extents.size()) {
        throw InputError(
            fmt::format("unknown name {{{}}} in {}", name, printable(word)),
            fmt::format("expected {{}} for the processes, {}, {{grid}}, {} or {{extents}}",
                        names_text('p', grid.size()), names_text('n', extents.size())));
      }
      return std::to_string(p < grid.size() ? grid[p] : extents[n]);
    }));
  }
  return filled;
}

std::vector<bool> named_extents(const std::vector<std::string>& command, std::size_t count) {
  std::vector<bool> named(count, false);
  for (const std::string& word : command) {
    static_cast<void>(replace_names(word, [&](std::string_view name) {
      if (name == "extents") {
        named.assign(count, true);
      } else if (const std::size_t n = index_of(name, 'n', count); n < count) {
        named[n] = true;
      }
      return std::string();
    }));
  }
  return named;
}

}  // namespace gridcast::record
