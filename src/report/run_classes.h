#pragma once
/// A predicted run by classes of processors that do the same, to a thousandth of its time.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "gridcast/explain/timeline.h"

namespace gridcast::report {

/// Times of a run are counted in this part of its execution time.
inline constexpr std::int64_t run_ticks = 1'000'000;

/// Processors whose phases end at the same multiples of so many ticks are of one class.
inline constexpr std::int64_t class_ticks = 1'000;

/// Shares of the execution time per thing done.
using RunShares = std::array<double, model::doing_count>;

/// A stretch of time of a class.
struct RunStep {
  std::int64_t end = 0;    ///< ticks; it begins where the one before ends
  std::uint32_t kind = 0;  ///< index into RunClasses::kinds
  auto operator<=>(const RunStep&) const = default;
};

struct RunClass {
  std::vector<RunStep> steps;  ///< of its lowest processor
  std::size_t first = 0;       ///< lowest processor
  std::size_t processors = 0;  ///< how many
};

struct RunKind {
  model::Doing doing = model::Doing::idle;
  std::string text;  ///< "computing loop jac.cdv:25"
};

struct RunClasses {
  std::vector<RunKind> kinds;
  std::vector<RunClass> classes;            ///< by their lowest processors
  std::vector<RunShares> shares;            ///< different ones, to a thousandth
  std::vector<std::uint32_t> of_processor;  ///< index into `shares`
};

/// Groups the processors of a run. Precondition: it has phases and takes time.
[[nodiscard]] RunClasses classes_of(const model::Timeline& timeline);

}  // namespace gridcast::report
