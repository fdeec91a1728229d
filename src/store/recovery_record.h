#pragma once
/// What makes the repair of a store safe (group /recovery): the description of the store as a
/// record with a mark and a digest, which is found wherever it lies in a damaged file, and the
/// digests of rows.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gridcast/store/description.h"

namespace gridcast::store {

/// What a store is, apart from its rows.
struct StoreIdentity {
  std::string store_id;
  std::string created;
  StoreSetup setup;
};

/// The record of a description, with mark and digest; its length is a multiple of 8.
[[nodiscard]] std::vector<std::byte> description_record(const StoreIdentity& identity);

/// The first description in a file whose digest is right; empty if there is none. Throws RunError
/// if the file cannot be read.
[[nodiscard]] std::optional<StoreIdentity> find_description(const std::filesystem::path& path);

/// Digest of row `number` of a store with all that belongs to it. Input columns of whole numbers
/// must hold whole numbers.
[[nodiscard]] std::uint64_t row_digest(std::int64_t number, ResultRow row,
                                       std::span<const double> extras,
                                       std::span<const model::Characteristics> intervals) noexcept;

}  // namespace gridcast::store
