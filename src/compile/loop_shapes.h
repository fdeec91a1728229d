#pragma once
/// What runs of a program tell about its loops in blocks of several shapes (docs/model.md §3.8).

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gridcast/rules/shape_table.h"
#include "gridcast/trace/program.h"

namespace gridcast::model {

/// Points per loop.
class LoopShapes {
public:
  /// Adds the loops of a run. `on_grid`: they ran in the blocks of the traced grid (merged traces
  /// of several processes), not as a whole. Throws InputError as compile() does.
  void add(const trace::Program& run, bool on_grid);

  /// Whether a loop is known in more than one shape.
  [[nodiscard]] bool any() const;

  /// Whether both know a loop at the same line of the same file.
  [[nodiscard]] bool shares_loop_with(const LoopShapes& other) const;

  /// Of the loop at this line of the source, by outer, then inner extent; empty if it is not known
  /// in at least two shapes. Times of equal shapes are one point; more than 64 shapes are brought
  /// together with their neighbours.
  [[nodiscard]] std::vector<ShapePoint> points(const std::string& file, std::int64_t line) const;

private:
  /// What calls of dopl_ took and executed.
  struct Sum {
    double seconds = 0.0;
    double iterations = 0.0;
  };
  using Shapes = std::map<std::pair<double, double>, Sum>;  // by outer and inner extent
  /// Adds the calls of dopl_ of one run in blocks of one shape.
  static void add(const std::vector<Sum>& calls, Sum& sum);

  std::map<std::pair<std::string, std::int64_t>, Shapes> loops_;
};

}  // namespace gridcast::model
