#pragma once
/// Internal: the figures of a program on one grid that its lower bound adds up. Two sources:
/// formulas for programs that run on the root grid, lists of processors for those with subsystems
/// and tasks.

#include <memory>
#include <span>
#include <vector>

#include "bound_pipeline.h"
#include "bound_transfers.h"
#include "gridcast/model/script.h"
#include "gridcast/network/networks.h"

namespace gridcast::model {

/// How a loop's time is shared, in seconds per second of it.
struct BoundShare {
  bool ready = false;
  bool nobody = false;      ///< certainly no processor has iterations: rule 1 applies
  double least = 0.0;       ///< of any processor, at least
  double most = 0.0;        ///< of any processor, at most
  std::vector<double> own;  ///< per candidate, at least
};

class BoundFigures {
public:
  virtual ~BoundFigures() = default;

  /// From now on about `grid`, which the machine covers; chooses the candidates. The first is
  /// processor 0.
  virtual void reset(const machine::Grid& grid) = 0;
  [[nodiscard]] std::span<const std::int64_t> candidates() const noexcept { return candidates_; }

  /// Whether a candidate belongs to a view.
  [[nodiscard]] virtual bool in_view(std::uint32_t view, std::size_t candidate) = 0;
  virtual const BoundShare& share(std::uint32_t view, std::uint32_t placement,
                                  std::uint32_t portion) = 0;
  virtual const BoundTimes& times(std::uint32_t communication) = 0;
  virtual const BoundTimes& broadcast(std::uint32_t view, double bytes) = 0;
  virtual double written(std::uint32_t communication, std::size_t candidate) = 0;
  /// Raises the clocks by a pipelined loop; false if it runs without a pipeline.
  virtual bool pipeline(std::uint32_t id, double call, BoundClocks& clocks) = 0;

protected:
  std::vector<std::int64_t> candidates_;
};

[[nodiscard]] std::unique_ptr<BoundFigures> make_formula_figures(const Script& script,
                                                                 const ModelOptions& options,
                                                                 BoundMachine& machine);
[[nodiscard]] std::unique_ptr<BoundFigures> make_listed_figures(const Script& script,
                                                                const ModelOptions& options,
                                                                BoundMachine& machine);

}  // namespace gridcast::model
