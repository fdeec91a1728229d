#pragma once
/// Predictions and searches made by hand, for the tests and for looking at the pages.

#include "gridcast/predict/prediction.h"
#include "gridcast/report/search_html.h"

namespace gridcast::report::test {

/// Eight processors, four levels of intervals, each operation kind, warnings, file names with
/// markup, quotes and bytes that are not UTF-8. Total = productive + lost in each interval.
[[nodiscard]] model::Prediction sample_prediction();

/// A main interval with `children` loops of `grandchildren` nested ones each.
[[nodiscard]] model::Prediction large_prediction(int children, int grandchildren);

/// All grids of two dimensions up to 64 processors, times from a closed form, with failures.
[[nodiscard]] SearchReport sample_search();

}  // namespace gridcast::report::test
