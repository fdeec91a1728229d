#pragma once
#include <string>
#include <vector>

namespace gridcast::analyse {

/// Lines of columns: the first and those of long texts left-aligned, the others right-aligned;
/// `rows` front is the heading.
[[nodiscard]] std::string text_table(const std::vector<std::vector<std::string>>& rows);

/// The same as <table>.
[[nodiscard]] std::string html_table(const std::vector<std::vector<std::string>>& rows);

/// Up to `digits` significant digits, without trailing zeros.
[[nodiscard]] std::string short_number(double value, int digits = 5);

/// "12.3 %".
[[nodiscard]] std::string per_cent(double share);

}  // namespace gridcast::analyse
