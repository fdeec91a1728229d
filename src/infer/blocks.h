#pragma once
/// The blocks that a rule gives to the processes of recorded runs.

#include <cstdint>
#include <vector>

#include "gridcast/infer/laws.h"
#include "gridcast/infer/steps.h"

namespace gridcast::infer {

/// The blocks of the processes under a rule. Grid dimensions cut the first extents of the problem.
class Blocks {
public:
  Blocks(const Runs& runs, Rule rule) : runs_(runs), rule_(rule) {}

  [[nodiscard]] Rule rule() const noexcept { return rule_; }
  /// Extents of a process's own block.
  [[nodiscard]] std::vector<std::int64_t> of(std::size_t run, std::size_t rank) const;
  /// Length of block q of an extent over a dimension of the grid.
  [[nodiscard]] std::int64_t length(std::size_t run, std::size_t extent, std::size_t dimension,
                                    std::int32_t q) const;

private:
  const Runs& runs_;
  Rule rule_;
};

}  // namespace gridcast::infer
