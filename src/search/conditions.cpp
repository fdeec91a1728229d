#include "gridcast/search/conditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <numeric>
#include <system_error>

#include "gridcast/base/error.h"

namespace gridcast::search {
namespace {

constexpr std::int64_t most_processors_ever = std::numeric_limits<std::int32_t>::max();

[[noreturn]] void refuse_numbers(std::string_view text) {
  throw InputError(fmt::format("'{}' names no numbers of processors", text),
                   "expected a number, a list like 60,64 or a range like 64:1024:64");
}

/// Cuts `text` at the first `separator`; what is behind it stays, nothing if there is none.
std::string_view cut(std::string_view& text, char separator) {
  const std::size_t at = text.find(separator);
  const std::string_view part = text.substr(0, at);
  text = at == std::string_view::npos ? std::string_view() : text.substr(at + 1);
  return part;
}

std::optional<std::int64_t> number_of(std::string_view text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  const bool good = error == std::errc() && rest == end && number >= 1;
  return good && number <= most_processors_ever ? std::optional(number) : std::nullopt;
}

/// A product that stops growing above the largest number of processors.
std::int64_t product_of(std::span<const std::int64_t> extents) {
  std::int64_t product = 1;
  for (const std::int64_t extent : extents) {
    product =
        std::min(product, most_processors_ever + 1) * std::min(extent, most_processors_ever + 1);
    product = std::min(product, most_processors_ever + 1);
  }
  return product;
}

/// True if some divisor of `number` lies in first ... last.
bool has_divisor(std::int64_t number, std::int64_t first, std::int64_t last) {
  for (std::int64_t small = 1; small <= number / small; ++small) {
    const std::int64_t large = number / small;
    if (number % small == 0 &&
        ((first <= small && small <= last) || (first <= large && large <= last))) {
      return true;
    }
  }
  return false;
}

}  // namespace

ProcessorNumbers ProcessorNumbers::parse(std::string_view text) {
  ProcessorNumbers result;
  result.text_ = text;
  const std::string_view whole = text;
  if (text.empty() || text.back() == ',') {
    refuse_numbers(whole);
  }
  while (!text.empty()) {
    std::string_view entry = cut(text, ',');
    const auto colons = std::count(entry.begin(), entry.end(), ':');
    const auto first = number_of(cut(entry, ':'));
    const auto last = colons >= 1 ? number_of(cut(entry, ':')) : first;
    const auto step = colons >= 2 ? number_of(entry) : std::optional<std::int64_t>(1);
    if (colons > 2 || !first || !last || !step || *last < *first) {
      refuse_numbers(whole);
    }
    result.ranges_.push_back({*first, *last - (*last - *first) % *step, *step});
  }
  return result;
}

std::optional<std::int64_t> ProcessorNumbers::next(std::int64_t number) const noexcept {
  std::optional<std::int64_t> least;
  for (const Range& range : ranges_) {
    if (number > range.last) {
      continue;
    }
    const std::int64_t steps =
        number <= range.first ? 0 : (number - range.first + range.step - 1) / range.step;
    const std::int64_t member = range.first + steps * range.step;
    least = least ? std::min(*least, member) : member;
  }
  return least;
}

std::int64_t ProcessorNumbers::last() const noexcept {
  std::int64_t most = 0;
  for (const Range& range : ranges_) {
    most = std::max(most, range.last);
  }
  return most;
}

ProcessorNumbers ProcessorNumbers::per_process(std::int32_t threads) const {
  ProcessorNumbers numbers;
  numbers.text_ = text_;
  for (const Range& range : ranges_) {
    // Of a range's members those that are multiples repeat after this many steps.
    const std::int64_t period = threads / std::gcd<std::int64_t>(range.step, threads);
    std::int64_t first = range.first;
    for (std::int64_t tried = 1; tried < period && first % threads != 0; ++tried) {
      first += range.step;
    }
    if (first % threads == 0 && first <= range.last) {
      numbers.ranges_.push_back({first / threads, range.last / threads,
                                 std::max<std::int64_t>(1, range.step * period / threads)});
    }
  }
  return numbers;
}

std::span<const std::int64_t> BlockCondition::extents_of(std::size_t dim) const noexcept {
  return extents && dim < extents->size() ? std::span<const std::int64_t>((*extents)[dim])
                                          : std::span<const std::int64_t>();
}

bool Conditions::any() const noexcept {
  return processors || divides || whole_nodes || memory || min_block ||
         std::any_of(fixed.begin(), fixed.end(), [](std::int64_t extent) { return extent != 0; });
}

bool Conditions::only_lists() const noexcept {
  return min_block && min_block->extents && !processors && !divides && !whole_nodes && !memory &&
         std::all_of(fixed.begin(), fixed.end(), [](std::int64_t extent) { return extent == 0; });
}

bool Conditions::admits_extent(std::size_t dim, std::int64_t extent) const noexcept {
  const auto list = list_of(dim);
  return (fixed[dim] == 0 || fixed[dim] == extent) && (!divides || *divides % extent == 0) &&
         (list.empty() || std::ranges::binary_search(list, extent));
}

bool Conditions::admits_whole(const machine::Grid& grid) const {
  return (!memory || memory->need(grid) <= memory->bytes) &&
         (!min_block || min_block->extents || min_block->admits(grid));
}

std::optional<std::int64_t> Conditions::next_number(std::int64_t number,
                                                    std::int64_t last) const noexcept {
  std::int64_t found = number;
  while (found <= last) {
    const std::int64_t before = found;
    for (const bool by_nodes : {false, true}) {
      const auto next = by_nodes ? (whole_nodes ? whole_nodes->next_full(found) : found)
                                 : (processors ? processors->next(found) : found);
      if (!next) {
        return std::nullopt;
      }
      found = *next;
    }
    if (found == before) {
      return found;
    }
  }
  return std::nullopt;
}

bool Conditions::admits(const machine::Grid& grid) const {
  for (int dim = 0; dim < machine::max_grid_rank; ++dim) {
    if (!admits_extent(static_cast<std::size_t>(dim), grid.extent(dim))) {
      return false;
    }
  }
  const std::int64_t number = grid.processors();
  return next_number(number, number) && admits_whole(grid);
}

bool Conditions::excludes(std::span<const std::int64_t> lower,
                          std::span<const std::int64_t> upper) const {
  for (std::size_t dim = 0; dim < lower.size(); ++dim) {
    if ((fixed[dim] != 0 && (fixed[dim] < lower[dim] || fixed[dim] > upper[dim])) ||
        (divides && !has_divisor(*divides, lower[dim], upper[dim]))) {
      return true;
    }
    const auto list = list_of(dim);
    const auto least = std::ranges::lower_bound(list, lower[dim]);
    if (!list.empty() && (least == list.end() || *least > upper[dim])) {
      return true;
    }
  }
  return !next_number(product_of(lower), product_of(upper)) ||
         (memory && memory->least_need && memory->least_need(upper) > memory->bytes);
}

std::string Conditions::text() const {
  std::string result;
  const auto add = [&result](const std::string& option) {
    result += (result.empty() ? "" : " ") + option;
  };
  if (processors) {
    add("--processors " + processors->text());
  }
  for (std::size_t dim = 0; dim < fixed.size(); ++dim) {
    if (fixed[dim] != 0) {
      add(fmt::format("--fix p{}={}", dim + 1, fixed[dim]));
    }
  }
  if (divides) {
    add(fmt::format("--divides {}", *divides));
  }
  if (whole_nodes) {
    add("--whole-nodes");
  }
  if (memory) {
    add(fmt::format("--memory-per-processor {}", memory->bytes));
  }
  if (min_block) {
    add("--min-block " + min_block->text);
  }
  return result;
}

}  // namespace gridcast::search
