#pragma once
/// Numbers that were added up in different orders differ in their last digits; what is compared to
/// find a best one must not (docs/model.md §7).

namespace gridcast {

/// The number rounded to 11 significant decimal digits. Never falls when the number rises; what is
/// not finite stays as it is.
[[nodiscard]] double comparable(double number) noexcept;

}  // namespace gridcast
