#pragma once
/// Internal: communications of few messages, listed and run on idle networks. Exact where a formula
/// is not: several channels with messages of different length, grids of links below other networks.

#include <span>
#include <vector>

#include "bound_shape.h"
#include "gridcast/network/networks.h"

namespace gridcast::model {

/// Lower bounds of the ends of one communication, seconds after its start.
struct BoundTimes {
  bool ready = false;
  double last = 0.0;            ///< of the last transfer, on idle networks
  double last_shared = 0.0;     ///< the same whatever else the networks carry
  double top = 0.0;             ///< load of the top network over its channels; 0 if unknown
  double top_free = 0.0;        ///< the top network has no free channel before, if it was idle
  double last_top = 0.0;        ///< `last` of what the top network carries, nothing else considered
  std::vector<double> own_top;  ///< `own` of the same
  std::vector<double> own;      ///< per candidate processor: of its last transfer, idle networks
  std::vector<double> own_shared;  ///< the same whatever else the networks carry

  void reset(std::size_t candidates);
  /// Candidate i ends no earlier than `end` (`shared` if networks are not idle).
  void raise(std::size_t i, double end, double shared) noexcept;
  void raise_last(double end, double shared) noexcept;
};

class BoundRun {
public:
  explicit BoundRun(const BoundMapping& mapping) : mapping_(&mapping) {}

  /// Whether listing pays for this many messages.
  [[nodiscard]] bool pays(double messages) const noexcept;

  /// To be filled with messages in any order, phase after phase.
  network::Communication& list();
  void end_phase();

  /// Raises the ends on idle networks to those of the listed messages.
  void run(std::span<const std::int64_t> candidates, BoundTimes& result);

private:
  const BoundMapping* mapping_;
  network::Communication communication_;
  std::vector<network::Transfer> phase_;
  std::vector<network::Networks> networks_;  // one, made anew when the machine grows
  std::size_t known_processors_ = 0;
  std::vector<double> ends_;
};

}  // namespace gridcast::model
