#include "transfers.h"

#include <algorithm>
#include <cstdlib>

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

/// Adds what every processor sends to its neighbour in one direction.
void add_edges(const Edges& edges, const std::vector<Split>& splits, const std::vector<int>& step,
               const std::vector<Extents>& blocks, Transfers& transfers) {
  const System& system = edges.array->placed.over->system;
  for (int m = 0; m < system.size(); ++m) {
    const int p = system.members[static_cast<std::size_t>(m)];
    Index at = system.coordinates(m);
    const Extents& block = blocks[static_cast<std::size_t>(p)];
    for (std::size_t i = 0; i < splits.size(); ++i) {
      at[splits[i].j] += step[i];
    }
    const int neighbour = system.position(at);
    if (block.empty() || neighbour < 0) {
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
    double bytes = edges.array->element_size;
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

void fetch(const Machine& machine, Holders have, Holders need, double bytes, Transfers& transfers) {
  for (int p = 0; p < machine.processors(); ++p) {
    if (contains(need, p) && !contains(have, p) && have != 0) {
      transfers[{nearest(machine, have, p), p}] += bytes;
    }
  }
}

Transfers edges_of(const std::vector<Edges>& group, const System& current) {
  return edges_where(group, current, [](const auto&, const auto&) { return true; });
}

Transfers old_values_of(const std::vector<Edges>& group, const Loop& loop, const System& current) {
  std::vector<Edges> along;
  for (const Edges& edges : group) {
    if (run_along(loop, edges)) {
      along.push_back(edges);
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

void move(const Machine& machine, const std::vector<Holders>& before,
          const std::vector<Holders>& after, double element_size, Transfers& transfers) {
  for (std::size_t e = 0; e < before.size(); ++e) {
    fetch(machine, before[e], after[e], element_size, transfers);
  }
}

std::vector<Index> Section::values() const {
  std::vector<Index> all;
  for (std::size_t d = 0; d < first.size(); ++d) {
    const bool whole = first[d] == -1;
    const long begin = whole ? 0 : first[d];
    const long end = whole ? array->extents[d] - 1 : last[d];
    const long stride = whole || step[d] == 0 ? 1 : step[d];
    Index along;
    for (long i = begin; stride > 0 ? i <= end : i >= end; i += stride) {
      along.push_back(i);
    }
    all.push_back(along);
  }
  return all;
}

namespace {

/// Elements of a section in the order of its dimensions; those of extent 1 do not matter to it.
std::vector<std::size_t> elements_of(const Section& section) {
  const std::vector<Index> values = section.values();
  Index counts;
  for (const Index& along : values) {
    counts.push_back(static_cast<long>(along.size()));
  }
  std::vector<std::size_t> elements;
  for (const Index& at : indices(counts)) {
    Index element;
    for (std::size_t d = 0; d < at.size(); ++d) {
      element.push_back(values[d][static_cast<std::size_t>(at[d])]);
    }
    elements.push_back(place_of(section.array->extents, element));
  }
  return elements;
}

}  // namespace

Copy copy_of(const Machine& machine, const Section& from, const Section& to,
             const System& current) {
  Copy copy;
  copy.written.by.resize(static_cast<std::size_t>(machine.processors()));
  std::vector<std::size_t> read;
  std::vector<Holders> have;
  if (from.array) {
    read = elements_of(from);
    have = holders_of_array(*from.array, current);
  }
  std::vector<std::size_t> written;
  std::vector<Holders> keep;
  if (to.array) {
    written = elements_of(to);
    keep = holders_of_array(*to.array, current);
  }
  for (std::size_t k = 0; k < std::max(read.size(), written.size()); ++k) {
    const Holders need = to.array ? keep[written[k]] : current.all();
    if (from.array) {
      fetch(machine, have[read[k]], need, from.array->element_size, copy.transfers);
    }
    for (int p = 0; p < machine.processors(); ++p) {
      if (contains(need, p)) {
        copy.written.by[static_cast<std::size_t>(p)].insert(to.array ? written[k] : k);
      }
    }
  }
  return copy;
}

Buffer loop_buffer(const Machine& machine, const std::shared_ptr<Array>& array, const Loop& loop,
                   const Rule& rule, const System& current) {
  Buffer buffer;
  buffer.array = array;
  buffer.needs.resize(static_cast<std::size_t>(machine.processors()));
  for (const Index& iteration : loop.iterations()) {
    std::vector<Index> along;
    for (std::size_t d = 0; d < rule.axes.size(); ++d) {
      Index values;
      if (rule.axes[d] < 0) {
        for (long i = 0; i < array->extents[d]; ++i) {
          values.push_back(i);
        }
      } else if (rule.axes[d] == 0 || rule.coefficients[d] == 0) {
        values.push_back(rule.constants[d]);
      } else {
        values.push_back(rule.coefficients[d] *
                             iteration[static_cast<std::size_t>(rule.axes[d] - 1)] +
                         rule.constants[d]);
      }
      along.push_back(values);
    }
    std::vector<std::size_t> elements;
    for (const Index& element : indices(array->extents)) {
      bool wanted = true;
      for (std::size_t d = 0; d < element.size(); ++d) {
        wanted =
            wanted && std::find(along[d].begin(), along[d].end(), element[d]) != along[d].end();
      }
      if (wanted) {
        elements.push_back(place_of(array->extents, element));
      }
    }
    const Holders executes = holders(loop.placed, iteration, current);
    for (int p = 0; p < machine.processors(); ++p) {
      if (contains(executes, p)) {
        buffer.needs[static_cast<std::size_t>(p)].insert(elements.begin(), elements.end());
      }
    }
  }
  return buffer;
}

Buffer point_buffer(const Machine& machine, const std::shared_ptr<Array>& array,
                    const Index& coordinates, const System& readers) {
  Buffer buffer;
  buffer.array = array;
  buffer.needs.resize(static_cast<std::size_t>(machine.processors()));
  for (const Index& element : indices(array->extents)) {
    bool wanted = true;
    for (std::size_t d = 0; d < element.size(); ++d) {
      wanted = wanted && (coordinates[d] == -1 || coordinates[d] == element[d]);
    }
    for (const int p : readers.members) {
      if (wanted) {
        buffer.needs[static_cast<std::size_t>(p)].insert(place_of(array->extents, element));
      }
    }
  }
  return buffer;
}

void load(const Machine& machine, const Buffer& buffer, const System& current,
          Transfers& transfers) {
  const std::vector<Holders> have = holders_of_array(*buffer.array, current);
  for (std::size_t e = 0; e < have.size(); ++e) {
    Holders need = 0;
    for (int p = 0; p < machine.processors(); ++p) {
      need |= buffer.needs[static_cast<std::size_t>(p)].contains(e) ? only(p) : 0;
    }
    fetch(machine, have[e], need, buffer.array->element_size, transfers);
  }
}

}  // namespace gridcast::naive
