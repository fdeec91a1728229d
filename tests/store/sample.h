#pragma once
/// Sample stores whose numbers follow closed forms that check_store.py knows too.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "gridcast/store/description.h"
#include "gridcast/store/reader.h"
#include "process.h"

namespace gridcast::store::testing {

using TemporaryDirectory = support::ScratchDirectory;

/// Output and exit code of a script of this directory under Debian's Python, which has h5py.
struct ScriptResult {
  int exit_code = -1;
  std::string output;  ///< standard output and error
};
[[nodiscard]] ScriptResult run_script(const std::string& script,
                                      const std::vector<std::string>& arguments);

/// Number `k` of row `i`: (i + 1) * 0.1 + k * 0.7.
[[nodiscard]] double number(int k, std::int64_t i);

/// Row `i`: grid (1 + i mod 97) x (1 + i / 97); its numbers are number(0…37, i) in the order of the
/// members, counts are i + 100 * kind.
[[nodiscard]] ResultRow sample_row(std::int64_t i);

[[nodiscard]] RunDescription sample_description();
[[nodiscard]] StoreSetup sample_setup();

/// A tree of three intervals.
[[nodiscard]] std::vector<model::IntervalInfo> sample_intervals();

/// The results of row `i` in these intervals: those of sample_row(1000 * i + interval).
[[nodiscard]] std::vector<model::Characteristics> sample_interval_results(std::int64_t i,
                                                                          std::size_t count);

/// The CSV of a table as a string.
[[nodiscard]] std::string csv_of(const Table& table);

/// The CSV of an uninterrupted run of `count` sample rows.
[[nodiscard]] std::string expected_csv(std::int64_t count);

/// Names in a directory, sorted.
[[nodiscard]] std::vector<std::string> names_in(const std::filesystem::path& directory);

/// The whole file.
[[nodiscard]] std::string contents(const std::filesystem::path& path);

/// What() of the exception of type `Error` that `call` throws; empty if it throws none.
template <typename Error, typename Call>
[[nodiscard]] std::string message_of(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace gridcast::store::testing
