#pragma once
/// A journal as the continuation of the rows in a store: what readers and writers check alike.

#include <cstdint>
#include <filesystem>
#include <optional>

#include "gridcast/store/journal.h"

namespace gridcast::store {

/// What the journal of a store must say about itself; `first_row` is the number of rows in the
/// store.
struct JournalOwner {
  std::filesystem::path store;
  JournalHeader expected;
};

/// Reads the journal once and goes back to its beginning. Returns how many rows behind those of the
/// store it has lost in a way that a power cut explains: they were not yet on disk. Throws
/// InputError if the journal belongs to another store, RunError if rows are missing between the
/// store and the journal, or if the journal is damaged.
[[nodiscard]] std::int64_t require_sound(JournalReader& journal, const JournalOwner& owner);

}  // namespace gridcast::store
