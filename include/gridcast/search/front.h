#pragma once
/// The front of a search: the fewest processors, and the fewest nodes, on which the program is
/// hardly slower than on the fastest grid (docs/search.md, "The front").

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <vector>

#include "gridcast/machine/grid.h"
#include "gridcast/machine/nodes.h"
#include "gridcast/search/best.h"

namespace gridcast::search {

/// How much slower than the fastest grid, as shares of its time, ascending: the default of --front.
inline constexpr std::array default_front{0.0, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0};

/// Collects outcomes in any order and keeps the steps of the front: the eligible outcomes that are
/// faster than all with fewer processors. Of equal times the smaller grid is kept (compare()).
class Staircase {
public:
  /// Times count whatever the objective of `goal`; its condition on efficiency holds.
  explicit Staircase(const Goal& goal);

  void add(const Outcome& outcome);

  /// The fastest with at most `processors`; nothing if there is none.
  [[nodiscard]] const Outcome* fastest(
      std::int64_t processors = std::numeric_limits<std::int64_t>::max()) const noexcept;

  /// The one with the fewest processors that is at most `share` slower than the fastest; if several
  /// have as few, the fastest of these, then the smaller grid.
  [[nodiscard]] const Outcome* fewest(double share) const noexcept;

  /// The longest time that is at most `share` above the shortest so far, as times are compared;
  /// infinite if there is none.
  [[nodiscard]] double limit(double share) const noexcept;

  /// By execution time, with the condition on efficiency.
  [[nodiscard]] const Goal& goal() const noexcept { return goal_; }

private:
  Goal goal_;
  std::map<std::int64_t, Outcome> steps_;  ///< by processors; times fall
};

/// What a search has shown about one share of the front.
struct FrontState {
  bool proven = false;        ///< the staircase has the answer
  std::int64_t at_least = 1;  ///< no candidate with fewer processors is within the share
};

/// One line of the front.
struct FrontEntry {
  double within = 0.0;    ///< share by which it may be slower than the fastest
  bool by_nodes = false;  ///< fewest nodes and of these the fastest; false: fewest processors
  Outcome outcome;
  std::int64_t nodes = 0;     ///< that its processors are on
  bool proven = false;        ///< no candidate has fewer
  std::int64_t at_least = 1;  ///< processors or nodes: none has fewer
};

/// The last of `most` processors on the nodes of the first `processors`.
[[nodiscard]] std::int64_t end_of_nodes(const machine::NodeList& nodes, std::int64_t processors,
                                        std::int64_t most) noexcept;

/// The front by ascending share, each by processors and by nodes; empty if nothing was eligible.
/// `states`: one per share, or none: nothing is proven. `most`: processors of a candidate.
[[nodiscard]] std::vector<FrontEntry> make_front(const Staircase& steps,
                                                 std::span<const double> shares,
                                                 std::span<const FrontState> states,
                                                 const machine::NodeList& nodes, std::int64_t most);

}  // namespace gridcast::search
