#include "gridcast/rules/idle_dimensions.h"

#include <algorithm>

#include "gridcast/base/readable.h"

namespace gridcast::model {

std::optional<std::string> idle_dimensions(const Script& script, const machine::Grid& grid) {
  const auto used = static_cast<std::size_t>(script.header().grid_rank);
  const auto views = script.tables().views;
  const bool reshaped = std::any_of(views.begin(), views.end(), [](const ViewSpec& view) {
    return view.kind == ViewSpec::Kind::reshaped;
  });
  if (reshaped || used == 0) {
    return std::nullopt;
  }
  if (grid.extents().size() < used && grid.processors() > 1) {
    std::string padded = grid.text();
    for (std::size_t dim = grid.extents().size(); dim < used; ++dim) {
      padded += "x1";
    }
    return "grid " + grid.text() + " taken as " + padded;
  }
  if (grid.extents().size() <= used) {
    return std::nullopt;
  }
  const auto beyond = grid.extents().subspan(used);
  if (std::all_of(beyond.begin(), beyond.end(), [](std::int32_t each) { return each == 1; })) {
    return std::nullopt;
  }
  return "grid " + grid.text() + ": the program distributes over " +
         counted(script.header().grid_rank, "dimension") +
         ", processors along the other ones repeat the same work";
}

}  // namespace gridcast::model
