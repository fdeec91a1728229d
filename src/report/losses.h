#pragma once
/// Lost time by place and cause, as text and as a section of a page.

#include <cstddef>
#include <string>
#include <string_view>

#include "gridcast/predict/prediction.h"

namespace gridcast::report {

/// So many losses are shown.
inline constexpr std::size_t shown_losses = 10;

/// A loss in words: what was done, why time was lost, and "FILE:LINE".
[[nodiscard]] std::string_view loss_activity(model::Activity activity);
[[nodiscard]] std::string loss_cause(const model::Loss& loss);
[[nodiscard]] std::string loss_place(const model::Loss& loss);

/// The largest losses in lines of text and what would change them; empty if nobody asked.
[[nodiscard]] std::string losses_text(const model::Prediction& prediction);

/// The same as a section of a page.
[[nodiscard]] std::string losses_html(const model::Prediction& prediction);

}  // namespace gridcast::report
