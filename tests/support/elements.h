#pragma once
/// A model of who holds what that looks at every element by itself, for small sizes: written from
/// the definitions of docs/model.md §3 and used to check the transfers that are worked out from
/// blocks.

#include <map>
#include <random>
#include <set>
#include <utility>

#include "fixture.h"

namespace gridcast::model::test {

using Index = std::vector<std::int64_t>;
using Holders = std::set<std::uint32_t>;
using Bytes = std::map<std::pair<std::uint32_t, std::uint32_t>, double>;

/// Every index of a box, last dimension fastest.
[[nodiscard]] std::vector<Index> indices(const Index& extents);

/// first, first + step, ... not beyond last.
[[nodiscard]] Index sequence(std::int64_t first, std::int64_t last, std::int64_t step);

/// Templates and arrays on one grid. Slots of templates and arrays are their numbers here.
class Elements {
public:
  Elements(Run& run, machine::Grid on) : run_(&run), grid_(on) {}

  struct Target {
    Index extents;
    std::vector<std::int64_t> axes;  ///< as in AxisArray: 1-based, 0 replicated
    Index divisors;
  };
  struct Array {
    Index extents;
    trace::AlignmentRule rule;
  };

  /// crtamv_, blkdiv_, distr_.
  void target(Slot slot, const Target& target);
  /// crtda_, align_.
  void array(Slot slot, const Array& array, std::int64_t element_size, const Index& low = {},
             const Index& high = {});
  /// The same state as after redis_ or realn_, without a call.
  void move_target(Slot slot, const std::vector<std::int64_t>& axes) { targets_[slot].axes = axes; }
  void move_array(Slot slot, const trace::AlignmentRule& rule) { arrays_[slot].rule = rule; }

  [[nodiscard]] const Index& extents(Slot slot) const { return arrays_.at(slot).extents; }
  [[nodiscard]] std::uint32_t processors() const {
    return static_cast<std::uint32_t>(grid_.processors());
  }
  [[nodiscard]] const machine::Grid& grid() const { return grid_; }

  /// Processors that hold an element of an array.
  [[nodiscard]] Holders holders(Slot array, const Index& element) const {
    return holders_over(arrays_.at(array).rule, element);
  }
  /// Processors at the positions over the pattern that the rule gives to an index.
  [[nodiscard]] Holders holders_over(const trace::AlignmentRule& rule, const Index& at) const;

  /// Adds to `bytes` the sending of one element to `to` from the nearest of the holders.
  void fetch(const Holders& from, std::uint32_t to, double element_size, Bytes& bytes) const;

private:
  [[nodiscard]] Holders holders_at(const Target& target, const std::vector<Index>& positions) const;

  Run* run_;
  machine::Grid grid_;
  std::map<Slot, Target> targets_;
  std::map<Slot, Array> arrays_;
};

using Random = std::mt19937;
[[nodiscard]] std::int64_t up_to(Random& random, std::int64_t most);
[[nodiscard]] Index random_extents(Random& random, std::size_t rank, std::int64_t most);
[[nodiscard]] machine::Grid random_grid(Random& random);

/// A random distribution of a template of `rank` dimensions over the grid.
[[nodiscard]] std::vector<std::int64_t> random_axes(Random& random, std::size_t rank,
                                                    const machine::Grid& grid);

/// A random rule for something of `extents` over a pattern of extents `over`: linear with positive,
/// negative and larger coefficients, constant, replicated. Every index keeps a place.
[[nodiscard]] trace::AlignmentRule random_rule(Random& random, trace::PatternKind kind,
                                               Slot pattern, const Index& over,
                                               const Index& extents);

/// What the last communication of the compiled program transfers on a grid.
struct Built {
  Bytes bytes;
  std::size_t transfers = 0;
  std::vector<double> written;  ///< share of the return time per processor; empty if rule 1 applies
};
[[nodiscard]] Built build_last(const Run& run, const machine::Grid& on);

/// A random template 0, an array 1 over it, and an array 0 over the template or over array 1.
void random_arrays(Random& random, Elements& elements);

}  // namespace gridcast::model::test
