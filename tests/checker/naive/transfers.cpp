#include "transfers.h"

#include <algorithm>
#include <cstdlib>

namespace gridcast::naive {

void fetch(const Machine& machine, Holders have, Holders need, double bytes, Transfers& transfers) {
  for (int p = 0; p < machine.processors(); ++p) {
    if (contains(need, p) && !contains(have, p) && have != 0) {
      const int from = nearest(machine, have, p);
      transfers[{from, p}] += bytes;
      transfers.gathered[from] += bytes;  // packed and unpacked, contiguous or not
      transfers.spread[p] += bytes;
    }
  }
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
