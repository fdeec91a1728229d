#pragma once
/// Who holds which element and which iteration, element by element (docs/model.md §3).

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "machine.h"

namespace gridcast::naive {

using Index = std::vector<long>;
/// A set of processors: bit p is processor p of the root grid.
using Holders = std::uint64_t;

[[nodiscard]] inline bool contains(Holders set, int p) { return ((set >> p) & 1U) != 0; }
[[nodiscard]] inline Holders only(int p) { return Holders{1} << p; }

/// Every index of a box, last dimension fastest.
[[nodiscard]] std::vector<Index> indices(const Index& extents);

/// The k-th of all indices of a box.
[[nodiscard]] std::size_t place_of(const Index& extents, const Index& index);

/// A processor system: its members in row-major order of its shape.
struct System {
  std::vector<int> shape;
  std::vector<int> members;
  std::vector<long> traced_shape;  ///< what it was in the recorded run

  [[nodiscard]] int size() const { return static_cast<int>(members.size()); }
  /// The same processors in the same shape.
  [[nodiscard]] bool is(const System& other) const {
    return shape == other.shape && members == other.members;
  }
  [[nodiscard]] Holders all() const;
  [[nodiscard]] Index coordinates(int member) const;  ///< of the member with this position
  /// Position of the member with these coordinates; -1 outside.
  [[nodiscard]] int position(const Index& coordinates) const;
  /// crtps_ and psview_.
  [[nodiscard]] System section(const std::vector<long>& first, const std::vector<long>& last) const;
  [[nodiscard]] System reshaped(const std::vector<long>& traced) const;
};

/// What decides how blocks are cut.
struct BlockOptions {
  bool balanced = false;       ///< --block-rule=balanced
  bool by_performance = true;  ///< --processor-weights
};

/// Per dimension of the processor system: weights of setelw_ or lengths of genblk_.
struct Weights {
  bool are_lengths = false;
  std::vector<std::vector<double>> along;
  std::vector<long> traced_shape;  ///< unused for weights
};

struct Template {
  Index extents;
  Index divisors;
  Index periodic;  ///< 1 for dimensions whose ends are neighbours; empty: none
  Weights weights;
  bool distributed = false;
  System system;
  std::vector<int> axes;  ///< per dimension of the system: dimension of the template, -1 none
  std::vector<std::vector<long>> bounds;  ///< per dimension of the system, if it splits

  void distribute(const System& on, const std::vector<long>& axis_array, const Machine& machine,
                  const BlockOptions& options);
  /// Whether dimension j of the system splits the template.
  [[nodiscard]] bool splits(std::size_t j) const;
};

/// Where something lies along one dimension of a template.
struct Position {
  enum class Rule { linear, fixed, everywhere, some };
  Rule rule = Rule::everywhere;
  int dim = 0;        ///< linear: of the array or loop
  long a = 1, b = 0;  ///< linear: a * index + b; fixed: b
  Index at;           ///< some: these
};

/// An array or a loop over a template.
struct Placed {
  std::shared_ptr<Template> over;  ///< none: replicated on the current system
  std::vector<Position> positions;
};

struct Array {
  Index extents;
  double element_size = 0;
  Index low, high;
  Placed placed;
  bool aligned = false;
};

struct Loop {
  std::string reference;
  Placed placed;
  std::vector<Index> values;  ///< per dimension: init, init + step, ...
  Index step;
  bool mapped = false;

  [[nodiscard]] std::vector<Index> iterations() const;
};

/// Holders of one element or iteration; `current` for what has no place.
[[nodiscard]] Holders holders(const Placed& placed, const Index& element, const System& current);

/// Of all elements of an array.
[[nodiscard]] std::vector<Holders> holders_of_array(const Array& array, const System& current);

/// AxisArray, CoeffArray, ConstArray of align_, realn_, mappl_.
struct Rule {
  std::vector<long> axes, coefficients, constants;
};
[[nodiscard]] Placed over_template(const std::shared_ptr<Template>& pattern, const Rule& rule);
[[nodiscard]] Placed over_array(const Array& pattern, const Rule& rule);

/// Whether a dimension of the system splits what is placed so.
[[nodiscard]] bool is_replicated(const Placed& placed);

/// Dimension of the array or loop that dimension j of the system splits; -1 if none.
[[nodiscard]] int split_dimension(const Placed& placed, std::size_t j);

/// How many different indices along dimension `dim` p holds. The held set is a box.
[[nodiscard]] long extent_held(const std::vector<Index>& elements,
                               const std::vector<Holders>& holders, int p, std::size_t dim);

/// The nearest of the holders to p: least distance, then lowest number. -1 if there are none.
[[nodiscard]] int nearest(const Machine& machine, Holders holders, int p);

}  // namespace gridcast::naive
