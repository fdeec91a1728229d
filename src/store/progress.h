#pragma once
/// What a running job says of itself beside its store, S.h5.progress: three lines of text, renewed
/// about every second, for those who watch it. It is of no use to a resume, so nothing waits until
/// it is on disk.

#include <filesystem>
#include <optional>
#include <string>

namespace gridcast::store {

/// How far a job is.
struct RunProgress {
  std::optional<double> share;  ///< of the work, 0 to 1, if that is known
  std::string work;             ///< one line: what is done, how fast, and the time left
  std::string answer;           ///< one line: the best so far, and what is proven; may be empty
};

/// Both lines as one: "1234 of 5678 grids (22 %), 410/s, best 16x16: 250.0 ms".
[[nodiscard]] std::string progress_text(const RunProgress& progress);

/// Path of the progress of a store.
[[nodiscard]] std::filesystem::path progress_path(const std::filesystem::path& store);

/// Replaces the file in one step. Throws RunError.
void write_progress(const std::filesystem::path& store, const RunProgress& progress);

/// Empty if there is no such file, or it is not what write_progress() writes.
[[nodiscard]] std::optional<RunProgress> read_progress(const std::filesystem::path& store);

}  // namespace gridcast::store
