#pragma once
/// Times that no numbers explain: how far most residuals spread, and which ones are far beyond.

#include <cstddef>
#include <optional>

#include "least_squares.h"

namespace gridcast::calibrate {

/// Measured times are hardly ever better than this.
constexpr double narrowest_loss = 0.02;

/// Whether there are enough rows to tell how far the residuals of most spread.
[[nodiscard]] bool tells_spread(const Reduced& reduced);

/// The width of the loss that fits the residuals at a point: twice the spread of most of them, at
/// least `narrowest_loss` and at most `widest_loss`.
[[nodiscard]] double width_of_most(const Reduced& reduced, const Point& point);

/// Place among the rows of the one of kind 0 that is farthest beyond what most of its kind are off,
/// if there is one (docs/calibration.md, "Fitting").
[[nodiscard]] std::optional<std::size_t> strangest_row(const Reduced& reduced, const Point& point);

}  // namespace gridcast::calibrate
