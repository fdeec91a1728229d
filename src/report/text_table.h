#pragma once
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gridcast/base/words.h"

namespace gridcast::report {

/// Lines of columns: the first and those of long texts left-aligned, the others right-aligned;
/// `rows` front is the heading.
[[nodiscard]] std::string text_table(const std::vector<std::vector<std::string>>& rows);

/// A bar below the text of a cell. Numbers are shares of its full length.
struct CellBar {
  double end = 0.0;
  std::optional<std::pair<double, double>> spread;  ///< drawn as a line over its end
};
using CellBars = std::function<std::optional<CellBar>(std::size_t row, std::size_t column)>;

/// The same as an HTML table in a box. Rows of bars count from 0 below the heading.
[[nodiscard]] std::string html_table(std::string_view title,
                                     const std::vector<std::vector<std::string>>& rows,
                                     const CellBars& bars = {});

/// A paragraph for each of model::assumed_texts().
[[nodiscard]] std::string assumed_html(const std::vector<NamedWords>& assumed,
                                       const std::vector<std::string>& programs);

/// The unit in which the numbers of a column or an axis are written, by the largest of them.
struct Unit {
  std::string name;  ///< "ms", "MB"
  double per = 1.0;  ///< so many are a second or a byte
  [[nodiscard]] std::string text(double value) const;
};
[[nodiscard]] Unit seconds_unit(double largest);
[[nodiscard]] Unit bytes_unit(double largest);

/// Up to `digits` significant digits, without trailing zeros; whole numbers above as they are.
[[nodiscard]] std::string short_number(double value, int digits = 5);

/// "12.3 %".
[[nodiscard]] std::string per_cent(double share);

}  // namespace gridcast::report
