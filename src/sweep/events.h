#pragma once
/// --events: what happens, as JSON lines for other programs. Each line has "event" (start, batch,
/// best, failure, lost, end) and "time" (ISO 8601 UTC).

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

#include "gridcast/farm/farm.h"
#include "gridcast/search/strategy.h"

namespace gridcast::sweep {

class Events {
public:
  /// Writes nowhere if `path` is empty. Throws InputError if the file cannot be opened.
  explicit Events(const std::optional<std::filesystem::path>& path);

  /// `resumed`: rows that an earlier run left.
  void start(int mode, std::uint64_t candidates, std::uint64_t not_bad, std::uint64_t resumed,
             int ranks);
  /// Results of some grids that a rank evaluated in `seconds`; `evaluated` so far altogether.
  void batch(int worker, std::size_t grids, double seconds, std::uint64_t evaluated);
  void best(const search::Outcome& best);
  void failure(const machine::Grid& grid, const Reason& reason);
  void lost(int worker, std::string_view reason);
  /// What mode 4 has shown so far.
  void proof(const search::Proof& proof);
  void end(int exit_code, std::uint64_t evaluated, std::uint64_t failed, std::string_view message);

private:
  /// Members: pairs of a name and a value.
  template <typename... Members>
  void write(std::string_view event, const Members&... members);

  std::ofstream stream_;
};

}  // namespace gridcast::sweep
