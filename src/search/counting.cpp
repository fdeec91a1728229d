#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "gridcast/search/candidates.h"

namespace gridcast::search {
namespace {

/// The numbers of coordinates that a dimension may take, known by how many do not exceed x.
class Factors {
public:
  /// `admitted`: ascending, what conditions leave; empty: all.
  Factors(std::int64_t extent, Selection selection, BlockRule rule,
          std::span<const std::int64_t> admitted) {
    list_not_bad(extent, selection, rule);
    if (!admitted.empty()) {
      std::vector<std::int64_t> left;
      std::ranges::copy_if(admitted, std::back_inserter(left),
                           [this](std::int64_t value) { return up_to(value) > up_to(value - 1); });
      values_ = std::move(left);
    }
  }

  [[nodiscard]] std::uint64_t up_to(std::int64_t x) const {
    if (values_.empty()) {
      return static_cast<std::uint64_t>(std::min(x, limit_));
    }
    return static_cast<std::uint64_t>(std::upper_bound(values_.begin(), values_.end(), x) -
                                      values_.begin());
  }

private:
  void list_not_bad(std::int64_t extent, Selection selection, BlockRule rule) {
    if (selection == Selection::all || extent == 0) {
      return;
    }
    if (rule == BlockRule::balanced) {
      limit_ = extent;
      return;
    }
    list_ceil_quotients(extent);
  }

  /// Blocks of ceil(d/P) leave nobody empty exactly if P = ceil(d/B) for some B: with fewer
  /// elements than (P-1)B + 1 the last coordinate is empty, with more than PB the block is larger.
  /// These are at most 2 sqrt(d) values. ceil(d/B) = floor((d-1)/B) + 1.
  void list_ceil_quotients(std::int64_t extent) {
    const std::int64_t top = extent - 1;
    values_.push_back(1);
    for (std::int64_t block = top; block >= 1;) {
      const std::int64_t quotient = top / block;
      values_.push_back(quotient + 1);
      block = top / (quotient + 1);
    }
  }

  std::int64_t limit_ = INT64_MAX;
  std::vector<std::int64_t> values_;
};

/// A table over the distinct values of floor(N/k), k = 1 ... N.
class QuotientTable {
public:
  explicit QuotientTable(std::int64_t number) : number_(number) {
    for (std::int64_t v = number; v >= 1; v = number / (number / v + 1)) {
      keys_.push_back(v);
    }
    counts_.resize(keys_.size());
  }

  [[nodiscard]] const std::vector<std::int64_t>& keys() const { return keys_; }

  /// Descending keys: those >= sqrt(N) stand at N/v - 1, the others at v from the end.
  [[nodiscard]] std::uint64_t& at(std::int64_t v) {
    const std::int64_t k = number_ / v;
    return v > k ? counts_[static_cast<std::size_t>(k - 1)]
                 : counts_[keys_.size() - static_cast<std::size_t>(v)];
  }

private:
  std::int64_t number_;
  std::vector<std::int64_t> keys_;
  std::vector<std::uint64_t> counts_;
};

/// Tuples with one more factor: sum over the factors p <= v of the tuples with product <= v/p,
/// taking all p with the same v/p at once.
std::uint64_t with_factor(const Factors& factors, QuotientTable& fewer, std::int64_t v) {
  std::uint64_t sum = 0;
  std::uint64_t before = 0;
  for (std::int64_t first = 1; first <= v;) {
    const std::int64_t quotient = v / first;
    const std::int64_t last = v / quotient;
    const std::uint64_t until = factors.up_to(last);
    sum += (until - before) * fewer.at(quotient);
    before = until;
    first = last + 1;
  }
  return sum;
}

struct Counts {
  std::uint64_t all = 0;  ///< of the selection
  std::uint64_t not_bad = 0;
};

Counts count_one_by_one(const SearchSpace& space, Selection selection) {
  Counts counts;
  CandidateStream stream(space, selection);
  while (const auto grid = stream.next()) {
    ++counts.all;
    counts.not_bad += is_not_bad(*grid, space.reference_extents, space.block_rule) ? 1 : 0;
  }
  return counts;
}

}  // namespace

std::uint64_t count_candidates(const SearchSpace& space, Selection selection) {
  validate(space);
  const Conditions& conditions = space.conditions;
  if (conditions.any() && !conditions.only_lists()) {
    const Counts counts = count_one_by_one(space, selection);
    return selection == Selection::all ? counts.all : counts.not_bad;
  }
  std::vector<Factors> factors;
  for (const std::int64_t extent : space.reference_extents) {
    factors.emplace_back(extent, selection, space.block_rule, conditions.list_of(factors.size()));
  }
  if (factors.size() == 1) {
    return factors.front().up_to(space.max_processors);
  }
  QuotientTable counts(space.max_processors);
  for (const std::int64_t v : counts.keys()) {
    counts.at(v) = factors.front().up_to(v);
  }
  for (std::size_t dim = 1; dim + 1 < factors.size(); ++dim) {
    // Larger keys need the old counts of smaller ones only: the keys descend.
    for (const std::int64_t v : counts.keys()) {
      counts.at(v) = with_factor(factors[dim], counts, v);
    }
  }
  return with_factor(factors.back(), counts, space.max_processors);
}

Plan make_plan(std::span<const SearchSpace> spaces) {
  Plan plan{spaces.front().rank, spaces.front().reference_extents, most_cores(spaces), 0, 0};
  for (const SearchSpace& space : spaces) {
    validate(space);
    if (space.conditions.any() && !space.conditions.only_lists()) {
      const Counts counts = count_one_by_one(space, Selection::all);
      plan.candidates += counts.all;
      plan.not_bad += counts.not_bad;
    } else {
      plan.candidates += count_candidates(space, Selection::all);
      plan.not_bad += count_candidates(space, Selection::not_bad);
    }
  }
  return plan;
}

}  // namespace gridcast::search
