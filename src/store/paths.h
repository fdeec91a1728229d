#pragma once
/// Names of the files of a store.

#include <filesystem>

namespace gridcast::store {

/// The file that `store` stands for, with every symbolic link resolved, those of its directory too;
/// it need not exist. Journal and lock lie beside this file, whatever name it was opened by, and a
/// link that is changed while a writer runs leads it nowhere else. Throws InputError for a chain of
/// links without an end.
[[nodiscard]] std::filesystem::path resolve_links(const std::filesystem::path& store);

}  // namespace gridcast::store
