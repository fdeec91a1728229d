#pragma once
/// What is damaged in a store, and a new store from what is not. docs/store.md, "Damage".

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace gridcast::store {

/// The outcome of looking at every byte of a store and its journal.
struct Inspection {
  bool sound = true;  ///< nothing is damaged
  std::vector<std::string>
      findings;              ///< one line each; also what is worth knowing of a sound store
  std::int64_t rows = 0;     ///< that are readable
  std::int64_t missing = 0;  ///< rows known to have existed that are not
};

/// Looks at a store, also while it is written; changes nothing. Throws InputError if there is no
/// such file or it has nothing of a store, RunError if it cannot be read.
[[nodiscard]] Inspection inspect_store(const std::filesystem::path& path);

/// What a repair did.
struct Repair {
  Inspection before;
  bool done = false;  ///< false: the store was sound and is as it was
  std::int64_t rows = 0;
  std::vector<std::filesystem::path> kept;  ///< the damaged files under their new names
};

/// Writes a new store of every row that is whole in the store, its journal or its working file in
/// the place of a damaged one, whose files are kept beside it. Rows that are missing are evaluated
/// by a resumed run: `complete` is 0 then. Errors as inspect_store; InputError if a writer has the
/// store.
Repair repair_store(const std::filesystem::path& path);

}  // namespace gridcast::store
