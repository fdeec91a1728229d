#include "least_cut.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace gridcast::model {

using mapping::AxisRule;
using mapping::BlockCut;
using mapping::ceil_div;
using mapping::IndexRange;

namespace {

/// Positions 0 ... extent - 1 of a linear rule over n elements.
struct Positions {
  std::int64_t step = 1;
  std::int64_t low = 0, high = 0;  ///< elements, within the template
  std::int64_t inside = 0;         ///< how many positions lie in the template

  Positions(const AxisRule& rule, std::int64_t extent, std::int64_t n)
      : step(std::abs(rule.coefficient)) {
    const IndexRange held = mapping::preimage({0, n}, rule.coefficient, rule.constant, extent);
    inside = held.size();
    const std::int64_t from = rule.constant + rule.coefficient * held.lo;
    const std::int64_t to = rule.constant + rule.coefficient * (held.hi - 1);
    low = std::min(from, to);
    high = std::max(from, to);
  }

  /// Elements of the template that no position lies between.
  [[nodiscard]] std::int64_t outside(std::int64_t n) const noexcept {
    return inside > 0 ? n - (high - low + 1) : n;
  }
};

double positive(std::int64_t value) {
  return static_cast<double>(std::max<std::int64_t>(value, 0));
}

/// What coordinate q holds; 0 or 1 if coordinates only decide presence.
double part_at(const BlockCut& cut, std::int64_t q, const AxisRule& rule, std::int64_t extent) {
  if (q < 0 || q >= cut.coordinates()) {
    return 0.0;
  }
  const IndexRange block{cut.boundary(q), cut.boundary(q + 1)};
  switch (rule.kind) {
    case AxisRule::Kind::linear:
      return positive(mapping::preimage(block, rule.coefficient, rule.constant, extent).size());
    case AxisRule::Kind::constant:
      return block.lo <= rule.constant && rule.constant < block.hi ? 1.0 : 0.0;
    case AxisRule::Kind::bounded:
      return mapping::preimage(block, rule.coefficient, rule.constant, rule.bound).empty() ? 0.0
                                                                                           : 1.0;
    case AxisRule::Kind::replicated:
      break;
  }
  return block.empty() ? 0.0 : 1.0;
}

/// `used` coordinates from 0 on hold something, at least.
void neighbours(LeastCut& cut, std::int64_t used) {
  cut.lower = {false, used >= 2, used >= 3};
  cut.upper = {used >= 2, used >= 3, used >= 2};
}

/// The same template, so that Place::late is the last coordinate but one that holds elements.
bool alike(const CutRange& a, const CutRange& b) {
  return a.known() && b.known() && a.elements() == b.elements() && a.multiplier() == b.multiplier();
}

void presence(LeastCut& cut, const CutRange& range, const AxisRule& rule,
              const CutRange& reference) {
  cut.dim = -1;
  cut.extent = cut.longest_most = 1.0;
  const std::int64_t n = range.elements();
  const bool there =
      rule.kind == AxisRule::Kind::constant ? rule.constant >= 0 && rule.constant < n
      : rule.kind == AxisRule::Kind::bounded
          ? !mapping::preimage({0, n}, rule.coefficient, rule.constant, rule.bound).empty()
          : n > 0;
  cut.complete = there;
  cut.longest = there ? 1.0 : 0.0;
  cut.holders = cut.longest;
  cut.held = cut.holders;
  cut.part = {};
  if (range.known() && rule.kind == AxisRule::Kind::replicated && range.concave() && n > 0) {
    cut.holders = cut.held = static_cast<double>(range.used());
    const bool several = range.most_block() < n;
    cut.part = {1.0, several ? 1.0 : 0.0, alike(range, reference) ? 1.0 : 0.0};
  }
}

void linear(LeastCut& cut, const CutRange& range, const Positions& at, const CutRange& reference) {
  const double all = positive(at.inside);
  const std::int64_t n = range.elements();
  cut.part = {};
  cut.longest = std::ceil(all / static_cast<double>(range.last()));
  cut.longest_most = all;
  cut.shortest = std::min(all, 1.0);
  cut.holders = at.inside > 0 ? 1.0 : 0.0;
  cut.held = all;
  cut.full = 0.0;
  const double most =
      std::ceil(static_cast<double>(range.most_block()) / static_cast<double>(at.step));
  if (range.first() > 1 && most > 0.0) {
    cut.longest_most = std::min(all, most);
    cut.holders = std::max(cut.holders, std::ceil(all / most));
  }
  if (!range.known() || at.inside == 0) {
    return;
  }
  const auto full = range.least_block() / at.step;
  cut.full = std::floor(static_cast<double>(full));
  if (cut.full >= 1.0) {
    cut.pairs = cut.holders - 1.0;
    cut.covers = at.outside(n) == 0;
    if (cut.covers) {
      neighbours(cut, range.used());
    }
  }
  // A block that lies in the template as a whole.
  const double within = std::min(all, std::floor(positive(range.least_block() - at.outside(n)) /
                                                 static_cast<double>(at.step)));
  if (!range.concave()) {
    const double clipped = positive(static_cast<std::int64_t>(within) - range.multiplier());
    cut.part.fill(range.multiplier() > 1 ? clipped : within);
    return;
  }
  // Positions in three blocks fill the middle one; in two, one has half of them.
  cut.longest = std::max(cut.longest, std::min(cut.full, std::ceil(all / 2.0)));
  cut.part[static_cast<std::size_t>(Place::late)] = alike(range, reference) ? within : 0.0;
  const double rest = std::max(all - 2.0 * cut.longest_most, 0.0);
  cut.beyond = {0.0, rest, alike(range, reference) ? rest : 0.0};
}

/// All grids of the box have the same boundaries.
void exact(LeastCut& cut, const CutRange& range, const AxisRule& rule, std::int64_t extent,
           const CutRange& reference) {
  const BlockCut& blocks = range.cut();
  const auto look = [&](Place place, std::int64_t q) {
    const double part = part_at(blocks, q, rule, extent);
    cut.part[static_cast<std::size_t>(place)] = part;
    cut.longest = std::max(cut.longest, part);
    cut.lower[static_cast<std::size_t>(place)] = part_at(blocks, q - 1, rule, extent) > 0.0;
    cut.upper[static_cast<std::size_t>(place)] = part_at(blocks, q + 1, rule, extent) > 0.0;
  };
  look(Place::first, 0);
  look(Place::second, range.first() > 1 ? 1 : 0);
  const auto held = [&](std::int64_t from, std::int64_t to) {
    return positive(mapping::preimage({from, to}, rule.coefficient, rule.constant, extent).size());
  };
  const bool is_linear = rule.kind == AxisRule::Kind::linear;
  if (reference.same()) {
    const std::int64_t late = reference.late();
    look(Place::late, late);
    cut.beyond[static_cast<std::size_t>(Place::late)] =
        is_linear ? held(0, blocks.boundary(std::min(late, blocks.coordinates()))) : 0.0;
  }
  if (is_linear && blocks.coordinates() >= 2) {
    cut.beyond[static_cast<std::size_t>(Place::second)] =
        held(blocks.boundary(2), blocks.elements());
  }
  if (is_linear && blocks.block() > 0) {
    const Positions at(rule, extent, range.elements());
    const std::int64_t from = at.low / blocks.block();
    const std::int64_t to = at.high / blocks.block();
    for (const std::int64_t q : {from, from + 1, from + 2, (from + to) / 2, to - 1, to}) {
      cut.longest = std::max(cut.longest, part_at(blocks, q, rule, extent));
    }
    if (at.inside > 0 && at.step <= blocks.block()) {
      cut.holders = static_cast<double>(to - from + 1);
      cut.pairs = cut.holders - 1.0;
      const double middle = to - from > 1 ? std::max(cut.full, 1.0) : cut.longest_most;
      cut.shortest = std::min(
          {part_at(blocks, from, rule, extent), part_at(blocks, to, rule, extent), middle});
    }
  }
}

}  // namespace

void CutRange::assign(std::int64_t n, std::int64_t multiplier, mapping::BlockRule rule,
                      std::int64_t first, std::int64_t last) {
  n_ = n;
  multiplier_ = multiplier;
  first_ = first;
  last_ = last;
  known_ = true;
  const std::int64_t several = std::min(std::max<std::int64_t>(first, 2), last);
  low_.assign(n, several, rule, multiplier);
  high_.assign(n, last, rule, multiplier);
  concave_ = rule == mapping::BlockRule::ceil;
  same_ = first == last || (concave_ && first > 1 && low_.block() == high_.block());
  const std::int64_t units = ceil_div(n, multiplier);
  least_block_ = high_.block() > 0 ? high_.block() : units / last * multiplier;
  most_block_ = low_.block() > 0 ? low_.block() : (units / several + 1) * multiplier;
}

void CutRange::assign_weighted(std::int64_t n, std::int64_t multiplier, double spread,
                               std::int64_t first, std::int64_t last) {
  assign_unknown(n, first, last);
  multiplier_ = multiplier;
  spread_ = spread;
  if (first > 1) {
    // The heaviest coordinate beside light ones; boundaries are rounded down to whole units.
    const double share = spread / (static_cast<double>(first - 1) + spread);
    const auto units = static_cast<double>(n) / static_cast<double>(multiplier);
    constexpr double slack = 1.0 + 1e-9;
    const auto most = static_cast<std::int64_t>(std::ceil(units * share * slack));
    most_block_ = (most + (multiplier > 1 ? 1 : 0)) * multiplier;
  }
}

void CutRange::assign_unknown(std::int64_t n, std::int64_t first, std::int64_t last) {
  *this = {};
  n_ = n;
  first_ = first;
  last_ = last;
}

std::int64_t CutRange::used() const noexcept {
  if (first_ == 1 || n_ == 0) {
    return std::min<std::int64_t>(n_, 1);
  }
  return concave_ ? ceil_div(n_, most_block_) : (least_block_ > 0 ? first_ : 1);
}

double CutRange::most_of(double coordinates) const noexcept {
  const auto all = static_cast<double>(n_);
  const auto least = static_cast<double>(first_);
  if (spread_ == 0.0 || coordinates >= least) {
    return all;
  }
  // The heaviest beside light ones, as for the longest block.
  const double heavy = coordinates * spread_;
  const double share = heavy / (least - coordinates + heavy);
  const auto units = all / static_cast<double>(multiplier_);
  constexpr double slack = 1.0 + 1e-9;
  return std::min((std::ceil(units * share * slack) + 1.0) * static_cast<double>(multiplier_), all);
}

std::int64_t CutRange::reach() const noexcept {
  return known_ && concave_ && least_block_ > 0
             ? std::clamp<std::int64_t>(ceil_div(n_, least_block_), 1, last_)
             : last_;
}

std::int64_t CutRange::apart(std::int64_t a, std::int64_t b) const noexcept {
  if (same_) {
    return std::abs(low_.coordinate_of(a) - low_.coordinate_of(b));
  }
  // No block is longer than most_block(), so that many hold what lies from one to the other.
  return first_ > 1 && most_block_ > 0 ? ceil_div(std::abs(a - b) + 1, most_block_) - 1 : 0;
}

std::int64_t CutRange::late() const noexcept {
  const std::int64_t block = low_.block();
  const std::int64_t used = block > 0 ? ceil_div(n_, block) : low_.coordinates();
  return std::max<std::int64_t>(used - 2, 0);
}

LeastCut LeastCut::of(const CutRange& range, const AxisRule& rule, std::int64_t extent,
                      const CutRange& reference) {
  LeastCut cut;
  cut.cuts = true;
  cut.ascending = rule.coefficient >= 0;
  cut.reach = cut.holders_most = static_cast<double>(range.reach());
  if (rule.kind != AxisRule::Kind::linear) {
    presence(cut, range, rule, reference);
    if (range.known() && range.same()) {
      exact(cut, range, rule, extent, reference);
    }
    return cut;
  }
  cut.dim = rule.dim;
  cut.extent = positive(extent);
  const Positions at(rule, extent, range.elements());
  cut.complete = at.inside == extent;
  cut.holders_most = std::min(cut.reach, positive(at.inside));
  linear(cut, range, at, reference);
  if (!range.known()) {
    return cut;
  }
  if (range.same()) {
    exact(cut, range, rule, extent, reference);
  } else if (range.concave()) {
    // The part of a coordinate is concave in the block length, to one position if steps are longer.
    const double rounding = at.step > 1 ? 1.0 : 0.0;
    for (const std::int64_t q : {0, 1}) {
      const double least = std::min(part_at(range.cut(), q, rule, extent),
                                    part_at(range.cut_of_last(), q, rule, extent));
      cut.part[static_cast<std::size_t>(q)] = std::max(least - rounding, 0.0);
    }
  }
  return cut;
}

}  // namespace gridcast::model
