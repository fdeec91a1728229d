#pragma once
/// Internal: a prediction by one of the two engines, in the placement that is asked for.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "class_predictor.h"
#include "gridcast/free/free_processes.h"
#include "gridcast/predict/predictor.h"
#include "gridcast/rules/observer.h"
#include "processor_clocks.h"
#include "shortened_script.h"

namespace gridcast::model {

class Predictor::Engine {
public:
  Engine(const Script& script, const machine::Cluster& cluster, const ModelOptions& options);
  Engine(const Engine&) = delete;  // its parts refer to each other
  Engine& operator=(const Engine&) = delete;

  std::span<const Characteristics> evaluate(const machine::Grid& grid);
  Prediction predict(const machine::Grid& grid, bool per_processor);
  void observe(const machine::Grid& grid, Observer& observer);
  void ask(GiveUp give_up) noexcept;
  /// How much the last prediction extrapolated (--extrapolate-iterations), for the user; empty if
  /// nothing.
  [[nodiscard]] std::vector<std::string> notes() const;
  [[nodiscard]] const std::string& fallback() const noexcept { return last().fallback_; }
  [[nodiscard]] const machine::Placement& placement() const noexcept { return last().placement_; }

private:
  /// The engine that simulates all iterations: this one, unless it extrapolates them.
  Engine& in_full();
  /// The engine of the last prediction.
  [[nodiscard]] const Engine& last() const noexcept { return doubtful_ ? *in_full_ : *this; }
  /// The script that is predicted.
  [[nodiscard]] const Script& shorter() const noexcept {
    return shortened_ ? shortened_->script() : *script_;
  }
  /// Sums with the placement as it is, of the script that is predicted.
  void run(const machine::Grid& grid, bool per_processor);
  /// Sums and results of the program with the placement as it is.
  void evaluate_here(const machine::Grid& grid, bool per_processor);
  /// The results with what a reader wants to know of the run.
  Prediction describe(const machine::Grid& grid, bool per_processor);
  [[nodiscard]] std::vector<ProcessorTimes> times(std::size_t interval) const;
  [[nodiscard]] IntervalInfo info(std::size_t interval) const;
  /// Chooses the placement of a grid; a search leaves the results of the best.
  void place(const machine::Grid& grid);
  void search_placement(const machine::Grid& grid);
  void set_placement(const machine::Grid& grid, const machine::Placement& placement);
  void tell_placement(Prediction& prediction) const;

  const Script* script_;
  const machine::Cluster* cluster_;
  ModelOptions options_;
  std::optional<ShortenedScript> shortened_;  // what is predicted in place of the script
  std::unique_ptr<Engine> in_full_;           // null: not needed yet
  bool doubtful_ = false;                     // the last prediction by the shortened script
  GiveUp give_up_ = nullptr;
  Interruption interruption_;
  GridDetails details_;                         // for both engines
  std::unique_ptr<ClassPredictor> by_classes_;  // null: not asked for
  ProcessorClocks by_processors_;
  std::unique_ptr<FreeProcesses> free_;  // null: not asked for
  std::span<IntervalSums> sums_;         // of the engine that predicted last
  machine::Placement placement_;
  std::string fallback_;
  std::vector<Characteristics> results_;
};

}  // namespace gridcast::model
