#pragma once
/// Communications by classes of processors beside the simulation of each message.

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

#include "gridcast/network/class_networks.h"
#include "gridcast/network/networks.h"

namespace gridcast::network {

/// A grid cut so that the processors of a class send alike and, if asked for, have neighbours
/// alike.
inline ProcessorClasses classes_of(const machine::Grid& grid, std::vector<std::int64_t> more = {},
                                   bool neighbours_alike = true) {
  std::array<std::vector<std::int64_t>, machine::max_grid_rank> borders;
  for (int dim = 0; dim < grid.rank(); ++dim) {
    std::vector<std::int64_t>& own = borders[static_cast<std::size_t>(dim)];
    own = {1, grid.extent(dim) - 1};
    if (neighbours_alike) {
      own.insert(own.end(), {2, grid.extent(dim) - 2});
    }
    own.insert(own.end(), more.begin(), more.end());
  }
  ProcessorClasses classes;
  classes.assign(grid, borders);
  return classes;
}

/// Coordinates of a processor.
inline std::vector<std::int64_t> place_of(const machine::Grid& grid, std::int64_t processor) {
  std::vector<std::int64_t> at(static_cast<std::size_t>(grid.rank()));
  for (std::size_t dim = at.size(); dim-- > 0;) {
    at[dim] = processor % grid.extent(static_cast<int>(dim));
    processor /= grid.extent(static_cast<int>(dim));
  }
  return at;
}

/// To each neighbour along a dimension so many bytes, other ones up than down. Processors from the
/// coordinate `holders` of any dimension on neither send nor receive.
struct Edges {
  std::array<double, machine::max_grid_rank> down{}, up{};
  std::int64_t holders = INT64_MAX;

  explicit Edges(std::mt19937& random) {
    for (std::size_t dim = 0; dim < down.size(); ++dim) {
      down[dim] = 100.0 * static_cast<double>(1 + random() % 9);
      up[dim] = random() % 2 == 0 ? down[dim] : 100.0 * static_cast<double>(1 + random() % 9);
    }
  }

  [[nodiscard]] bool holds(const ProcessorClasses& classes, std::size_t which) const {
    for (int dim = 0; dim < classes.rank(); ++dim) {
      if (classes.starts(dim)[classes.run(which, dim)] >= holders) {
        return false;
      }
    }
    return true;
  }

  [[nodiscard]] ClassExchange by_classes(const ProcessorClasses& classes) const {
    ClassExchange exchange;
    exchange.begin(false);
    for (std::size_t which = 0; which < classes.size(); ++which) {
      for (int dim = 0; dim < classes.rank(); ++dim) {
        const auto at = static_cast<std::size_t>(dim);
        const std::int64_t x = classes.starts(dim)[classes.run(which, dim)];
        ClassMessage message;
        if (!holds(classes, which)) {
          continue;
        }
        if (x > 0) {
          message.shift[at] = -1;
          message.offset = -classes.stride(dim);
          message.bytes = down[at];
          exchange.add(message);
        }
        if (x + 1 < std::min(classes.extent(dim), holders)) {
          message.shift[at] = 1;
          message.offset = classes.stride(dim);
          message.bytes = up[at];
          exchange.add(message);
        }
      }
      exchange.end_class();
    }
    return exchange;
  }

  [[nodiscard]] Communication one_by_one(const machine::Grid& grid) const {
    Communication result;
    for (std::int64_t p = 0; p < grid.processors(); ++p) {
      const std::vector<std::int64_t> at = place_of(grid, p);
      std::int64_t stride = grid.processors();
      if (*std::max_element(at.begin(), at.end()) >= holders) {
        continue;
      }
      for (std::size_t dim = 0; dim < at.size(); ++dim) {
        const std::int64_t extent = grid.extent(static_cast<int>(dim));
        stride /= extent;
        const auto from = static_cast<std::uint32_t>(p);
        const auto step = static_cast<std::uint32_t>(stride);
        if (at[dim] > 0) {
          result.transfers.push_back({from, from - step, down[dim]});
        }
        if (at[dim] + 1 < std::min(extent, holders)) {
          result.transfers.push_back({from, from + step, up[dim]});
        }
      }
    }
    normalize(result.transfers);
    return result;
  }
};

/// The networks of a machine and what happens on them, in both ways.
struct Compared {
  machine::Cluster cluster;
  machine::ProcessorSystem system;
  ClassNetworks networks;
  Networks simulated;

  explicit Compared(const std::string& text)
      : cluster(machine::Cluster::parse(text, "drawn.par")),
        system(cluster.expand(cluster.processors())),
        networks(cluster, [this]() -> const machine::ProcessorSystem& { return system; }),
        simulated(system) {}

  void check(const machine::Grid& grid, const ProcessorClasses& classes, const ClassEnds* ends,
             const Communication& communication) {
    REQUIRE(ends != nullptr);
    std::vector<double> expected(static_cast<std::size_t>(grid.processors()));
    simulated.reset(grid);
    simulated.run(communication, 0.0, expected);
    double total = 0.0;
    for (std::size_t which = 0; which < classes.size(); ++which) {
      double least = HUGE_VAL;
      double most = 0.0;
      double sum = 0.0;
      EndsBelow below;
      const double limit = 0.6 * *std::max_element(expected.begin(), expected.end()) + 1e-9;
      classes.for_each_member(which, [&](const ProcessorClasses::Indices& at, std::int64_t number) {
        const double end = expected[static_cast<std::size_t>(number)];
        REQUIRE(ends->end_of(which, at, number) == Approx(end).epsilon(1e-12));
        least = std::min(least, end);
        most = std::max(most, end);
        sum += end;
        below.count += end < limit ? 1.0 : 0.0;
        below.sum += end < limit ? end : 0.0;
      });
      REQUIRE(ends->least(which) == Approx(least).epsilon(1e-12));
      REQUIRE(ends->most(which) == Approx(most).epsilon(1e-12));
      REQUIRE(ends->sum(which) == Approx(sum).epsilon(1e-12));
      REQUIRE(ends->below(which, limit).count == below.count);
      REQUIRE(ends->below(which, limit).sum == Approx(below.sum).epsilon(1e-12));
      total += sum;
    }
    CHECK(ends->total() == Approx(total).epsilon(1e-12));
    const double last = *std::max_element(expected.begin(), expected.end());
    CHECK(ends->last() == Approx(last).epsilon(1e-12));
  }
};

}  // namespace gridcast::network
