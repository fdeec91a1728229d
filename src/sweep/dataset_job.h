#pragma once
/// Rank 0's and the workers' side of a data set. A task is a variant and one of its grids.

#include <optional>
#include <string>
#include <vector>

#include "dataset_inputs.h"
#include "gridcast/evaluate/evaluator.h"
#include "stored_job.h"

namespace gridcast::sweep {

/// Rank 0: hands out tasks in the order of variants and stores the rows.
class DatasetJob final : public StoredJob {
public:
  /// Opens the store. `begin`: when the run began, seconds_now(). Throws InputError.
  DatasetJob(const DatasetSettings& settings, const ReadDataset& read, const StopSignals& signals,
             double begin, int ranks);

  [[nodiscard]] std::vector<Task> next(std::size_t max) override;
  void give_up(const Task& task, const std::string& reason) override;
  [[nodiscard]] bool finished() const override;

  /// Ends the store; the outcome is then complete. Throws RunError.
  void finish();

  [[nodiscard]] const DatasetOutcome& outcome() const noexcept { return outcome_; }

private:
  /// A row of an earlier run.
  struct Configuration {
    std::int64_t variant = 0;
    machine::Grid grid;
  };

  void take_stored_rows();
  void expect_rows();
  [[nodiscard]] RunOutcome& run() override { return outcome_; }
  [[nodiscard]] bool is_stored(const Configuration& configuration) const;
  /// Begins with the next variant; false after the last.
  bool open_variant();
  void take_row(const Task& task, const store::ResultRow& row, const Reason& reason,
                std::span<const model::Characteristics> intervals) override;

  const DatasetSettings* settings_;
  const DatasetInputs* inputs_;
  Variants variants_;
  VariantGrids grids_;
  std::optional<Variant> variant_;  ///< whose grids are handed out
  std::int64_t next_variant_ = 0;
  bool exhausted_ = false;
  std::uint64_t out_ = 0;              ///< tasks handed out without a row yet
  std::vector<Configuration> stored_;  ///< of earlier runs, sorted
  Variant last_input_;                 ///< of the row that was stored last, with its input columns
  std::vector<double> last_values_;
  DatasetOutcome outcome_;
};

/// Any rank: evaluates tasks. Keeps the predictor of a variant as long as its grids come.
class DatasetEvaluator {
public:
  /// `inputs` must outlive the evaluator.
  explicit DatasetEvaluator(const DatasetInputs& inputs);

  /// Appends the row of the task. What fails becomes a failed row with its reason.
  void operator()(const Task& task, Results& results);

private:
  void open(std::int64_t variant);
  void fail(const machine::Grid& grid, Results& results);

  const DatasetInputs* inputs_;
  Variants variants_;
  std::optional<Variant> variant_;
  std::optional<machine::Cluster> cluster_;  ///< nothing: the variant has no machine
  std::optional<Evaluator> evaluator_;
  Reason problem_;  ///< why there is no machine
};

}  // namespace gridcast::sweep
