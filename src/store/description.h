#pragma once
/// What a store says about the run that made it: the root attributes of docs/store.md and what goes
/// with them, given once when the store is created.

#include <cstdint>
#include <string>
#include <vector>

#include "gridcast/predict/prediction.h"
#include "gridcast/store/row.h"

namespace gridcast::store {

/// Name of the schema, root attribute `schema`.
inline constexpr const char* schema_name = "gridcast.store/1";

/// Root attributes that the caller knows. The writer adds schema, created, finished, complete and
/// evaluated.
struct RunDescription {
  std::string gridcast_version;
  std::string model_version;  ///< changes whenever predictions change
  std::string command_line;
  std::int64_t mode = 0;  ///< 1…5 of [Predictor2010 §5]; 0 for a data set or a merged store
  std::string objective;
  std::string options;  ///< options of the model and of the search, JSON
  std::string machine;  ///< text of the .par file after --set
  std::string machine_name;
  std::string trace_sha256;
  std::vector<std::string> traces;  ///< file names as given
  /// Options of the model that nobody gave, "reduction=tree block-rule=balanced ...": one line per
  /// program, one in all if they are alike; empty in stores of earlier versions.
  std::string assumed;
  std::int64_t candidates = -1;  ///< -1: not known
  std::int64_t not_bad = -1;
  bool operator==(const RunDescription&) const = default;
};

/// Throws InputError if results of `given` may not join those of `stored` (the store `file`):
/// trace, machine, mode, objective, options or model version differ. The message names the
/// difference.
void require_same_run(const std::string& file, const RunDescription& stored,
                      const RunDescription& given);

/// Everything that is fixed when a store is created.
struct StoreSetup {
  RunDescription description;
  std::vector<ExtraColumn> extra_columns;
  std::vector<model::IntervalInfo> intervals;  ///< the tree; may be empty
  bool interval_results = false;               ///< every row comes with one result per interval
  std::vector<RunDescription> sources;  ///< of a merged store with different runs, else empty
  std::int64_t chunk_rows = 8192;       ///< upper limit of rows per chunk
};

/// Why a configuration could not be predicted.
enum class FailureCause : std::uint8_t {
  prediction,  ///< the grid itself: it fails every time, so it gets a row with status 1
  memory,      ///< there was not enough memory
  lost,        ///< the processes that evaluated it were killed or hung
};

/// Whether the cause lies in the surroundings of the prediction: the configuration gets no row, and
/// the next start on the store tries it again.
[[nodiscard]] constexpr bool is_temporary(FailureCause cause) noexcept {
  return cause != FailureCause::prediction;
}

/// Name of a cause in /failures and in JSON.
[[nodiscard]] const char* name(FailureCause cause) noexcept;

/// A configuration that could not be predicted.
struct Failure {
  std::int64_t config = 0;  ///< its row in /results; -1: it has none and is tried again
  std::string grid;         ///< "4x2"
  std::string reason;
  FailureCause cause = FailureCause::prediction;
  bool operator==(const Failure&) const = default;
};

/// The result of the search, group /best.
struct Best {
  ResultRow chosen;         ///< by objective and --min-efficiency
  ResultRow unconstrained;  ///< by objective alone
};

}  // namespace gridcast::store
