#pragma once
/// Who hands out work to whom: rank 0 to all others, or to group masters, each of which hands it on
/// to the workers of its group.

#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace boost::mpi {
class communicator;
}

namespace gridcast::sweep {

/// A tree of ranks with at most two levels below rank 0.
class Layout {
public:
  /// Rank 0 is the master of all others.
  [[nodiscard]] static Layout one_master(int ranks);

  /// Groups of neighbouring ranks, as equal as possible, of at most `size` ranks, group master
  /// included. What would be a group of one rank is a worker of rank 0. `size` 0 or 1, or no more
  /// than one group: one master.
  [[nodiscard]] static Layout groups(int ranks, int size);

  /// One group per node; `node_of` has a number for each rank. Rank 0 belongs to no group.
  [[nodiscard]] static Layout nodes(std::span<const int> node_of);

  /// The rank that this one gets its work from. Precondition: rank > 0.
  [[nodiscard]] int master_of(int rank) const { return masters_[static_cast<std::size_t>(rank)]; }

  /// Ranks that get their work from this one, ascending.
  [[nodiscard]] std::vector<int> workers_of(int rank) const;

  /// Whether the rank, not 0, hands out work.
  [[nodiscard]] bool is_group_master(int rank) const;

private:
  explicit Layout(std::vector<int> masters) : masters_(std::move(masters)) {}
  std::vector<int> masters_;  ///< by rank
};

/// Workers that one master is enough for: simulated with tasks of 50 ms it is busy for two fifths
/// of the time, with twice as many for four fifths, then all the time (docs/performance.md, "The
/// farm").
inline constexpr int most_for_one_master = 4096;
/// Ranks of a group where nodes do not say it.
inline constexpr int usual_group_size = 256;

/// The layout for --group-size: 0 one master, otherwise so many ranks per group. Without it one
/// master as long as it keeps up, then one group per node if there are several nodes with enough
/// ranks, else groups of the usual size. Collective, the same on every rank.
[[nodiscard]] Layout choose_layout(const boost::mpi::communicator& world,
                                   std::optional<int> group_size);

}  // namespace gridcast::sweep
