#pragma once
/// Internal: lower bounds of the times of communications on one grid (docs/search.md, "Lower
/// bound"). What no formula covers is bounded by 0.

#include <cstdint>
#include <span>
#include <vector>

#include "bound_streams.h"
#include "gridcast/rules/transfers.h"

namespace gridcast::model {

class BoundTransfers {
public:
  BoundTransfers(BoundMapping& mapping, const TransferBuilder& needs);

  /// Forgets everything; the candidates are processors of the current grid.
  void reset(std::span<const std::int64_t> candidates);

  const BoundTimes& times(std::uint32_t communication);

  /// Processor 0 sends `bytes` to all others.
  const BoundTimes& broadcast(double bytes);

  /// Part of the return time of a copying call that a candidate spends (docs/model.md §2.3); 1 if
  /// nothing is written, 0 if unknown.
  double written(std::uint32_t communication, std::size_t candidate);

  NeighbourStreams& streams() noexcept { return streams_; }

private:
  /// Processors along each dimension of the grid that take part, and what there is of each.
  using Factors = std::array<const StepFunction*, machine::max_grid_rank>;

  /// The parts of an array that somebody needs: elements per coordinate.
  struct Sources {
    Factors elements{};
    Factors present{};
    double uncut = 1.0;  ///< needed elements along dimensions that the grid does not cut
  };

  void shadow(const CommunicationSpec& spec, bool old_values, BoundTimes& result);
  void reduction(const CommunicationSpec& spec, BoundTimes& result);
  void move(const MovePart& part, BoundTimes& result);
  void copy(const CopyPart& part, BoundTimes& result);
  void remote(const RemotePart& part, BoundTimes& result);

  /// One processor sends `bytes` to each member, in ascending order, after the phase `before` if
  /// there is one; it completes with the last.
  void fan(std::int64_t root, const Factors& members, double bytes, const BoundTimes* before,
           BoundTimes& result);
  /// The same exactly where formulas are not; `gathered` members send to the root first.
  void run_fan(std::int64_t root, const Factors* gathered, const Factors& members, double bytes,
               BoundTimes& result);
  [[nodiscard]] double fan_time(const machine::Network& network, std::int64_t root,
                                const Factors& members, double count, double bytes) const;
  /// Every reader gets from every source what it needs.
  void spread(const GridBlocks& from, std::span<const mapping::StridedRange> need,
              double element_size, const Factors& readers, BoundTimes& result);
  bool sources(const GridBlocks& from, std::span<const mapping::StridedRange> need,
               Sources& result);
  void exchange(const Sources& from, double element_size, const Factors& readers,
                BoundTimes& result);

  const StepFunction& indicator(const StepFunction& function);
  const StepFunction& only_at(std::int64_t extent, std::int64_t coordinate);
  Factors everybody();
  [[nodiscard]] const GridShape& shape() const noexcept { return mapping_->shape(); }

  BoundMapping* mapping_;
  const TransferBuilder* needs_;
  std::vector<std::int64_t> candidates_;
  NeighbourStreams streams_;
  BoundRun run_;
  std::vector<BoundTimes> times_;
  BoundTimes broadcast_;
  BoundTimes part_;  // of one part of a group
  TransferBuilder::Needs need_;
};

}  // namespace gridcast::model
