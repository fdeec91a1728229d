/// Domains and kernels of statements over blocks.

#include <algorithm>
#include <array>
#include <string>

#include "generator.h"
#include "gridcast/trace/limits.h"
#include "words.h"

namespace gridcast::trace {
namespace {

constexpr std::array domain_rules{std::pair{std::string_view("ceil"), DomainRule::ceil},
                                  std::pair{std::string_view("balanced"), DomainRule::balanced},
                                  std::pair{std::string_view("first"), DomainRule::first},
                                  std::pair{std::string_view("last"), DomainRule::last}};

}  // namespace

void Generator::declare_domains(const Settings& top) {
  for (const Settings& table : top.tables("domain")) {
    declare_domain(table);
  }
  if (blocks_.domains.empty()) {
    return;
  }
  for (const auto& [name, value] : names_) {
    if (BlockNames::reserves(name)) {
      top.fail("parameters", "'" + name + "' has its meaning in statements over blocks",
               "expected other names than b1, q1, p1, n1, t1 … and those of functions");
    }
  }
}

void Generator::declare_domain(const Settings& table) {
  Domain made;
  made.name = table.text("name");
  check_new(table, made.name);
  if (domains_.contains(made.name)) {
    table.fail("name", "'" + made.name + "' is declared twice", "expected a name of its own");
  }
  made.extents = table.wholes("extents");
  made.element_size = table.whole("element", 0);
  if (made.element_size < 0 || made.element_size > largest_coefficient) {
    table.fail("element", "no size of an element", "expected bytes from 0 to a million");
  }
  check_extents(table, made.extents, std::max<std::int64_t>(made.element_size, 1));
  const std::size_t rank = made.extents.size();
  if (rank > most_formula_dimensions) {
    table.fail("extents", std::to_string(rank) + " dimensions",
               "expected at most " + std::to_string(most_formula_dimensions));
  }
  if (table.has("distribute")) {
    made.cuts = table.wholes("distribute");
  } else {
    for (std::size_t dim = 1; dim <= rank; ++dim) {
      made.cuts.push_back(static_cast<std::int64_t>(dim));
    }
  }
  for (const std::int64_t cut : made.cuts) {
    const bool twice = cut != 0 && std::count(made.cuts.begin(), made.cuts.end(), cut) > 1;
    if (made.cuts.size() != rank || twice || cut < 0 ||
        cut > static_cast<std::int64_t>(most_grid_dimensions)) {
      table.fail("distribute", "no dimension of the grid for each dimension of the domain",
                 "expected a number from 1 to " + std::to_string(most_grid_dimensions) +
                     ", each once, or 0 for a whole dimension");
    }
    grid_rank_ = std::max(grid_rank_, static_cast<std::size_t>(cut));
  }
  if (table.has("rule")) {
    made.rule = one_of(table, "rule", domain_rules);
  }
  made.ghost = widths(table, "ghost", rank, 0);
  const Extents rings = periodic(table, rank);
  made.periodic.assign(rings.begin(), rings.end());
  made.periodic.resize(rank, false);
  table.finish("name, extents, distribute, rule, ghost, periodic, element");
  domains_[made.name] = static_cast<std::uint32_t>(blocks_.domains.size());
  blocks_.domains.push_back(std::move(made));
}

void Generator::declare_kernels(const Settings& top) {
  for (const Settings& table : top.tables("kernel")) {
    const std::string name = table.text("name");
    if (!is_name(name) || kernels_.contains(name)) {
      table.fail("name", "\"" + name + "\" is no name or is declared twice",
                 "expected a name of its own");
    }
    std::vector<std::pair<double, double>> points;
    for (const std::vector<double>& block : table.reals("blocks")) {
      double volume = 1.0;
      for (const double extent : block) {
        volume *= extent;
      }
      if (!(volume > 0.0)) {
        table.fail("blocks", "a block without points", "expected extents from 1");
      }
      points.emplace_back(volume, 0.0);
    }
    const std::vector<double> seconds = table.numbers("seconds");
    if (seconds.size() != points.size()) {
      table.fail("seconds", "not one time per block",
                 "expected " + std::to_string(points.size()) + " numbers");
    }
    for (std::size_t i = 0; i < seconds.size(); ++i) {
      if (!(seconds[i] >= 0.0)) {
        table.fail("seconds", "negative", "expected seconds from 0");
      }
      points[i].second = seconds[i];
    }
    std::sort(points.begin(), points.end());
    std::vector<double>& made = kernels_[name];
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (i > 0 && points[i].first == points[i - 1].first) {
        table.fail("blocks", "two blocks of the same number of points", "expected it once");
      }
      made.insert(made.end(), {points[i].first, points[i].second});
    }
    table.finish("name, blocks, seconds");
  }
}

}  // namespace gridcast::trace
