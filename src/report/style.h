#pragma once

#include <string_view>

namespace gridcast::report {

/// The style sheet of all pages: light and dark, narrow screens, print. The colours of the parts of
/// time (c1...c10) follow the colour-blind safe palette of Okabe and Ito, and every part is also
/// numbered.
[[nodiscard]] std::string_view style_sheet() noexcept;

}  // namespace gridcast::report
