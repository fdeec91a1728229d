#pragma once
/// The options of a run as its store keeps them, in the attribute `options` (docs/store.md):
/// written and read here.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gridcast::store {

/// Options of a search; of a data set `model` and `kind` alone. What a store does not say, as those
/// of earlier versions, is the default.
struct StoredOptions {
  std::string model;  ///< model::ModelOptions::text()
  std::string kind;   ///< of a data set: the kind of its design
  std::string heuristic = "descent";
  std::string grid = "1";           ///< where the search started
  std::int64_t max_processors = 0;  ///< of a candidate
  std::optional<double> min_efficiency{};
  std::int64_t best = 1;  ///< how many of the best grids were wanted
  /// Extents of the reference array along the dimensions of the grid.
  std::optional<std::vector<std::int64_t>> reference{};
  bool balanced = false;                   ///< rule by which evenness cuts it
  std::optional<double> within{};          ///< as a share
  std::string conditions{};                ///< on grids, as options of the command line
  std::optional<std::int64_t> excluded{};  ///< candidates that --min-block left out
  std::string threads = "1";               ///< numbers of threads among which it chose
  double spread = 0.0;  ///< part by which times differ from run to run; 0: not known
  /// Search of free processes: share by which a free run is at most shorter than one together,
  /// where bounds prove nothing.
  std::optional<double> margin{};

  /// The word of an option of the model, "tree"; empty if it is not stored: it was the default.
  [[nodiscard]] std::string word(std::string_view option) const;

  /// As JSON.
  [[nodiscard]] std::string json() const;
  /// Reads json() and what earlier versions wrote; members that are missing or of another type are
  /// left at their defaults.
  [[nodiscard]] static StoredOptions read(std::string_view json);

  friend bool operator==(const StoredOptions&, const StoredOptions&) = default;
};

/// True if two texts say the same options, however they are set.
[[nodiscard]] bool same_options(std::string_view a, std::string_view b);

}  // namespace gridcast::store
