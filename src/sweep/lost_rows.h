#pragma once
/// What a resumed run says about rows that a power cut took.

#include <filesystem>

#include "gridcast/store/writer.h"

namespace gridcast::sweep {

/// Warns if rows of the earlier run could not be taken over.
void warn_of_lost_rows(const store::StoreWriter& writer, const std::filesystem::path& store);

}  // namespace gridcast::sweep
