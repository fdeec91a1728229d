#pragma once
/// Predictions of one program on one machine (docs/model.md §2): the inner loop of a search.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gridcast/base/interruption.h"
#include "gridcast/figures/characteristics.h"
#include "gridcast/machine/cluster.h"
#include "gridcast/machine/grid.h"
#include "gridcast/predict/prediction.h"
#include "gridcast/rules/options.h"
#include "gridcast/rules/script.h"

namespace gridcast::model {

class Observer;

/// Predicts one grid after the other; keeps its memory between predictions. Not for use by two
/// threads at a time: give each its own (scripts and clusters can be shared).
class Predictor {
public:
  /// `script` and `cluster` must outlive the predictor.
  Predictor(const Script& script, const machine::Cluster& cluster,
            const ModelOptions& options = {});
  ~Predictor();
  Predictor(Predictor&&) noexcept;
  Predictor& operator=(Predictor&&) noexcept;

  /// Results per interval, depth first, the whole program first; valid until the next call. Throws
  /// InputError if the cluster is too small for the grid.
  std::span<const Characteristics> evaluate(const machine::Grid& grid);

  /// From now on predictions on thousands of processors ask this between their operations and
  /// within long ones, and throw Interrupted when it says true. It must outlive them.
  void ask(GiveUp give_up) noexcept;

  /// The same with all that a report shows; with `per_processor` also every processor's times.
  Prediction predict(const machine::Grid& grid, bool per_processor = false);

  /// Predicts processor by processor and tells what each does (observer.h); no iteration is left
  /// out.
  void observe(const machine::Grid& grid, Observer& observer);

  /// Where the last prediction placed the coordinates of its grid: as the options say, or the
  /// placement with the least execution time; of several as fast the first.
  [[nodiscard]] const machine::Placement& placement() const noexcept;

  /// Why the last prediction was worked out processor by processor; empty if it was by classes of
  /// equal processors (--engine=fast) or nobody asked for that.
  [[nodiscard]] const std::string& fallback() const noexcept;

private:
  class Engine;
  std::unique_ptr<Engine> engine_;
};

}  // namespace gridcast::model
