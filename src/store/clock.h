#pragma once
/// Time of day as the store writes it.

#include <string>

namespace gridcast::store {

/// "2024-05-17T09:30:00Z".
[[nodiscard]] std::string utc_now();

}  // namespace gridcast::store
