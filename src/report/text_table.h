#pragma once
#include <string>
#include <vector>

#include "gridcast/base/words.h"

namespace gridcast::report {

/// Lines of columns: the first and those of long texts left-aligned, the others right-aligned;
/// `rows` front is the heading.
[[nodiscard]] std::string text_table(const std::vector<std::vector<std::string>>& rows);

/// The same as an HTML table.
[[nodiscard]] std::string html_table(const std::vector<std::vector<std::string>>& rows);

/// A paragraph for each of model::assumed_texts().
[[nodiscard]] std::string assumed_html(const std::vector<NamedWords>& assumed,
                                       const std::vector<std::string>& programs);

/// Up to `digits` significant digits, without trailing zeros.
[[nodiscard]] std::string short_number(double value, int digits = 5);

/// "12.3 %".
[[nodiscard]] std::string per_cent(double share);

}  // namespace gridcast::report
