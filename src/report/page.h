#pragma once
/// The frame of every page: head with the inline style sheet, warnings, end.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gridcast::report {

/// Everything up to the content of the element `main`. `title` is plain text. `many` switches on
/// the layout for pages with hundreds of sections, which browsers then lay out only when they come
/// into view.
[[nodiscard]] std::string page_begin(std::string_view title, bool many);

/// Closes what `page_begin` opened.
[[nodiscard]] std::string page_end();

/// Cards with the figures one looks at first: (name, value as HTML).
[[nodiscard]] std::string cards(const std::vector<std::pair<std::string, std::string>>& figures);

/// The warnings in a box, nothing if there are none.
[[nodiscard]] std::string warnings_box(const std::vector<std::string>& warnings);

/// An efficiency as a bar; the number beside it is the caller's.
[[nodiscard]] std::string efficiency_bar(double efficiency);

/// A table cell with a time: readable, with the full value on hover. `field` is the name of the
/// anchor in [Predictor2010 app. 2], or empty.
[[nodiscard]] std::string time_cell(double seconds, std::string_view field = {});

}  // namespace gridcast::report
