#pragma once
/// Two predictions for `compare`: files of `predict --json`, or grids of stores.

#include <string>
#include <vector>

#include "gridcast/report/difference.h"

namespace gridcast::cli {

/// Whether two predictions are to be compared, not times of many grids: both files have one, or the
/// grids of stores are chosen. Throws InputError if grids are chosen of files that are no stores.
[[nodiscard]] bool are_predictions(const std::vector<std::string>& files,
                                   const std::vector<std::string>& grids);

/// Reads both and compares them. `grids`: which grid of each store, or of both; "best" is the one
/// that its search chose; empty: that of the other prediction. Throws InputError.
[[nodiscard]] report::Difference compared_predictions(const std::vector<std::string>& files,
                                                      const std::vector<std::string>& grids);

/// The characteristics of two stores, means over the grids that both have; empty if one of the
/// files is no store. Throws InputError as reading stores does.
[[nodiscard]] std::vector<report::FigureDifference> compared_means(
    const std::vector<std::string>& files);

}  // namespace gridcast::cli
