#pragma once
/// Runs a search to its end with results in some order.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "gridcast/search/strategy.h"

namespace search_test {

using Evaluate = std::function<gridcast::search::Outcome(const gridcast::machine::Grid&)>;

/// Bounds of all candidates of a box (mode 4).
using Bound = std::function<gridcast::search::BoxBounds(const gridcast::machine::GridBox&)>;

/// Answers in the order in which grids are handed out; returns the grids in that order.
inline std::vector<std::string> run(gridcast::search::Strategy& strategy, const Evaluate& evaluate,
                                    const Bound& bound = {}) {
  std::vector<std::string> order;
  while (!strategy.finished()) {
    for (const auto& asked : strategy.next_boxes(SIZE_MAX)) {
      strategy.report(asked.box, bound(asked.box));
    }
    for (const auto& grid : strategy.next(SIZE_MAX)) {
      order.push_back(grid.text());
      strategy.report(evaluate(grid));
    }
  }
  return order;
}

/// Asks for random numbers of grids and answers in random order; returns the grids as a set.
inline std::set<std::string> run_shuffled(gridcast::search::Strategy& strategy,
                                          const Evaluate& evaluate, unsigned seed,
                                          const Bound& bound = {}) {
  std::mt19937 random(seed);
  std::set<std::string> grids;
  std::vector<gridcast::machine::Grid> out;
  std::vector<gridcast::machine::GridBox> boxes;
  while (!strategy.finished()) {
    for (const auto& asked : strategy.next_boxes(random() % 5)) {
      boxes.push_back(asked.box);
    }
    std::shuffle(boxes.begin(), boxes.end(), random);
    for (; !boxes.empty() && random() % 4 != 0; boxes.pop_back()) {
      strategy.report(boxes.back(), bound(boxes.back()));
    }
    const auto given = strategy.next(random() % 5);
    out.insert(out.end(), given.begin(), given.end());
    std::shuffle(out.begin(), out.end(), random);
    const std::size_t answered = out.empty() ? 0 : random() % (out.size() + 1);
    for (std::size_t i = 0; i < answered; ++i) {
      grids.insert(out.back().text());
      strategy.report(evaluate(out.back()));
      out.pop_back();
    }
  }
  return grids;
}

}  // namespace search_test
