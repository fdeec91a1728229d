// Shadow edges: element by element, neighbour by neighbour.

#include <algorithm>

#include "transfers.h"

namespace gridcast::naive {
namespace {

/// The block of one processor of an array: how many indices along each dimension.
using Extents = std::vector<long>;

/// Extents held by each processor; empty for those that hold nothing.
std::vector<Extents> blocks_of(const Array& array, const System& current) {
  const std::vector<Index> elements = indices(array.extents);
  const std::vector<Holders> held = holders_of_array(array, current);
  std::vector<std::vector<std::set<long>>> seen(64);
  for (std::size_t e = 0; e < elements.size(); ++e) {
    for (int p = 0; p < 64; ++p) {
      if (!contains(held[e], p)) {
        continue;
      }
      auto& of = seen[static_cast<std::size_t>(p)];
      of.resize(array.extents.size());
      for (std::size_t d = 0; d < of.size(); ++d) {
        of[d].insert(elements[e][d]);
      }
    }
  }
  std::vector<Extents> blocks(64);
  for (std::size_t p = 0; p < 64; ++p) {
    for (const auto& along : seen[p]) {
      blocks[p].push_back(static_cast<long>(along.size()));
    }
  }
  return blocks;
}

/// A dimension of the system that splits dimension `dim` of the array.
struct Split {
  std::size_t j = 0;
  std::size_t dim = 0;
  bool reversed = false;
};

std::vector<Split> splits_of(const Array& array) {
  std::vector<Split> splits;
  if (!array.placed.over || !array.placed.over->distributed) {
    return splits;
  }
  const Template& over = *array.placed.over;
  for (std::size_t j = 0; j < over.axes.size(); ++j) {
    const int dim = split_dimension(array.placed, j);
    if (dim >= 0) {
      const long a = array.placed.positions[static_cast<std::size_t>(over.axes[j])].a;
      splits.push_back({j, static_cast<std::size_t>(dim), a < 0});
    }
  }
  return splits;
}

/// All steps to neighbours: -1, 0 or 1 along each splitting dimension, not all 0.
std::vector<std::vector<int>> steps_over(std::size_t dimensions) {
  const Index three(dimensions, 3);
  std::vector<std::vector<int>> steps;
  for (const Index& index : indices(three)) {
    std::vector<int> step;
    int used = 0;
    for (const long i : index) {
      step.push_back(static_cast<int>(i) - 1);
      used += i == 1 ? 0 : 1;
    }
    if (used > 0) {
      steps.push_back(step);
    }
  }
  return steps;
}

/// Whether the elements of a part of a block follow each other in memory: their places are
/// consecutive numbers.
bool lies_together(Extents part, Extents block, bool first_contiguous) {
  if (first_contiguous) {
    std::reverse(part.begin(), part.end());
    std::reverse(block.begin(), block.end());
  }
  long expected = 0;
  for (const Index& index : indices(part)) {
    long place = 0;
    for (std::size_t d = 0; d < index.size(); ++d) {
      place = place * block[d] + index[d];
    }
    if (place != expected++) {
      return false;
    }
  }
  return true;
}

/// Whether some periodic dimension of the template lies along this one of the array.
bool is_ring(const Edges& edges, std::size_t dim) {
  const Placed& placed = edges.array->placed;
  for (std::size_t axis = 0; edges.wraps && axis < placed.over->periodic.size(); ++axis) {
    const Position& position = placed.positions[axis];
    if (placed.over->periodic[axis] == 1 && position.rule == Position::Rule::linear &&
        static_cast<std::size_t>(position.dim) == dim) {
      return true;
    }
  }
  return false;
}

/// Who comes next along a ring: from the last that has elements to the first, and back.
long next_on_ring(const Array& array, const Split& split, long from, int step) {
  const Template& over = *array.placed.over;
  const Position& position = array.placed.positions[static_cast<std::size_t>(over.axes[split.j])];
  const std::vector<long>& bounds = over.bounds[split.j];
  std::vector<long> with_elements;
  for (long c = 0; c + 1 < static_cast<long>(bounds.size()); ++c) {
    bool any = false;
    for (long i = 0; i < array.extents[split.dim]; ++i) {
      const long place = position.a * i + position.b;
      any = any || (bounds[static_cast<std::size_t>(c)] <= place &&
                    place < bounds[static_cast<std::size_t>(c) + 1]);
    }
    if (any) {
      with_elements.push_back(c);
    }
  }
  if (step > 0 && from == with_elements.back()) {
    return with_elements.front();
  }
  return step < 0 && from == with_elements.front() ? with_elements.back() : from + step;
}

/// Adds what every processor sends to its neighbour in one direction.
void add_edges(const Edges& edges, const std::vector<Split>& splits, const std::vector<int>& step,
               const std::vector<Extents>& blocks, Transfers& transfers) {
  const System& system = edges.array->placed.over->system;
  for (int m = 0; m < system.size(); ++m) {
    const int p = system.members[static_cast<std::size_t>(m)];
    Index at = system.coordinates(m);
    const Extents& block = blocks[static_cast<std::size_t>(p)];
    if (block.empty()) {
      continue;
    }
    bool itself = false;  // along some dimension: a copy inside the processor
    for (std::size_t i = 0; i < splits.size(); ++i) {
      long& place = at[splits[i].j];
      const long before = place;
      if (step[i] != 0) {
        place = is_ring(edges, splits[i].dim)
                    ? next_on_ring(*edges.array, splits[i], place, step[i])
                    : place + step[i];
        itself = itself || place == before;
      }
    }
    const int neighbour = itself ? -1 : system.position(at);
    if (neighbour < 0) {
      continue;
    }
    const int q = system.members[static_cast<std::size_t>(neighbour)];
    if (blocks[static_cast<std::size_t>(q)].empty()) {
      continue;
    }
    Extents sent = block;
    for (std::size_t i = 0; i < splits.size(); ++i) {
      if (step[i] != 0) {
        const std::size_t dim = splits[i].dim;
        // Towards higher elements the receiver has its low shadow on this side.
        const bool upwards = (step[i] > 0) != splits[i].reversed;
        sent[dim] = std::min(sent[dim], upwards ? edges.low[dim] : edges.high[dim]);
      }
    }
    double bytes = edges.element_bytes;
    for (const long extent : sent) {
      bytes *= static_cast<double>(extent);
    }
    if (bytes > 0.0) {
      transfers[{p, q}] += bytes;
      if (!lies_together(sent, block, edges.first_contiguous)) {
        transfers.gathered[p] += bytes;
        transfers.spread[q] += bytes;
      }
    }
  }
}

template <class Wanted>
Transfers edges_where(const std::vector<Edges>& group, const System& current, Wanted wanted) {
  Transfers transfers;
  for (const Edges& edges : group) {
    const std::vector<Split> splits = splits_of(*edges.array);
    if (splits.empty()) {
      continue;
    }
    const std::vector<Extents> blocks = blocks_of(*edges.array, current);
    for (const std::vector<int>& step : steps_over(splits.size())) {
      const auto used = std::count_if(step.begin(), step.end(), [](int s) { return s != 0; });
      if (used <= edges.tuple_limit && wanted(splits, step)) {
        add_edges(edges, splits, step, blocks, transfers);
      }
    }
  }
  return transfers;
}

}  // namespace

Transfers edges_of(const std::vector<Edges>& group, const System& current) {
  return edges_where(group, current, [](const auto&, const auto&) { return true; });
}

Transfers old_values_of(const std::vector<Edges>& group, const Loop& loop, const System& current) {
  std::vector<Edges> along;
  for (const Edges& edges : group) {
    if (run_along(loop, edges)) {
      along.push_back(edges);
      along.back().wraps = false;
    }
  }
  return edges_where(
      along, current, [&](const std::vector<Split>& splits, const std::vector<int>& step) {
        // The outermost loop dimension that the step follows decides.
        for (std::size_t d = 0; d < loop.values.size(); ++d) {
          for (std::size_t i = 0; i < splits.size(); ++i) {
            const bool along = split_dimension(loop.placed, splits[i].j) == static_cast<int>(d);
            if (along && step[i] != 0) {
              return step[i] == -direction(loop, splits[i].j);
            }
          }
        }
        return false;
      });
}

bool run_along(const Loop& loop, const Edges& edges) {
  const std::shared_ptr<Template>& one = loop.placed.over;
  const std::shared_ptr<Template>& other = edges.array->placed.over;
  return one && other && one->distributed && other->distributed && one->system.is(other->system);
}

int direction(const Loop& loop, std::size_t j) {
  const int dim = split_dimension(loop.placed, j);
  if (dim < 0) {
    return 0;
  }
  const Template& over = *loop.placed.over;
  const long a = loop.placed.positions[static_cast<std::size_t>(over.axes[j])].a;
  return a * loop.step[static_cast<std::size_t>(dim)] > 0 ? 1 : -1;
}

}  // namespace gridcast::naive
