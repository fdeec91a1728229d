#include <algorithm>
#include <map>

#include "machine.h"

namespace gridcast::naive {

void place(Machine& machine, bool by_column, const std::vector<int>& block) {
  // Processors of the grid in the order in which they get those of the machine.
  std::map<std::pair<std::vector<int>, std::vector<int>>, int> in_order;
  for (int p = 0; p < machine.processors(); ++p) {
    std::vector<int> at(machine.shape.size());
    int rest = p;
    for (std::size_t j = at.size(); j-- > 0;) {
      at[j] = rest % machine.shape[j];
      rest /= machine.shape[j];
    }
    std::vector<int> outer = at;
    std::vector<int> inner;
    if (by_column) {
      std::reverse(outer.begin(), outer.end());
    }
    for (std::size_t j = 0; j < block.size(); ++j) {
      outer[j] = at[j] / block[j];
      inner.push_back(at[j] % block[j]);
    }
    in_order[{outer, inner}] = p;
  }
  const Machine before = machine;
  std::size_t next = 0;
  for (const auto& [key, p] : in_order) {
    machine.performance[static_cast<std::size_t>(p)] = before.performance[next];
    machine.above[static_cast<std::size_t>(p)] = before.above[next];
    ++next;
  }
}

}  // namespace gridcast::naive
