#pragma once
/// The HTML page of a comparison of predicted with measured times.

#include <iosfwd>
#include <span>
#include <string>

#include "gridcast/calibrate/comparison.h"
#include "gridcast/report/difference.h"

namespace gridcast::report {

/// Writes one self-contained HTML5 page: key figures, a plot of predicted over measured times, the
/// ranking per program and number of processors, and all grids. `predicted` and `measured` name the
/// two sides. `figures`: the characteristics of both where they are known, means over the grids;
/// with them the sides are two stores and called A and B. The caller checks the state of `out`
/// afterwards.
void write_comparison_html(std::ostream& out, const calibrate::Comparison& comparison,
                           const std::string& predicted, const std::string& measured,
                           std::span<const FigureDifference> figures = {});

}  // namespace gridcast::report
