#pragma once
/// How long computing takes by the size of the block.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gridcast::infer {

/// The least time of a piece of computation over its iterations.
struct TimeSample {
  std::vector<std::int64_t> block{};  ///< extents of the process's own
  double seconds = 0.0;
  double portions = 1.0;  ///< of one of so many that the block is computed in
};

/// A piece of computation as a description says it.
struct Computation {
  std::string expression;         ///< seconds, by b1, b2 ...; empty: `table`
  std::vector<TimeSample> table;  ///< times by blocks, by volume, where no expression holds
  double residual = 0.0;          ///< root of the mean square of relative errors
  std::string remark;             ///< of which terms, for people
};

/// Fits times: by volume; one or two other terms (a constant, surfaces) only if they beat what
/// noise could do; else, with three volumes or more, the times themselves. `minor`: not worth more
/// than a single term. None: the samples have one block only, or blocks of one volume, and cannot
/// tell volume from constant. `portions`: an expression, how many of a block there are; each takes
/// its part of what the block takes, and a constant. (That each takes as long as a block looks in
/// few sizes like what caches do.)
[[nodiscard]] std::optional<Computation> fit_computation(std::vector<TimeSample> samples,
                                                         bool minor,
                                                         const std::string& portions = {});

/// True if a time per element is at least as close to the samples as a constant.
[[nodiscard]] bool follows_volume(const std::vector<TimeSample>& samples);

}  // namespace gridcast::infer
