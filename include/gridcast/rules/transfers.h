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
  bool any = false;       ///< false: nothing is written, the return time follows rule 1
  double elements = 0.0;  ///< written in all, each counted once
  std::vector<double>
      share;  ///< per processor of the root grid: elements it writes / distinct elements
  std::vector<double> duplicate;  ///< the part of `share` that others write as well: (k-1)/k of it
  std::vector<double> once;       ///< the rest of it
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

  using Needs = std::vector<mapping::StridedRange>;

  /// What the holder of `block` of the destination needs of the source, per dimension; without a
  /// block the whole section. `elements` is how many it writes. False if it writes nothing.
  bool copy_needs(const CopyPart& part, std::span<const mapping::IndexRange> block, Needs& needs,
                  double& elements) const;

  /// What a processor with these iterations needs of the array of a remote-access buffer, per
  /// dimension; without iterations where every processor needs the same. False if nothing.
  bool remote_needs(const RemotePart& part, std::span<const mapping::IndexRange> iterations,
                    Needs& needs) const;

private:
  void shadow(const ShadowPart& part);
  void find_rings(const mapping::Layout& layout, std::uint32_t rings);
  /// The coordinate that many steps away, around the ring if there is one.
  [[nodiscard]] std::int64_t neighbour(std::size_t dim, std::int64_t from, int shift) const;
  void old_values(const CommunicationSpec& spec);
  void reduction(const CommunicationSpec& spec, Transfers& result);
  /// 2 · Distance + CornerDistance of a reduction on a flat grid of links (docs/model.md §5),
  /// within the view. counts_: iterations per processor of the loop's view.
  [[nodiscard]] std::int64_t reduction_links(const mapping::Layout& loop,
                                             const mapping::ProcessorView& view) const;
  void move(const MovePart& part);
  void copy(const CopyPart& part, ViewId view);
  void remote(const RemotePart& part);

  /// A processor that holds something of a layout.
  struct Holder {
    const mapping::Layout* layout = nullptr;
    std::size_t local = 0;
    std::array<std::int64_t, machine::max_grid_rank> at{};
    std::array<mapping::IndexRange, mapping::max_rank> block;
  };
  template <class F>
  void for_each_holder(const mapping::Layout& layout, F&& f);

  void faces(const Holder& holder, const ShadowPart& part);
  void faces_and_corners(const Holder& holder, const ShadowPart& part);
  /// Whether the processor that many steps away runs earlier iterations of the loop.
  static bool runs_earlier(const mapping::Layout& loop, std::span<const int> shifts);
  void send_edge(const Holder& holder, const ShadowPart& part, std::span<const int> shifts);

  /// Adds what processor `to` needs and does not hold, from the nearest holders.
  void gather(const mapping::Layout& from, std::uint32_t to,
              std::span<const mapping::StridedRange> need, double element_size);
  std::uint32_t nearest_holder(const mapping::Layout& from, std::uint32_t to,
                               std::span<const std::int64_t> cell);

  void written_copy(const CopyPart& part, ViewId view, WrittenShares& result);
  void written_remote(const RemotePart& part, WrittenShares& result);
  /// Adds the elements of `counts_`, which as many processors write as `copies_` says.
  void add_written(const mapping::ProcessorView& view, WrittenShares& result);

  void pack(const Holder& holder, std::span<const std::int64_t> edge, std::uint32_t to,
            double bytes);
  void reduce_by_trees(std::span<const std::uint32_t> representatives,
                       const mapping::ProcessorView& view, double bytes, Transfers& result);

  GridMapping* mapping_;
  network::Communication* communication_ = nullptr;
  std::vector<network::Transfer>* out_ = nullptr;
  const mapping::Layout* later_ = nullptr;  // edges go to where this loop runs earlier, if set
  /// Per dimension of the view whose edges wrap: from the first to the last coordinate with
  /// elements, which are neighbours; empty elsewhere.
  std::array<mapping::IndexRange, machine::max_grid_rank> rings_{};
  std::vector<double> counts_, copies_;  // per local number
  Needs needs_;
};

template <class F>
void TransferBuilder::for_each_holder(const mapping::Layout& layout, F&& f) {
  Holder holder;
  holder.layout = &layout;
  for (holder.local = 0; holder.local < layout.view().size(); ++holder.local) {
    mapping_->count(1);
    layout.coordinates(holder.local, holder.at);
    if (layout.block(holder.at, holder.block)) {
      f(holder);
    }
  }
}

}  // namespace gridcast::model
