#pragma once
/// The text of a lock file, and what it says about its writer.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "gridcast/store/lock.h"

namespace gridcast::store {

/// The contents of a lock file.
[[nodiscard]] std::string lock_text(const LockOwner& owner);

/// The owner in such a text; not whole if the text is torn.
[[nodiscard]] LockOwner parse_lock_text(std::string_view text);

/// Reads an open lock file from its begin.
[[nodiscard]] LockOwner read_lock_text(int descriptor, const std::filesystem::path& path);

/// The text of the file `path`, which is no link; empty if there is none. Throws RunError.
[[nodiscard]] std::optional<LockOwner> read_lock_file(const std::filesystem::path& path);

/// Random hexadecimal digits.
inline constexpr std::size_t random_token_length = 32;
[[nodiscard]] std::string random_token();

/// Whether `earlier` is an earlier start of the Slurm job of `later`.
[[nodiscard]] bool is_predecessor(const LockOwner& earlier, const LockOwner& later);

/// For messages: "process 17 on node1, job 4711".
[[nodiscard]] std::string described(const LockOwner& owner);

}  // namespace gridcast::store
