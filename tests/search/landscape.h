#pragma once
/// Random results and bounds of all candidates of a search.

#include <algorithm>
#include <limits>
#include <map>
#include <random>
#include <string>

#include "gridcast/search/candidates.h"
#include "run.h"

namespace search_test {

using gridcast::machine::Grid;
using gridcast::machine::GridBox;
using namespace gridcast::search;

/// The best that `of` says about a candidate of the box, looked at one by one.
template <class F>
double extreme(const GridBox& box, const SearchSpace& space, bool least, F&& of) {
  double result = least ? std::numeric_limits<double>::infinity() : 0.0;
  CandidateStream stream(space, Selection::all);
  while (const auto grid = stream.next()) {
    if (box.contains(*grid)) {
      result = least ? std::min(result, of(*grid)) : std::max(result, of(*grid));
    }
  }
  return result;
}

/// Random results of all candidates with many ties, some failed, and bounds that are exact for
/// some.
struct Landscape {
  SearchSpace space;
  std::map<std::string, Outcome> outcomes;
  std::map<std::string, double> time_bounds;
  std::map<std::string, double> efficiency_bounds;

  Landscape(const SearchSpace& of, unsigned seed) : space(of) {
    std::mt19937 random(seed);
    CandidateStream stream(space, Selection::all);
    while (const auto grid = stream.next()) {
      const double time = 1.0 + static_cast<double>(random() % 40);
      const double efficiency = static_cast<double>(random() % 21) / 20.0;
      outcomes[grid->text()] = {*grid, random() % 10 == 0, time, efficiency};
      time_bounds[grid->text()] = time - static_cast<double>(random() % 5);
      efficiency_bounds[grid->text()] = efficiency + static_cast<double>(random() % 3) / 20.0;
    }
  }

  Evaluate evaluate() const {
    return [this](const Grid& grid) { return outcomes.at(grid.text()); };
  }

  Bound bound() const {
    return [this](const GridBox& box) {
      return BoxBounds{extreme(box, space, true,
                               [this](const Grid& grid) { return time_bounds.at(grid.text()); }),
                       extreme(box, space, false, [this](const Grid& grid) {
                         return efficiency_bounds.at(grid.text());
                       })};
    };
  }
};

}  // namespace search_test
