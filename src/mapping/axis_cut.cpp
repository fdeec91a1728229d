#include "gridcast/mapping/axis_cut.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "gridcast/base/contract.h"

namespace gridcast::mapping {

void AxisCut::assign_whole() {
  active_ = false;
  rule_ = AxisRule{};
  period_ = 1;
  first_ = end_ = holders_ = 0;
}

void AxisCut::assign(const BlockCut& blocks, const AxisRule& rule, std::int64_t extent) {
  expects(rule.kind != AxisRule::Kind::replicated, "a replicated dimension does not cut");
  active_ = true;
  blocks_ = &blocks;
  rule_ = rule;
  if (rule.kind != AxisRule::Kind::linear) {
    rule_.dim = -1;
  }
  extent_ = rule.kind == AxisRule::Kind::linear    ? extent
            : rule.kind == AxisRule::Kind::bounded ? rule.bound
                                                   : 1;
  const std::int64_t step = rule.kind == AxisRule::Kind::constant ? 1 : std::abs(rule.coefficient);
  const std::int64_t from = rule.constant;
  const std::int64_t to = rule.kind == AxisRule::Kind::constant
                              ? rule.constant
                              : rule.constant + rule.coefficient * (extent_ - 1);
  const std::int64_t low = std::min(from, to);
  const std::int64_t high = std::max(from, to);
  const BlockCut::Repeat& repeat = blocks.repeat();
  const bool each = blocks.shortest() >= step;  // holds something, between the ends
  const bool inside = extent_ > 0 && low >= 0 && high < blocks.elements();
  borders_.clear();
  if (inside && repeat.elements > 0 && (each || blocks.longest() <= step)) {
    const bool counted = rule.kind == AxisRule::Kind::linear;
    period_ = rule.kind == AxisRule::Kind::constant || (each && !counted)
                  ? 1
                  : repeat.coordinates * (step / std::gcd(repeat.elements, step));
    first_ = blocks.coordinate_of(low);
    end_ = blocks.coordinate_of(high) + 1;
    holders_ = each ? end_ - first_ : extent_;
  } else {
    period_ = 0;
    look_at_all();
  }
}

void AxisCut::look_at_all() {
  first_ = end_ = holders_ = 0;
  for_each_coordinate([this](std::int64_t q, bool holds, bool changes) {
    if (changes) {
      borders_.push_back(q);
    }
    if (holds) {
      first_ = holders_ == 0 ? q : first_;
      end_ = q + 1;
      ++holders_;
    }
  });
}

template <class F>
void AxisCut::for_each_coordinate(F&& f) const {
  const std::int64_t count = blocks_->coordinates();
  IndexRange before;
  IndexRange here = range(0);
  std::int64_t last_size = -1;
  bool last_left = false;
  bool last_right = false;
  for (std::int64_t q = 0; q < count; ++q) {
    const IndexRange after = q + 1 < count ? range(q + 1) : IndexRange{};
    const bool left = q > 0 && !before.empty();
    const bool right = !after.empty();
    f(q, !here.empty(),
      q > 0 && (here.size() != last_size || left != last_left || right != last_right));
    last_size = here.size();
    last_left = left;
    last_right = right;
    before = here;
    here = after;
  }
}

IndexRange AxisCut::range(std::int64_t q) const noexcept {
  const IndexRange block{blocks_->boundary(q), blocks_->boundary(q + 1)};
  switch (rule_.kind) {
    case AxisRule::Kind::linear:
      return preimage(block, rule_.coefficient, rule_.constant, extent_);
    case AxisRule::Kind::constant:
      return {0, block.lo <= rule_.constant && rule_.constant < block.hi ? 1 : 0};
    case AxisRule::Kind::bounded:
      return {0, preimage(block, rule_.coefficient, rule_.constant, extent_).empty() ? 0 : 1};
    case AxisRule::Kind::replicated:
      break;
  }
  return {0, 1};
}

std::int64_t AxisCut::coordinate_of(std::int64_t element) const noexcept {
  return blocks_->coordinate_of(rule_.coefficient * element + rule_.constant);
}

std::int64_t AxisCut::changes() const noexcept {
  // Between the ends sizes take about two values, the larger one `rest` times a period, spread
  // evenly.
  if (period_ <= 1) {
    return 0;
  }
  const BlockCut::Repeat& repeat = blocks_->repeat();
  const std::int64_t step = std::abs(rule_.coefficient);
  const std::int64_t rest = repeat.elements / std::gcd(repeat.elements, step) % period_;
  return 2 * std::min(rest, period_ - rest) * (end_ - first_) / period_;
}

void AxisCut::append_sizes(std::int64_t first, std::int64_t count,
                           std::vector<std::int64_t>& sizes) const {
  const std::int64_t step = std::abs(rule_.coefficient);
  const auto begin = [&](std::int64_t q) {
    const std::int64_t boundary = blocks_->unending_boundary(q);
    return step == 1 ? boundary : ceil_div(boundary - rule_.constant, step);
  };
  std::int64_t from = begin(first);
  for (std::int64_t q = first + 1; q <= first + count; ++q) {
    const std::int64_t to = begin(q);
    const bool counted = rule_.kind == AxisRule::Kind::linear;
    sizes.push_back(counted ? to - from : std::min<std::int64_t>(1, to - from));
    from = to;
  }
}

bool AxisCut::repeats_like(const AxisCut& other) const noexcept {
  const std::int64_t step = std::abs(rule_.coefficient);
  return rule_.kind == other.rule_.kind && step == std::abs(other.rule_.coefficient) &&
         (rule_.constant - other.rule_.constant) % step == 0 && *blocks_ == *other.blocks_;
}

void AxisCut::append_borders(std::vector<std::int64_t>& borders, bool ends_only) const {
  if (!active_) {
    return;
  }
  if (period_ == 0) {
    borders.insert(borders.end(), borders_.begin(), borders_.end());
    return;
  }
  if (period_ > 1 && !ends_only) {
    for_each_coordinate([&borders](std::int64_t q, bool /*holds*/, bool changes) {
      if (changes) {
        borders.push_back(q);
      }
    });
    return;
  }
  // The first and the last part may be shorter and lack a neighbour.
  for (const std::int64_t q : {first_, first_ + 1, end_ - 1, end_}) {
    borders.push_back(q);
  }
}

}  // namespace gridcast::mapping
