#pragma once
#include <filesystem>
#include <memory>

#include "gridcast/design/table.h"

namespace gridcast::design {

/// A CSV file (RFC 4180; comma, semicolon or tab) with a line of names. Columns whose first value
/// is no number are left out of it.
[[nodiscard]] std::unique_ptr<Table> open_csv(const std::filesystem::path& path);

}  // namespace gridcast::design
