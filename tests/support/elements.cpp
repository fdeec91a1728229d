#include "elements.h"

#include <algorithm>

#include "gridcast/compile/compile.h"
#include "gridcast/rules/transfers.h"

namespace gridcast::model::test {

std::vector<Index> indices(const Index& extents) {
  std::vector<Index> all{{}};
  for (const std::int64_t extent : extents) {
    std::vector<Index> longer;
    for (const Index& start : all) {
      for (std::int64_t i = 0; i < extent; ++i) {
        longer.push_back(start);
        longer.back().push_back(i);
      }
    }
    all = std::move(longer);
  }
  return all;
}

Index sequence(std::int64_t first, std::int64_t last, std::int64_t step) {
  Index result;
  for (std::int64_t i = first; step > 0 ? i <= last : i >= last; i += step) {
    result.push_back(i);
  }
  return result;
}

void Elements::target(Slot slot, const Target& target) {
  targets_[slot] = target;
  (*run_)(trace::CreateTemplate{slot, target.extents});
  if (!target.divisors.empty()) {
    (*run_)(trace::DivideBlocks{slot, target.divisors});
  }
  (*run_)(trace::Distribute{slot, trace::no_object, target.axes});
}

void Elements::array(Slot slot, const Array& array, std::int64_t element_size, const Index& low,
                     const Index& high) {
  arrays_[slot] = array;
  (*run_)(trace::CreateArray{slot, array.extents, element_size, low, high});
  (*run_)(trace::Align{slot, array.rule});
}

Holders Elements::holders_over(const trace::AlignmentRule& rule, const Index& at) const {
  const bool over_target = rule.kind == trace::PatternKind::target;
  const Index& over =
      over_target ? targets_.at(rule.pattern).extents : arrays_.at(rule.pattern).extents;
  // The positions along each dimension of the pattern.
  std::vector<Index> positions(over.size());
  for (std::size_t dim = 0; dim < over.size(); ++dim) {
    const std::int64_t axis = rule.axes[dim];
    if (axis < 0) {
      for (std::int64_t i = 0; i < over[dim]; ++i) {
        positions[dim].push_back(i);
      }
    } else if (axis == 0 || rule.coefficients[dim] == 0) {
      positions[dim] = {rule.constants[dim]};
    } else {
      positions[dim] = {rule.coefficients[dim] * at[static_cast<std::size_t>(axis - 1)] +
                        rule.constants[dim]};
    }
  }
  if (over_target) {
    return holders_at(targets_.at(rule.pattern), positions);
  }
  std::vector<Index> elements{{}};
  for (const Index& along : positions) {
    std::vector<Index> longer;
    for (const Index& start : elements) {
      for (const std::int64_t i : along) {
        longer.push_back(start);
        longer.back().push_back(i);
      }
    }
    elements = std::move(longer);
  }
  Holders all;
  for (const Index& element : elements) {
    all.merge(holders(rule.pattern, element));
  }
  return all;
}

Holders Elements::holders_at(const Target& target, const std::vector<Index>& positions) const {
  Holders result;
  const auto rank = static_cast<std::size_t>(grid_.rank());
  Index shape(grid_.extents().begin(), grid_.extents().end());
  std::uint32_t number = 0;
  for (const Index& coordinates : indices(shape)) {
    bool holds = true;
    for (std::size_t j = 0; j < rank; ++j) {
      const std::int64_t axis = j < target.axes.size() ? target.axes[j] : 0;
      if (shape[j] == 1 || axis == 0) {
        continue;
      }
      const auto dim = static_cast<std::size_t>(axis - 1);
      const std::int64_t n = target.extents[dim];
      const std::int64_t divisor = target.divisors.empty() ? 1 : target.divisors[dim];
      std::int64_t block = 0;
      while (block * shape[j] < n || block % divisor != 0) {
        ++block;
      }
      bool here = false;
      for (const std::int64_t at : positions[dim]) {
        here = here || (at >= 0 && at < n && at / block == coordinates[j]);
      }
      holds = holds && here;
    }
    if (holds) {
      result.insert(number);
    }
    ++number;
  }
  return result;
}

void Elements::fetch(const Holders& from, std::uint32_t to, double element_size,
                     Bytes& bytes) const {
  if (from.empty() || from.contains(to)) {
    return;
  }
  const auto distance = [&](std::uint32_t p) {
    std::int64_t sum = 0;
    std::uint32_t a = p;
    std::uint32_t b = to;
    for (int j = grid_.rank(); j-- > 0;) {
      const auto extent = static_cast<std::uint32_t>(grid_.extent(j));
      sum +=
          std::abs(static_cast<std::int64_t>(a % extent) - static_cast<std::int64_t>(b % extent));
      a /= extent;
      b /= extent;
    }
    return sum;
  };
  const std::uint32_t nearest = *std::min_element(
      from.begin(), from.end(),
      [&](std::uint32_t a, std::uint32_t b) { return distance(a) < distance(b); });
  bytes[{nearest, to}] += element_size;
}

std::int64_t up_to(Random& random, std::int64_t most) {
  return static_cast<std::int64_t>(random() % static_cast<unsigned>(most + 1));
}

Index random_extents(Random& random, std::size_t rank, std::int64_t most) {
  Index extents(rank);
  for (std::int64_t& extent : extents) {
    extent = 1 + up_to(random, most - 1);
  }
  return extents;
}

machine::Grid random_grid(Random& random) {
  const std::size_t rank = 1 + random() % 3;
  return machine::Grid(random_extents(random, rank, rank == 1 ? 7 : rank == 2 ? 4 : 3));
}

std::vector<std::int64_t> random_axes(Random& random, std::size_t rank, const machine::Grid& grid) {
  std::vector<std::int64_t> axes;
  for (std::size_t i = 1; i <= rank; ++i) {
    axes.push_back(static_cast<std::int64_t>(i));
  }
  for (int j = 0; j < 2; ++j) {
    axes.push_back(0);
  }
  std::shuffle(axes.begin(), axes.end(), random);
  axes.resize(static_cast<std::size_t>(grid.rank()));
  return axes;
}

trace::AlignmentRule random_rule(Random& random, trace::PatternKind kind, Slot pattern,
                                 const Index& over, const Index& extents) {
  trace::AlignmentRule rule;
  rule.kind = kind;
  rule.pattern = pattern;
  std::vector<std::size_t> dims(extents.size());
  for (std::size_t d = 0; d < dims.size(); ++d) {
    dims[d] = d;
  }
  std::shuffle(dims.begin(), dims.end(), random);
  for (const std::int64_t extent : over) {
    std::int64_t axis = -1;
    std::int64_t coefficient = 0;
    std::int64_t constant = 0;
    const std::int64_t kind_of_rule = up_to(random, 6);
    if (kind_of_rule == 0) {
      axis = 0;
      constant = up_to(random, extent - 1);
    } else if (kind_of_rule > 1 && !dims.empty()) {
      const std::size_t dim = dims.back();
      const std::int64_t most = extents[dim] - 1;
      // The largest coefficient with which all indices still lie in the pattern.
      const std::int64_t largest = most == 0 ? 3 : (extent - 1) / most;
      if (largest > 0) {
        dims.pop_back();
        axis = static_cast<std::int64_t>(dim) + 1;
        coefficient = 1 + up_to(random, std::min<std::int64_t>(largest, 3) - 1);
        const std::int64_t room = std::max<std::int64_t>(extent - 1 - coefficient * most, 0);
        constant = up_to(random, room);
        if (random() % 3 == 0) {
          constant += coefficient * most;
          coefficient = -coefficient;
        }
        constant = std::min(constant, extent - 1);
      }
    }
    rule.axes.push_back(axis);
    rule.coefficients.push_back(coefficient);
    rule.constants.push_back(constant);
  }
  return rule;
}

Built build_last(const Run& run, const machine::Grid& on) {
  const Compiled compiled = compile(run.program());
  const auto& tables = compiled.script.tables();
  std::uint32_t last = none;
  for (const Op& op : tables.ops) {
    if (op.kind == Op::Kind::transfer || op.kind == Op::Kind::start) {
      last = op.a;
    }
  }
  REQUIRE(last != none);
  const machine::Cluster cluster = flat("ethernet", 1.0, 1.0);
  const machine::ProcessorSystem system = cluster.expand(on.processors());
  GridMapping mapping(compiled.script, ModelOptions{});
  mapping.reset(on, system);
  TransferBuilder builder(mapping);
  Transfers transfers;
  builder.build(tables.communications[last], transfers);
  Built built;
  const auto& list = transfers.communication.transfers;
  for (const network::Transfer& transfer : list) {
    built.bytes[{transfer.from, transfer.to}] += transfer.bytes;
  }
  built.transfers = list.size();
  for (std::size_t i = 1; i < list.size() && transfers.communication.later_phases.empty(); ++i) {
    REQUIRE(std::pair(list[i - 1].from, list[i - 1].to) < std::pair(list[i].from, list[i].to));
  }
  WrittenShares written;
  builder.written(tables.communications[last], written);
  if (written.any) {
    built.written = written.share;
  }
  return built;
}

void random_arrays(Random& random, Elements& elements) {
  Elements::Target target;
  target.extents = random_extents(random, 1 + random() % 3, 8);
  target.axes = random_axes(random, target.extents.size(), elements.grid());
  if (random() % 4 == 0) {
    target.divisors = random_extents(random, target.extents.size(), 3);
  }
  elements.target(0, target);
  const Index middle = random_extents(random, 1 + random() % 3, 6);
  elements.array(
      1, {middle, random_rule(random, trace::PatternKind::target, 0, target.extents, middle)}, 8);
  const Index own = random_extents(random, 1 + random() % 3, 6);
  if (random() % 2 == 0) {
    elements.array(
        0, {own, random_rule(random, trace::PatternKind::target, 0, target.extents, own)}, 4);
  } else {
    elements.array(0, {own, random_rule(random, trace::PatternKind::array, 1, middle, own)}, 4);
  }
}

}  // namespace gridcast::model::test
