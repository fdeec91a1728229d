#include "gridcast/mapping/axis_cut.h"

#include <algorithm>
#include <cstdlib>

#include "gridcast/base/contract.h"

namespace gridcast::mapping {

void AxisCut::assign_whole() {
  active_ = false;
  rule_ = AxisRule{};
  regular_ = true;
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
  const std::int64_t block = blocks.block();
  const bool counted = rule.kind == AxisRule::Kind::linear;
  // Equal blocks that hold equally many positions, and at least one each, between the ends.
  const bool equal = block > 0 && (counted ? block % step == 0 : block >= step);
  if (extent_ > 0 && equal && low >= 0 && high < blocks.elements()) {
    look_at_ends(low, high);
  } else {
    look_at_all();
  }
}

void AxisCut::look_at_ends(std::int64_t low, std::int64_t high) {
  regular_ = true;
  borders_.clear();
  first_ = low / blocks_->block();
  end_ = high / blocks_->block() + 1;
  holders_ = end_ - first_;
}

void AxisCut::look_at_all() {
  regular_ = false;
  borders_.clear();
  const std::int64_t count = blocks_->coordinates();
  first_ = end_ = holders_ = 0;
  IndexRange before;
  IndexRange here = range(0);
  std::int64_t last_size = -1;
  bool last_left = false;
  bool last_right = false;
  for (std::int64_t q = 0; q < count; ++q) {
    const IndexRange after = q + 1 < count ? range(q + 1) : IndexRange{};
    const bool left = q > 0 && !before.empty();
    const bool right = !after.empty();
    if (q > 0 && (here.size() != last_size || left != last_left || right != last_right)) {
      borders_.push_back(q);
    }
    if (!here.empty()) {
      first_ = holders_ == 0 ? q : first_;
      end_ = q + 1;
      ++holders_;
    }
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

void AxisCut::append_borders(std::vector<std::int64_t>& borders) const {
  if (!active_) {
    return;
  }
  if (!regular_) {
    borders.insert(borders.end(), borders_.begin(), borders_.end());
    return;
  }
  // The first and the last part may be shorter and lack a neighbour.
  for (const std::int64_t q : {first_, first_ + 1, end_ - 1, end_}) {
    borders.push_back(q);
  }
}

}  // namespace gridcast::mapping
