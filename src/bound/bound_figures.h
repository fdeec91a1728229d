#pragma once
/// Internal: the figures of a program on one grid that its lower bound adds up. Two sources:
/// formulas for programs that run on the root grid, lists of processors for those with subsystems
/// and tasks.

#include <memory>
#include <span>
#include <vector>

#include "bound_pipeline.h"
#include "bound_transfers.h"
#include "gridcast/network/networks.h"
#include "gridcast/rules/script.h"

namespace gridcast::model {

/// Predictions add the same times in another order: this covers the rounding of both.
inline constexpr double bound_rounding = 1e-9;

/// How a loop's time is shared, in seconds per second of it.
struct BoundShare {
  bool ready = false;
  bool nobody = false;      ///< certainly no processor has iterations: rule 1 applies
  double least = 0.0;       ///< of any processor, at least
  double most = 0.0;        ///< of any processor, at most
  std::vector<double> own;  ///< per candidate, at least
};

class BoundLists;

class BoundFigures {
public:
  virtual ~BoundFigures() = default;

  /// From now on about `grid`, which the machine covers; chooses the candidates. The first is
  /// processor 0.
  virtual void reset(const machine::Grid& grid) = 0;
  [[nodiscard]] std::span<const std::int64_t> candidates() const noexcept { return candidates_; }

  /// After a walk over the operations: adds candidates that it showed to be worth looking at. True
  /// if there are any; then figures are those of the new candidates from now on.
  virtual bool extend() { return false; }

  /// Whether a candidate belongs to a view.
  [[nodiscard]] virtual bool in_view(std::uint32_t view, std::size_t candidate) = 0;
  virtual const BoundShare& share(std::uint32_t view, std::uint32_t placement,
                                  std::uint32_t portion) = 0;
  virtual const BoundTimes& times(std::uint32_t communication) = 0;
  virtual const BoundTimes& broadcast(std::uint32_t view, double bytes) = 0;
  /// Ends of `second` after the start of `first`, a communication of one phase that found idle
  /// networks, if it starts `delay` seconds behind it or later. Null if that is not known; valid
  /// until reset().
  virtual const BoundTimes* behind(std::uint32_t /*first*/, std::uint32_t /*second*/,
                                   double /*delay*/) {
    return nullptr;
  }
  virtual double written(std::uint32_t communication, std::size_t candidate) = 0;
  /// Raises the clocks by a pipelined loop; false if it runs without a pipeline.
  virtual bool pipeline(std::uint32_t id, double call, BoundClocks& clocks) = 0;

  /// The lists that the figures come from, about the same grid; null if there are none.
  virtual BoundLists* lists() { return nullptr; }

protected:
  std::vector<std::int64_t> candidates_;
};

/// How much a bound may cost.
enum class Effort : std::uint8_t {
  quick,     ///< formulas
  thorough,  ///< communications are listed as well
};

[[nodiscard]] std::unique_ptr<BoundFigures> make_formula_figures(const Script& script,
                                                                 const ModelOptions& options,
                                                                 BoundMachine& machine,
                                                                 Effort effort);
[[nodiscard]] std::unique_ptr<BoundFigures> make_listed_figures(const Script& script,
                                                                const ModelOptions& options,
                                                                BoundMachine& machine);

}  // namespace gridcast::model
