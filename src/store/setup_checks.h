#pragma once
/// What must hold before a writer begins a store or goes on with one. All throw InputError.

#include <filesystem>

#include "gridcast/store/description.h"

namespace gridcast::store {

/// The directory of the store exists.
void require_directory(const std::filesystem::path& path);

/// Neither the store nor a journal with rows lies there.
void require_new(const std::filesystem::path& path);

/// The names and types of the extra columns can be stored.
void require_extra_columns(const std::vector<ExtraColumn>& extras);

/// Results per interval come with the tree of intervals.
void require_intervals(const StoreSetup& setup);

/// The store `path` was made for the same run, columns and intervals.
void require_same_setup(const std::filesystem::path& path, const StoreSetup& stored,
                        const StoreSetup& given);

}  // namespace gridcast::store
