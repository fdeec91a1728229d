#include "stored_numbers.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "gridcast/base/error.h"
#include "gridcast/design/factors.h"
#include "gridcast/store/run_columns.h"
#include "stored_search.h"

namespace gridcast::cli {
namespace {

constexpr std::size_t most_shown_rows = 20'000;

using ShownResult = std::pair<const char*, double model::Characteristics::*>;

constexpr std::array<ShownResult, 5> shown_results{{
    {"execution_time", &model::Characteristics::execution_time},
    {"efficiency", &model::Characteristics::efficiency},
    {"insufficient_parallelism", &model::Characteristics::insufficient_parallelism},
    {"communication", &model::Characteristics::communication},
    {"idle", &model::Characteristics::idle},
}};

/// Total Sobol' indices of the factors. None if the runs do not allow them: too many failed or are
/// missing, or there are too many cases.
std::vector<std::pair<std::string, double>> totals_of(const design::Table& table,
                                                      const std::string& response) try {
  design::Question question;
  question.response = response;
  question.cases = table.roles().cases;
  const design::Factors factors = design::analyse_factors(
      table, question, design::FactorMethod::sobol, {.replicates = 0, .seed = 0});
  std::vector<std::pair<std::string, double>> result;
  for (const double total : design::total_indices(factors)) {
    result.emplace_back(factors.question.factors[result.size()], total);
  }
  return result;
} catch (const InputError&) {
  return {};
}

}  // namespace

StoredNumbers::StoredNumbers(const store::StoreSetup& setup) {
  for (const store::ExtraColumn& column : setup.extra_columns) {
    if (store::tells_run(column)) {
      break;  // how a grid is run is a result, and its columns the last
    }
    ++inputs_;
    numbers_.columns.push_back({column.name, column.units, is_label(column.name), {}, {}});
  }
  for (const char* name : {"p1", "p2", "p3", "p4", "processors"}) {
    numbers_.columns.push_back({name, "1", false, {}, {}});
  }
  numbers_.inputs = numbers_.columns.size();
  for (const auto& [name, value] : shown_results) {
    const bool is_share = value == &model::Characteristics::efficiency;
    numbers_.columns.push_back({name, is_share ? "1" : "s", false, {}, {}});
  }
}

void StoredNumbers::add(const store::ResultRow& row, std::span<const double> extras) {
  if (row.status == store::Status::failed) {
    return;
  }
  const auto number = static_cast<std::size_t>(numbers_.predictions++);
  if (number % stride_ != 0) {
    return;
  }
  std::size_t column = 0;
  const auto put = [&](double value) { numbers_.columns[column++].values.push_back(value); };
  std::ranges::for_each(extras.first(inputs_), put);
  const machine::Grid grid = row.grid();
  for (int dim = 0; dim < machine::max_grid_rank; ++dim) {
    put(static_cast<double>(grid.extent(dim)));
  }
  put(static_cast<double>(row.processors));
  for (const auto& [name, value] : shown_results) {
    put(row.characteristics.*value);
  }
  if (numbers_.columns.front().values.size() > most_shown_rows) {
    thin_out();
  }
}

void StoredNumbers::thin_out() {
  stride_ *= 2;
  for (report::NumberColumn& column : numbers_.columns) {
    std::vector<double> kept;
    for (std::size_t i = 0; i < column.values.size(); i += 2) {
      kept.push_back(column.values[i]);
    }
    column.values = std::move(kept);
  }
}

report::PredictionNumbers StoredNumbers::take(const std::string& path) && {
  const auto table = numbers_.predictions > 0 ? design::open_table(path) : nullptr;
  if (table != nullptr && table->roles().design == "saltelli") {
    for (std::size_t i = numbers_.inputs; i < numbers_.columns.size(); ++i) {
      numbers_.columns[i].totals = totals_of(*table, numbers_.columns[i].name);
    }
  }
  // Dimensions that no grid has.
  const auto unused = [](const report::NumberColumn& column) {
    return (column.name == "p3" || column.name == "p4") &&
           std::ranges::all_of(column.values, [](double extent) { return extent == 1.0; });
  };
  const std::size_t before = numbers_.columns.size();
  std::erase_if(numbers_.columns, unused);
  numbers_.inputs -= before - numbers_.columns.size();
  return std::move(numbers_);
}

}  // namespace gridcast::cli
