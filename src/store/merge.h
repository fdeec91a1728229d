#pragma once
/// Joins stores into one.

#include <cstdint>
#include <filesystem>
#include <span>

namespace gridcast::store {

/// Writes all rows of `inputs` to the new store `output`. A configuration that occurs more than
/// once must have the same numbers bit for bit. Stores of different runs (trace, machine, mode,
/// objective, options or model version) get an extra column `source` and the table /sources; the
/// rules are in docs/store.md. Returns how many rows of the inputs cannot be read. Throws
/// InputError if the stores cannot be joined, RunError if one is damaged.
std::int64_t merge(std::span<const std::filesystem::path> inputs,
                   const std::filesystem::path& output);

}  // namespace gridcast::store
