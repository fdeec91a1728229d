#pragma once
/// The front of a search: the fewest processors, and the fewest nodes, on which the program is
/// hardly slower than on the fastest grid (docs/search.md, "The front").

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "gridcast/machine/grid.h"
#include "gridcast/machine/nodes.h"
#include "gridcast/search/best.h"

namespace gridcast::search {

/// How much slower than the fastest grid, as shares of its time, ascending: the default of --front.
inline constexpr std::array default_front{0.0, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0};

/// Collects outcomes in any order and keeps the steps of the front: the eligible outcomes that are
/// faster than all on fewer processors of the machine, or on fewer nodes. Of equal times the
/// smaller grid is kept (compare()).
class Staircase {
public:
  /// Times count whatever the objective of `goal`; its condition on efficiency holds. With `nodes`
  /// the steps are those by nodes.
  explicit Staircase(const Goal& goal, std::shared_ptr<const machine::NodeList> nodes = {});

  void add(const Outcome& outcome);

  /// Whose number the steps are about: processors, or nodes.
  [[nodiscard]] std::int64_t number_of(const machine::Grid& grid) const;

  /// The fastest on at most so many; nothing if there is none.
  [[nodiscard]] const Outcome* fastest(
      std::int64_t number = std::numeric_limits<std::int64_t>::max()) const noexcept;

  /// The one on the fewest that is at most `share` slower than the fastest; if several are on as
  /// few, the fastest of these, then the smaller grid.
  [[nodiscard]] const Outcome* fewest(double share) const noexcept;

  /// The longest time that is at most `share` above the shortest so far, as times are compared;
  /// infinite if there is none.
  [[nodiscard]] double limit(double share) const noexcept;

  /// By execution time, with the condition on efficiency.
  [[nodiscard]] const Goal& goal() const noexcept { return goal_; }

private:
  Goal goal_;
  std::shared_ptr<const machine::NodeList> nodes_;
  std::map<std::int64_t, Outcome> steps_;  ///< by their number; times fall
};

/// What a search has shown about one share of the front.
struct FrontState {
  bool proven = false;        ///< the staircase has the answer
  std::int64_t at_least = 1;  ///< no candidate on fewer processors is within the share
};

/// One line of the front.
struct FrontEntry {
  double within = 0.0;    ///< share by which it may be slower than the fastest
  bool by_nodes = false;  ///< fewest nodes and of these the fastest; false: fewest processors
  Outcome outcome;
  std::int64_t nodes = 0;     ///< that its processes are on
  bool proven = false;        ///< no candidate has fewer
  std::int64_t at_least = 1;  ///< processors or nodes: none has fewer
};

/// The steps of a front by processors and by nodes.
struct FrontSteps {
  /// `nodes` may be empty: nobody asks for nodes.
  FrontSteps(const Goal& goal, const std::shared_ptr<const machine::NodeList>& nodes)
      : by_processors(goal), by_nodes(goal, nodes), nodes(nodes) {}

  void add(const Outcome& outcome) {
    by_processors.add(outcome);
    if (nodes != nullptr) {
      by_nodes.add(outcome);
    }
  }

  Staircase by_processors;
  Staircase by_nodes;  ///< without steps if there are no nodes
  std::shared_ptr<const machine::NodeList> nodes;
};

/// The front by ascending share, each by processors and by nodes; empty if nothing was eligible.
/// `states`: one per share, or none: nothing is proven. Precondition: the steps know the nodes.
[[nodiscard]] std::vector<FrontEntry> make_front(const FrontSteps& steps,
                                                 std::span<const double> shares,
                                                 std::span<const FrontState> states);

}  // namespace gridcast::search
