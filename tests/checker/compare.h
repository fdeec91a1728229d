#pragma once
/// The product against the naive model.

#include <optional>
#include <string>

#include "random_case.h"

namespace gridcast::checker {

/// What differs, for people; nothing if all characteristics of all intervals agree and the lower
/// bounds hold. Throws what the product throws for a case that it refuses.
[[nodiscard]] std::optional<std::string> difference_of(const Case& tried);

/// The same case with fewer calls that still differs.
[[nodiscard]] Case shrunk(Case failing);

/// Everything to see and to repeat a failure: the difference, the shrunk case, the naive clocks.
[[nodiscard]] std::string report_of(std::uint64_t seed, const std::string& difference,
                                    const Case& failing);

}  // namespace gridcast::checker
