#pragma once
/// Internal: networks that notice when a decision might come out differently later in a run
/// (docs/search.md, "Stretches").

#include <span>
#include <vector>

#include "gridcast/machine/cluster.h"
#include "gridcast/network/communication.h"

namespace gridcast::model {

/// Channels are filled like those of network::Networks, from time 0 on. Whether a transfer fits
/// into a gap and which channel is free first are comparisons of times; one that is neither an
/// equality nor decided by more than a margin makes the whole uncertain.
class CertainNetworks {
public:
  /// `system` must outlive this object and have no grids of links.
  explicit CertainNetworks(const machine::ProcessorSystem& system);

  /// Frees all channels; differences above `margin` seconds decide from now on.
  void reset(double margin);

  /// Ends of the transfers of each processor, `start` for those without.
  void run(const network::Communication& communication, double start, std::span<double> ends);

  /// Every decision since reset() was certain.
  [[nodiscard]] bool certain() const noexcept { return certain_; }

private:
  struct Period {
    double begin = 0.0, end = 0.0;
  };
  using Channel = std::vector<Period>;  // in order of time

  double place(std::uint32_t network, double start, double length);
  [[nodiscard]] double earliest_gap(std::uint32_t channel, double start, double length);
  /// Whether a < b; equal times are not.
  [[nodiscard]] bool before(double a, double b);

  const machine::ProcessorSystem* system_;
  std::vector<std::uint32_t> first_channel_;  // per network, and one past the last
  std::vector<Channel> channels_;
  std::vector<Period> last_;  // the last period of each channel
  std::vector<std::uint32_t> touched_;
  double margin_ = 0.0;
  bool certain_ = true;
};

}  // namespace gridcast::model
