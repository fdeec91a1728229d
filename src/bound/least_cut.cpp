#include "least_cut.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace gridcast::model {

using mapping::AxisRule;
using mapping::ceil_div;
using mapping::IndexRange;

namespace {

double positive(std::int64_t value) {
  return static_cast<double>(std::max<std::int64_t>(value, 0));
}

/// Coordinates only decide who holds it.
void presence(LeastCut& cut, const CutRange& range, const AxisRule& rule) {
  const std::int64_t n = range.elements();
  const bool there =
      rule.kind == AxisRule::Kind::constant ? rule.constant >= 0 && rule.constant < n
      : rule.kind == AxisRule::Kind::bounded
          ? !mapping::preimage({0, n}, rule.coefficient, rule.constant, rule.bound).empty()
          : n > 0;
  cut.complete = there;
  cut.longest = cut.holders = cut.held = there ? 1.0 : 0.0;
  const bool everywhere = rule.kind == AxisRule::Kind::replicated && range.least_block() > 0;
  cut.first = everywhere ? cut.longest : 0.0;  // blocks of lists and weights may be empty
  if (rule.kind == AxisRule::Kind::replicated) {
    cut.holders = cut.held = static_cast<double>(range.used());
  }
}

/// Positions 0 ... extent - 1 of a linear rule.
void linear(LeastCut& cut, const CutRange& range, const AxisRule& rule, std::int64_t extent) {
  const IndexRange inside =
      mapping::preimage({0, range.elements()}, rule.coefficient, rule.constant, extent);
  const std::int64_t step = std::abs(rule.coefficient);
  const double all = positive(inside.size());
  cut.dim = rule.dim;
  cut.extent = positive(extent);
  cut.complete = inside.size() == extent;
  cut.longest = std::ceil(all / static_cast<double>(range.last()));
  cut.longest_most = cut.held = all;
  cut.shortest = std::min(all, 1.0);
  cut.holders = std::min(all, 1.0);
  cut.full = 0.0;
  const std::int64_t block = std::min(range.least_block(), range.elements());
  cut.first =
      positive(mapping::preimage({0, block}, rule.coefficient, rule.constant, extent).size());
  const double most =
      std::ceil(static_cast<double>(range.most_block()) / static_cast<double>(step));
  if (range.first() > 1 && most > 0.0) {
    cut.longest_most = std::min(all, most);
    cut.holders = std::ceil(all / most);
  }
  if (const std::int64_t block = range.block(); block > 0 && step == 1 && all > 0.0) {
    const std::int64_t low = std::min(rule.constant + rule.coefficient * inside.lo,
                                      rule.constant + rule.coefficient * (inside.hi - 1));
    const std::int64_t high = low + inside.size() - 1;
    const std::int64_t holders = high / block - low / block + 1;
    cut.holders = static_cast<double>(holders);
    cut.shortest =
        std::min(all, static_cast<double>(std::min(block - low % block, high % block + 1)));
  }
  if (const std::int64_t full = range.least_block() / step; full >= 1 && all > 0.0) {
    cut.full = static_cast<double>(full);
    // Positions in three blocks fill the middle one; in two, one has half of them.
    cut.longest = std::max(cut.longest, std::min(cut.full, std::ceil(all / 2.0)));
  }
}

}  // namespace

void CutRange::assign(std::int64_t n, std::int64_t multiplier, mapping::BlockRule rule,
                      std::int64_t first, std::int64_t last) {
  assign_unknown(n, first, last);
  concave_ = rule == mapping::BlockRule::ceil;
  const std::int64_t several = std::min(std::max<std::int64_t>(first, 2), last);
  const std::int64_t units = ceil_div(n, multiplier);
  least_block_ = (concave_ ? ceil_div(units, last) : units / last) * multiplier;
  most_block_ = (concave_ ? ceil_div(units, several) : units / several + 1) * multiplier;
}

void CutRange::assign_weighted(std::int64_t n, std::int64_t multiplier, double spread,
                               std::int64_t first, std::int64_t last) {
  assign_unknown(n, first, last);
  multiplier_ = multiplier;
  spread_ = spread;
  if (first > 1) {
    most_block_ = heaviest(1.0) + (multiplier > 1 ? multiplier : 0);
  }
}

/// What heavy coordinates beside light ones would have if they had parts of units; the boundaries
/// are rounded down to whole ones.
std::int64_t CutRange::heaviest(double coordinates) const noexcept {
  const double heavy = coordinates * spread_;
  const double share = heavy / (static_cast<double>(first_) - coordinates + heavy);
  const auto units = static_cast<double>(n_) / static_cast<double>(multiplier_);
  constexpr double slack = 1.0 + 1e-9;
  return static_cast<std::int64_t>(std::ceil(units * share * slack)) * multiplier_;
}

double CutRange::most_of(double coordinates) const noexcept {
  const bool known = spread_ > 0.0 && coordinates < static_cast<double>(first_);
  return static_cast<double>(known ? std::min(heaviest(coordinates) + multiplier_, n_) : n_);
}

void CutRange::assign_unknown(std::int64_t n, std::int64_t first, std::int64_t last) {
  *this = {};
  n_ = n;
  first_ = first;
  last_ = last;
}

std::int64_t CutRange::used() const noexcept {
  if (first_ == 1 || n_ == 0 || least_block_ == 0) {
    return std::min<std::int64_t>(n_, 1);
  }
  return concave_ ? ceil_div(n_, most_block_) : first_;
}

std::int64_t CutRange::reach() const noexcept {
  return concave_ && least_block_ > 0
             ? std::clamp<std::int64_t>(ceil_div(n_, least_block_), 1, last_)
             : last_;
}

LeastCut LeastCut::of(const CutRange& range, const AxisRule& rule, std::int64_t extent) {
  LeastCut cut;
  cut.cuts = true;
  cut.ascending = rule.coefficient >= 0;
  cut.reach = static_cast<double>(range.reach());
  if (rule.kind == AxisRule::Kind::linear) {
    linear(cut, range, rule, extent);
  } else {
    presence(cut, range, rule);
  }
  return cut;
}

}  // namespace gridcast::model
