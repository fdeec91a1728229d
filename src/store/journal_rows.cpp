#include "journal_rows.h"

#include <algorithm>
#include <string>

#include "gridcast/base/error.h"

namespace gridcast::store {
namespace {

std::string repair_with(const std::filesystem::path& store) {
  return "save what is readable with: gridcast store repair " + store.string();
}

void require_own(const JournalReader& journal, const JournalOwner& owner) {
  const JournalHeader& header = journal.header();
  const JournalHeader& expected = owner.expected;
  if (header.store_id != expected.store_id || header.extra_columns != expected.extra_columns ||
      header.intervals != expected.intervals) {
    throw InputError(journal_path(owner.store).string(), 0, "belongs to another store",
                     "move it away if its rows are not needed");
  }
  if (header.first_row > expected.first_row) {
    throw RunError(journal_path(owner.store).string(),
                   "begins with row " + std::to_string(header.first_row) +
                       " but the store ends after " + std::to_string(expected.first_row) +
                       " rows: the store is older than its journal",
                   "put the newer store back, or " + repair_with(owner.store));
  }
}

}  // namespace

std::int64_t require_sound(JournalReader& journal, const JournalOwner& owner) {
  require_own(journal, owner);
  while (journal.next()) {
  }
  std::int64_t damaged = 0;
  std::int64_t unsynced = 0;
  bool sound = true;
  for (const JournalGap& gap : journal.gaps()) {
    const std::int64_t end = gap.first_row + gap.rows;
    const std::int64_t rows = end - std::max(gap.first_row, owner.expected.first_row);
    // What the store has already is not missed.
    if (rows > 0 || gap.rows == 0) {
      sound = sound && !gap.damage;
      (gap.damage ? damaged : unsynced) += std::max<std::int64_t>(rows, 0);
    }
  }
  if (!sound) {
    throw RunError(journal_path(owner.store).string(),
                   "is damaged: " + std::to_string(damaged) + " of its rows cannot be read",
                   repair_with(owner.store));
  }
  journal.rewind();
  return unsynced;
}

}  // namespace gridcast::store
