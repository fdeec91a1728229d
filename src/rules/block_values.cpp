#include "gridcast/rules/block_values.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace gridcast::model {

BlockValues::BlockValues(GridMapping& mapping, const StatementSpec& statement)
    : mapping_(&mapping), statement_(&statement) {
  const Script& script = mapping.script();
  values_.grid.fill(1.0);
  for (std::size_t j = 0; j < extents_.size(); ++j) {
    extents_[j] = mapping.grid().extent(static_cast<int>(j));
    values_.grid[j] = static_cast<double>(extents_[j]);
  }
  copies_ = static_cast<double>(mapping.processors());
  mapping::BlockRule rule = mapping.options().block_rule;
  if (statement.domain != none) {
    const DomainSpec& domain = script.tables().domains[statement.domain];
    const TargetId target = script.tables().placements[domain.placement].target;
    rule = rule_of(script.tables().targets[target], mapping.options());
    cuts_ = script.ints(domain.cuts);
    const auto extents = script.ints(domain.extents);
    blocks_.resize(extents.size());
    for (std::size_t dim = 0; dim < extents.size(); ++dim) {
      const std::int64_t cut = cuts_[dim];
      const std::int64_t coordinates = cut < 0 ? 1 : extents_[static_cast<std::size_t>(cut)];
      blocks_[dim].assign(extents[dim], coordinates, rule, 1);
      values_.extent[dim] = static_cast<double>(extents[dim]);
      copies_ /= static_cast<double>(coordinates);
    }
  }
  values_.begin = [rule](double n, double coordinates, double at) {
    mapping::BlockCut cut;
    cut.assign(static_cast<std::int64_t>(n), static_cast<std::int64_t>(coordinates), rule, 1);
    return static_cast<double>(cut.boundary(static_cast<std::int64_t>(at)));
  };
}

BlockValues::Coordinates BlockValues::coordinates(std::uint32_t process) const noexcept {
  Coordinates at{};
  std::int64_t rest = process;
  for (std::size_t j = at.size(); j-- > 0;) {
    at[j] = rest % extents_[j];
    rest /= extents_[j];
  }
  return at;
}

void BlockValues::at(std::uint32_t process) {
  process_ = process;
  const Coordinates own = coordinates(process);
  for (std::size_t j = 0; j < own.size(); ++j) {
    values_.coordinate[j] = static_cast<double>(own[j]);
  }
  for (std::size_t dim = 0; dim < blocks_.size(); ++dim) {
    const std::int64_t q = cuts_[dim] < 0 ? 0 : own[static_cast<std::size_t>(cuts_[dim])];
    values_.block[dim] =
        static_cast<double>(blocks_[dim].boundary(q + 1) - blocks_[dim].boundary(q));
  }
}

void BlockValues::partner(std::uint32_t process) {
  const Coordinates there = coordinates(process);
  for (std::size_t j = 0; j < there.size(); ++j) {
    values_.partner[j] = static_cast<double>(there[j]);
  }
}

double BlockValues::value(Slice formula) const {
  try {
    const double found =
        trace::evaluate(entries(mapping_->script().tables().formulas, formula), values_);
    if (found < 0.0) {
      throw trace::FormulaError("the value is negative");
    }
    return found;
  } catch (const trace::FormulaError& problem) {
    throw error(std::string(problem.what()) + " on process " + std::to_string(process_),
                "expected numbers from 0 on every process of the grid " + mapping_->grid().text());
  }
}

std::int64_t BlockValues::count(Slice formula) const {
  constexpr double most = 1e9;
  constexpr double slack = 1e-9;
  const double number = value(formula);
  const double nearest = std::round(number);
  if (number > most || std::abs(number - nearest) > slack * std::max(number, 1.0)) {
    throw error("the value " + std::to_string(number) + " on process " + std::to_string(process_) +
                    " is not a number of times",
                "expected a whole number up to 1e9");
  }
  return static_cast<std::int64_t>(nearest);
}

double BlockValues::points() const noexcept {
  double points = 1.0;
  for (std::size_t dim = 0; dim < blocks_.size(); ++dim) {
    points *= values_.block[dim];
  }
  return points;
}

bool BlockValues::has_points(const Coordinates& process) const noexcept {
  for (std::size_t dim = 0; dim < blocks_.size(); ++dim) {
    const std::int64_t q = cuts_[dim] < 0 ? 0 : process[static_cast<std::size_t>(cuts_[dim])];
    if (blocks_[dim].boundary(q + 1) == blocks_[dim].boundary(q)) {
      return false;
    }
  }
  return true;
}

std::optional<std::uint32_t> BlockValues::neighbour(std::span<const std::int64_t> offset,
                                                    bool backwards) {
  const Script& script = mapping_->script();
  const auto periodic = script.ints(script.tables().domains[statement_->domain].periodic);
  Coordinates there = coordinates(process_);
  if (!has_points(there)) {
    return std::nullopt;
  }
  std::int64_t number = 0;
  for (std::size_t j = 0; j < there.size(); ++j) {
    const std::int64_t step = j < offset.size() ? offset[j] : 0;
    there[j] += backwards ? -step : step;
    if (j < periodic.size() && periodic[j] != 0) {
      there[j] = (there[j] % extents_[j] + extents_[j]) % extents_[j];
    }
    if (there[j] < 0 || there[j] >= extents_[j]) {
      return std::nullopt;
    }
    number = number * extents_[j] + there[j];
  }
  const auto found = static_cast<std::uint32_t>(number);
  return !has_points(there) ? std::nullopt : std::optional(found);
}

InputError BlockValues::error(const std::string& problem, const std::string& remedy) const {
  return {std::string(mapping_->script().text(statement_->file)),
          static_cast<std::size_t>(statement_->line), problem, remedy};
}

}  // namespace gridcast::model
