#pragma once
/// Internal: from the description of a communication to its transfers on one grid (docs/model.md
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

/// Works out communications of a script on the grid of a mapping.
class TransferBuilder {
public:
  explicit TransferBuilder(GridMapping& mapping) : mapping_(&mapping) {}

  void build(const CommunicationSpec& spec, Transfers& result);
  void written(const CommunicationSpec& spec, WrittenShares& result);

  /// The value that processor 0 hands to the other processors of a view.
  void broadcast(ViewId view, double bytes, Transfers& result);

private:
  void shadow(const ShadowPart& part);
  void find_rings(const mapping::Layout& layout, std::uint32_t rings);
  /// The coordinate that many steps away, around the ring if there is one.
  [[nodiscard]] std::int64_t neighbour(std::size_t dim, std::int64_t from,
                                       std::int64_t shift) const;
  void reduction(const CommunicationSpec& spec, Transfers& result);
  /// One processor of the view of each group that holds the same iterations: the lowest number.
  [[nodiscard]] std::vector<std::uint32_t> representatives(
      const mapping::Layout& loop, const mapping::ProcessorView& view) const;
  /// 2 · Distance + CornerDistance of a reduction on a flat grid of links (docs/model.md §5),
  /// within the view.
  [[nodiscard]] std::int64_t reduction_links(const mapping::Layout& loop,
                                             const mapping::ProcessorView& view) const;

  /// A processor that needs elements of an array.
  struct Reader {
    const mapping::Layout* from = nullptr;  // null: it has a buffer with them
    std::uint32_t processor = 0;
    std::size_t group = 0;  // those that need the same have the same
    double elements = 0.0;
    double element_size = 0.0;
  };
  /// Calls f(reader) for each that needs something by a part of a redistribution, a copy or the
  /// loading of a buffer. needs_ is what it needs.
  template <class F>
  void for_each_reader(const CommunicationSpec& spec, std::uint32_t part, F&& f);
  template <class Part, class F>
  void for_each_reader_of(const Part& part, PlacementId from, PlacementId reader, ViewId view,
                          F&& f);
  /// Puts what the holder of a block needs into needs_, per dimension of the source; without a
  /// block what all need. Returns how many elements it writes.
  double find_needs(const CopyPart& part, std::span<const mapping::IndexRange> block);
  double find_needs(const RemotePart& part, std::span<const mapping::IndexRange> block);

  void send_edges(const Holder& holder, const ShadowPart& part);
  /// Whether the processor that many steps away runs earlier iterations of the loop.
  static bool runs_earlier(const mapping::Layout& loop, std::span<const std::int64_t> shifts);
  void send_edge(const Holder& holder, const ShadowPart& part,
                 std::span<const std::int64_t> shifts);

  /// Adds what processor `to` needs (needs_) and does not hold, from the nearest holders.
  void gather(const mapping::Layout& from, std::uint32_t to, double element_size);
  std::uint32_t nearest_holder(const mapping::Layout& from, std::uint32_t to,
                               std::span<const std::int64_t> cell);

  void pack(const Holder& holder, std::span<const std::int64_t> edge, std::uint32_t to,
            double bytes);
  void reduce_by_trees(std::span<const std::uint32_t> senders, const mapping::ProcessorView& view,
                       double bytes, Transfers& result);

  GridMapping* mapping_;
  network::Communication* communication_ = nullptr;
  std::vector<network::Transfer>* out_ = nullptr;
  const mapping::Layout* later_ = nullptr;  // edges go to where this loop runs earlier, if set
  /// Per dimension of the view whose edges wrap: from the first to the last coordinate with
  /// elements, which are neighbours; empty elsewhere.
  std::array<mapping::IndexRange, machine::max_grid_rank> rings_{};
  std::vector<mapping::StridedRange> needs_;
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
