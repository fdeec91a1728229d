#pragma once
/// What must hold of everything that is read from a store, whoever wrote it: a seal is easily
/// computed. Tables of rules, one line each; a group that is added gets its own.

#include <span>
#include <string>
#include <vector>

#include "gridcast/store/description.h"
#include "gridcast/store/proof.h"
#include "result_file.h"

namespace gridcast::store {

// Each returns what is wrong, as the end of a sentence about the store, or an empty text.

/// Of the identity of a store.
[[nodiscard]] std::string trouble_with_identity(const std::string& store_id);
[[nodiscard]] std::string trouble_with(const StoreSetup& setup);
[[nodiscard]] std::string trouble_with(const Outcome& outcome);
[[nodiscard]] std::string trouble_with(const ResultRow& row);
[[nodiscard]] std::string trouble_with(const model::Characteristics& figures);
[[nodiscard]] std::string trouble_with(const Failure& failure);
[[nodiscard]] std::string trouble_with(const Proof& proof);
/// Rows with their inputs and results per interval; names the number of the row, counted from
/// `first`.
[[nodiscard]] std::string trouble_with(const RowBatch& batch,
                                       const std::vector<ExtraColumn>& extra_columns,
                                       std::int64_t first);

/// Whether a row with what belongs to it could have been written.
[[nodiscard]] bool is_possible_row(const ResultRow& row, std::span<const double> extras,
                                   std::span<const model::Characteristics> intervals);

/// Throws RunError about the store `path` if there is trouble.
void require_no_trouble(const std::filesystem::path& path, const std::string& trouble);

}  // namespace gridcast::store
