#include "gridcast/infer/parity.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace gridcast::infer {

namespace {

bool is_odd(const std::vector<std::size_t>& dimensions, const Offset& at) {
  std::int32_t sum = 0;
  for (const std::size_t d : dimensions) {
    sum += at[d];
  }
  return sum % 2 != 0;
}

/// "q1 + q2".
std::string sum_text(const std::vector<std::size_t>& dimensions) {
  std::string sum;
  for (const std::size_t d : dimensions) {
    sum += fmt::format("{}q{}", sum.empty() ? "" : " + ", d + 1);
  }
  return sum;
}

}  // namespace

bool Parity::has(const Offset& at) const { return all() || is_odd(dimensions, at) == odd; }

Parity Parity::of_neighbours(const Offset& offset) const {
  return {.dimensions = dimensions, .odd = odd != is_odd(dimensions, offset)};
}

std::string Parity::text() const {
  return fmt::format("{} {}", odd ? "odd" : "even", sum_text(dimensions));
}

std::string Parity::expression() const {
  const std::string sum = sum_text(dimensions);
  return fmt::format("(2*floor({}/2) {} {})", dimensions.size() == 1 ? sum : "(" + sum + ")",
                     odd ? "<" : "==", sum);
}

std::vector<Parity> parities_of(const Runs& runs, const Step& step) {
  std::vector<std::vector<std::size_t>> sums;
  std::vector<std::size_t> all(runs.coordinates.front().grid().size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  sums.reserve(all.size() + 1);
  for (const std::size_t d : all) {
    sums.push_back({d});
  }
  if (all.size() > 1) {
    sums.push_back(all);
  }
  std::vector<Parity> found;
  for (const std::vector<std::size_t>& dimensions : sums) {
    for (const bool odd : {false, true}) {
      Parity parity{.dimensions = dimensions, .odd = odd};
      if (std::all_of(step.instances.begin(), step.instances.end(), [&](const Instance& each) {
            return parity.has(runs.coordinates[each.run].of(static_cast<std::int32_t>(each.rank)));
          })) {
        found.push_back(std::move(parity));
      }
    }
  }
  return found;
}

bool shows(const Runs& runs, const Step& step, const Parity& parity) {
  for (const Instance& one : step.instances) {
    for (const Instance& other : step.instances) {
      const Offset& here = runs.coordinates[one.run].of(static_cast<std::int32_t>(one.rank));
      if (one.run == other.run &&
          std::any_of(parity.dimensions.begin(), parity.dimensions.end(), [&](std::size_t d) {
            return here[d] !=
                   runs.coordinates[one.run].of(static_cast<std::int32_t>(other.rank))[d];
          })) {
        return true;
      }
    }
  }
  return false;
}

bool by_rank(const Step& step) {
  const Instance& first = step.instances.front();
  return std::all_of(step.instances.begin(), step.instances.end(),
                     [&](const Instance& each) { return each.rank % 2 == first.rank % 2; }) &&
         std::any_of(step.instances.begin(), step.instances.end(),
                     [&](const Instance& each) { return each.rank != first.rank; });
}

}  // namespace gridcast::infer
