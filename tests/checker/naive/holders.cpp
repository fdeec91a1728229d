#include "holders.h"

#include <algorithm>
#include <cmath>

namespace gridcast::naive {

std::vector<Index> indices(const Index& extents) {
  std::vector<Index> all{{}};
  for (const long extent : extents) {
    std::vector<Index> longer;
    for (const Index& start : all) {
      for (long i = 0; i < extent; ++i) {
        longer.push_back(start);
        longer.back().push_back(i);
      }
    }
    all = longer;
  }
  return all;
}

std::size_t place_of(const Index& extents, const Index& index) {
  long place = 0;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    place = place * extents[d] + index[d];
  }
  return static_cast<std::size_t>(place);
}

std::vector<Index> Loop::iterations() const {
  Index counts;
  for (const Index& along : values) {
    counts.push_back(static_cast<long>(along.size()));
  }
  std::vector<Index> all = indices(counts);
  for (Index& iteration : all) {
    for (std::size_t d = 0; d < iteration.size(); ++d) {
      iteration[d] = values[d][static_cast<std::size_t>(iteration[d])];
    }
  }
  return all;
}

Holders holders(const Placed& placed, const Index& element, const System& current) {
  if (!placed.over || !placed.over->distributed) {
    return current.all();
  }
  const Template& target = *placed.over;
  Holders result = 0;
  for (int m = 0; m < target.system.size(); ++m) {
    const Index coordinates = target.system.coordinates(m);
    bool holds = true;
    for (std::size_t j = 0; j < target.axes.size(); ++j) {
      if (!target.splits(j)) {
        continue;
      }
      const auto at = static_cast<std::size_t>(coordinates[j]);
      const long from = target.bounds[j][at];
      const long to = target.bounds[j][at + 1];
      const Position& position = placed.positions[static_cast<std::size_t>(target.axes[j])];
      const auto inside = [&](long i) { return i >= from && i < to; };
      switch (position.rule) {
        case Position::Rule::linear:
          holds = holds &&
                  inside(position.a * element[static_cast<std::size_t>(position.dim)] + position.b);
          break;
        case Position::Rule::fixed:
          holds = holds && inside(position.b);
          break;
        case Position::Rule::everywhere:
          holds = holds && from < to;
          break;
        case Position::Rule::some:
          holds = holds && std::any_of(position.at.begin(), position.at.end(), inside);
          break;
      }
    }
    if (holds) {
      result |= only(target.system.members[static_cast<std::size_t>(m)]);
    }
  }
  return result;
}

std::vector<Holders> holders_of_array(const Array& array, const System& current) {
  std::vector<Holders> all;
  for (const Index& element : indices(array.extents)) {
    all.push_back(holders(array.placed, element, current));
  }
  return all;
}

Placed over_template(const std::shared_ptr<Template>& pattern, const Rule& rule) {
  Placed placed;
  placed.over = pattern;
  for (std::size_t t = 0; t < rule.axes.size(); ++t) {
    Position position;
    if (rule.axes[t] < 0) {
      position.rule = Position::Rule::everywhere;
    } else if (rule.axes[t] == 0 || rule.coefficients[t] == 0) {
      position.rule = Position::Rule::fixed;
      position.b = rule.constants[t];
    } else {
      position.rule = Position::Rule::linear;
      position.dim = static_cast<int>(rule.axes[t] - 1);
      position.a = rule.coefficients[t];
      position.b = rule.constants[t];
    }
    placed.positions.push_back(position);
  }
  return placed;
}

Placed over_array(const Array& pattern, const Rule& rule) {
  Placed placed;
  placed.over = pattern.placed.over;
  for (const Position& outer : pattern.placed.positions) {
    Position position = outer;
    if (outer.rule == Position::Rule::linear) {
      const auto dim = static_cast<std::size_t>(outer.dim);
      if (rule.axes[dim] < 0) {
        position.rule = Position::Rule::some;
        for (long i = 0; i < pattern.extents[dim]; ++i) {
          position.at.push_back(outer.a * i + outer.b);
        }
      } else if (rule.axes[dim] == 0 || rule.coefficients[dim] == 0) {
        position.rule = Position::Rule::fixed;
        position.b = outer.a * rule.constants[dim] + outer.b;
      } else {
        position.dim = static_cast<int>(rule.axes[dim] - 1);
        position.a = outer.a * rule.coefficients[dim];
        position.b = outer.a * rule.constants[dim] + outer.b;
      }
    }
    placed.positions.push_back(position);
  }
  return placed;
}

bool is_replicated(const Placed& placed) {
  if (!placed.over || !placed.over->distributed) {
    return true;
  }
  for (std::size_t j = 0; j < placed.over->axes.size(); ++j) {
    if (placed.over->splits(j) &&
        placed.positions[static_cast<std::size_t>(placed.over->axes[j])].rule !=
            Position::Rule::everywhere) {
      return false;
    }
  }
  return true;
}

int split_dimension(const Placed& placed, std::size_t j) {
  if (!placed.over || !placed.over->distributed || j >= placed.over->axes.size() ||
      !placed.over->splits(j)) {
    return -1;
  }
  const Position& position = placed.positions[static_cast<std::size_t>(placed.over->axes[j])];
  return position.rule == Position::Rule::linear ? position.dim : -1;
}

long extent_held(const std::vector<Index>& elements, const std::vector<Holders>& holders, int p,
                 std::size_t dim) {
  std::set<long> seen;
  for (std::size_t e = 0; e < elements.size(); ++e) {
    if (contains(holders[e], p)) {
      seen.insert(elements[e][dim]);
    }
  }
  return static_cast<long>(seen.size());
}

int nearest(const Machine& machine, Holders holders, int p) {
  int best = -1;
  for (int q = 0; q < machine.processors(); ++q) {
    if (contains(holders, q) && (best < 0 || machine.distance(q, p) < machine.distance(best, p))) {
      best = q;
    }
  }
  return best;
}

}  // namespace gridcast::naive
