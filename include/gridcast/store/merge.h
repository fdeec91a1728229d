#pragma once
/// Joins stores into one.

#include <filesystem>
#include <span>

namespace gridcast::store {

/// Writes all rows of `inputs` to the new store `output`. A configuration that occurs more than
/// once must have the same numbers bit for bit. Stores of different runs (trace, machine, mode,
/// objective, options or model version) get an extra column `source` and the table /sources; the
/// rules are in docs/store.md. Throws InputError if the stores cannot be joined.
void merge(std::span<const std::filesystem::path> inputs, const std::filesystem::path& output);

}  // namespace gridcast::store
