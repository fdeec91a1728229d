#pragma once
/// Versions of gridcast and of the libraries it works with.

#include <string>

namespace gridcast::cli {

/// Version of gridcast, as stored with results.
[[nodiscard]] std::string version();

/// The lines of `gridcast --version`.
[[nodiscard]] std::string version_text();

}  // namespace gridcast::cli
