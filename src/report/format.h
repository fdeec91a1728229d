#pragma once
/// Numbers and names as people read them; the same in every locale.

#include <cstdint>
#include <string>
#include <string_view>

#include "gridcast/predict/prediction.h"

namespace gridcast::report {

/// Text for HTML content and attribute values: valid UTF-8, `&<>"'` escaped, control characters
/// replaced by U+FFFD.
[[nodiscard]] std::string escape_html(std::string_view text);

/// `part` of `whole` in per cent: "12.3 %", "<0.1 %"; "0 %" if `whole` is 0.
[[nodiscard]] std::string format_share(double part, double whole);

/// part / whole, 0 if `whole` is not positive.
[[nodiscard]] double share(double part, double whole) noexcept;

/// Four decimals, as the historical report has it.
[[nodiscard]] std::string format_efficiency(double efficiency);

/// "Main", "User", "Seq" or "Par".
[[nodiscard]] std::string_view type_title(trace::IntervalType type);

/// Short name of an interval: "Seq jac.c:12, expression 3"; "whole program" for the main one.
[[nodiscard]] std::string interval_label(const model::IntervalInfo& info);

/// "4×2".
[[nodiscard]] std::string grid_title(const machine::Grid& grid);

/// "8 processors"; with threads "8 processes of 4 threads, 32 cores".
[[nodiscard]] std::string size_text(std::int64_t processes, std::int32_t threads);
[[nodiscard]] std::string size_text(const model::Prediction& prediction);

/// The kind of operation in tables ("I/O", "Shadow", ...).
[[nodiscard]] std::string_view operation_title(model::Operation kind);

}  // namespace gridcast::report
