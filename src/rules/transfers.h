#pragma once
/// From the description of a communication to its transfers on one grid (docs/model.md
/// §5; [Predictor2010 §4.2–4.5]).

#include <array>
#include <optional>
#include <vector>

#include "gridcast/network/communication.h"
#include "gridcast/rules/grid_mapping.h"

namespace gridcast::model {

/// Who writes how much of what a copying call writes: the share of its return time (docs/model.md
/// §2.3).
struct WrittenShares {
  bool any = false;  ///< false: nothing is written, the return time follows rule 1
  /// Per processor of the root grid: elements it writes / distinct elements.
  std::vector<double> share;
  std::vector<double> once;  ///< that, over the number of those that write the same
};

/// Whether an edge lies in memory without gaps, as a part of a block without shadows: every
/// dimension after its first of extent > 1 is whole. The last dimension, or the first, is the
/// contiguous one (docs/model.md §2.16).
[[nodiscard]] bool contiguous(std::span<const std::int64_t> edge,
                              std::span<const std::int64_t> block, bool first) noexcept;

/// The transfers of one communication on the grid of `mapping`.
struct Transfers {
  network::Communication communication;
  /// Reduction on a flat grid of links: every processor of the view completes after this time.
  std::optional<double> fixed_time;
  double fixed_bytes = 0.0;  ///< of the messages that take it
};

/// What one entry of single messages sends to, or receives from, neighbours: a transfer per process
/// that has one, also of 0 bytes, which nobody sends; receives have no bytes.
[[nodiscard]] std::vector<network::Transfer> single_messages(GridMapping& mapping,
                                                             const CommunicationSpec& spec);

/// Works out communications of a script on the grid of a mapping.
class TransferBuilder {
public:
  explicit TransferBuilder(GridMapping& mapping) : mapping_(&mapping) {}

  void build(const CommunicationSpec& spec, Transfers& result);
  void written(const CommunicationSpec& spec, WrittenShares& result);

  /// The value that processor 0 hands to the other processors of a view.
  void broadcast(ViewId view, double bytes, Transfers& result);

private:
  void pack_all(network::Communication& communication);

  GridMapping* mapping_;
};

/// The local number of the processor at these coordinates of a view.
[[nodiscard]] inline std::size_t number_of(const mapping::ProcessorView& view,
                                           std::span<const std::int64_t> at) noexcept {
  std::int64_t number = 0;
  for (int j = 0; j < view.rank(); ++j) {
    number = number * view.extent(j) + at[static_cast<std::size_t>(j)];
  }
  return static_cast<std::size_t>(number);
}

/// The number of those that hold the same as the processor at these coordinates.
[[nodiscard]] inline std::size_t group_of(const mapping::Layout& layout,
                                          std::array<std::int64_t, machine::max_grid_rank> at) {
  for (int j = 0; j < layout.view().rank(); ++j) {
    at[static_cast<std::size_t>(j)] *= layout.split_dimension(j) >= 0 ? 1 : 0;
  }
  return number_of(layout.view(), at);
}

/// Goes on to the next point of a box, the last dimension running fastest; false after the last.
[[nodiscard]] inline bool next_in(std::span<const mapping::IndexRange> box,
                                  std::span<std::int64_t> at) noexcept {
  for (std::size_t j = box.size(); j-- > 0;) {
    if (++at[j] < box[j].hi) {
      return true;
    }
    at[j] = box[j].lo;
  }
  return false;
}

}  // namespace gridcast::model
