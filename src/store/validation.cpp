#include "validation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>

#include "gridcast/base/error.h"
#include "gridcast/base/printable.h"
#include "setup_checks.h"

namespace gridcast::store {
namespace {

/// Nothing in a store is named or timed by more characters than this.
constexpr std::size_t longest_name = 4096;
constexpr std::int64_t most_epochs = std::int64_t{1} << 53U;

/// A rule of a table: what is wrong where it does not hold.
template <class Value>
struct Rule {
  const char* wrong;
  bool (*holds)(const Value&);
};

template <class Value, std::size_t Count>
std::string first_trouble(const std::array<Rule<Value>, Count>& rules, const Value& value) {
  for (const Rule<Value>& rule : rules) {
    if (!rule.holds(value)) {
      return rule.wrong;
    }
  }
  return {};
}

/// Objectives of a search; none where several runs differ.
constexpr std::array<std::string_view, 4> objectives{"", "time", "efficiency", "node-hours"};

constexpr std::array run_rules{
    Rule<RunDescription>{"its mode is none of 0 to 5",
                         [](const RunDescription& run) { return run.mode >= 0 && run.mode <= 5; }},
    Rule<RunDescription>{"its objective is not known",
                         [](const RunDescription& run) {
                           return std::ranges::find(objectives, run.objective) != objectives.end();
                         }},
    Rule<RunDescription>{
        "a number of its grids is below -1",
        [](const RunDescription& run) { return run.candidates >= -1 && run.not_bad >= -1; }},
    Rule<RunDescription>{"its machine has too long a name",
                         [](const RunDescription& run) {
                           return run.machine_name.size() <= longest_name &&
                                  run.gridcast_version.size() <= longest_name;
                         }},
};

constexpr std::array setup_rules{
    Rule<StoreSetup>{"its chunks have an impossible number of rows",
                     [](const StoreSetup& setup) {
                       return setup.chunk_rows > 0 &&
                              fitting_chunk_rows(setup.chunk_rows, row_bytes_of(setup)) ==
                                  setup.chunk_rows;
                     }},
    Rule<StoreSetup>{"it has results per interval without intervals",
                     [](const StoreSetup& setup) {
                       return !setup.interval_results || !setup.intervals.empty();
                     }},
};

constexpr std::array outcome_rules{
    Rule<Outcome>{
        "a number of its grids is below -1",
        [](const Outcome& outcome) { return outcome.candidates >= -1 && outcome.not_bad >= -1; }},
    Rule<Outcome>{
        "its epoch is impossible",
        [](const Outcome& outcome) { return outcome.epoch >= 0 && outcome.epoch <= most_epochs; }},
    Rule<Outcome>{"its end has no time",
                  [](const Outcome& outcome) { return outcome.finished.size() <= longest_name; }},
};

bool is_rank(std::int32_t rank) { return rank >= 1 && rank <= machine::max_grid_rank; }

/// Product of the extents, or -1 if it is none of a grid.
std::int64_t product_of(const ResultRow& row) {
  std::int64_t product = 1;
  for (std::size_t dim = 0; dim < row.extents.size(); ++dim) {
    const std::int64_t extent = row.extents[dim];
    if (extent < 1 || (static_cast<std::int32_t>(dim) >= row.rank && extent != 1)) {
      return -1;
    }
    product *= extent;
    if (product > std::numeric_limits<std::int32_t>::max()) {
      return -1;
    }
  }
  return product;
}

constexpr std::array row_rules{
    Rule<ResultRow>{"a grid of less than one or more than four dimensions",
                    [](const ResultRow& row) { return is_rank(row.rank); }},
    Rule<ResultRow>{"extents that no grid has",
                    [](const ResultRow& row) { return product_of(row) > 0; }},
    Rule<ResultRow>{"another number of processors than its grid",
                    [](const ResultRow& row) { return product_of(row) == row.processors; }},
    Rule<ResultRow>{"a status that is not known",
                    [](const ResultRow& row) {
                      return row.status == Status::done || row.status == Status::failed;
                    }},
    Rule<ResultRow>{"threads or a placement that it cannot have",
                    [](const ResultRow& row) { return row.run >= 0; }},
    Rule<ResultRow>{
        "an evenness that is no number from 0",
        [](const ResultRow& row) { return std::isfinite(row.evenness) && row.evenness >= 0.0; }},
};

constexpr std::array interval_rules{
    Rule<model::IntervalInfo>{"is of a type that is not known",
                              [](const model::IntervalInfo& interval) {
                                return interval.type >= trace::IntervalType::main &&
                                       interval.type <= trace::IntervalType::parallel;
                              }},
    Rule<model::IntervalInfo>{
        "was entered less than no times",
        [](const model::IntervalInfo& interval) { return interval.count >= 0; }},
};

/// Intervals are listed depth-first, the program first: each parent comes before its children.
std::string trouble_with_tree(const std::vector<model::IntervalInfo>& intervals) {
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    const model::IntervalInfo& interval = intervals[i];
    const auto parent = static_cast<std::int64_t>(interval.parent);
    std::string wrong = first_trouble(interval_rules, interval);
    if (i == 0 && parent != -1) {
      wrong = "is the first and has a parent";
    } else if (i > 0 && (parent < 0 || parent >= static_cast<std::int64_t>(i))) {
      wrong = "has no parent before it";
    } else if (const std::int64_t above =
                   i == 0 ? -1 : intervals[static_cast<std::size_t>(parent)].level;
               interval.level != above + 1) {
      wrong = "is at another level than below its parent";
    }
    if (!wrong.empty()) {
      return "interval " + std::to_string(i + 1) + " " + wrong;
    }
  }
  return {};
}

std::string trouble_with_extras(const std::vector<ExtraColumn>& extras) {
  try {
    require_extra_columns(extras);
  } catch (const InputError& error) {
    return error.problem();
  }
  const auto too_long = [](const ExtraColumn& extra) {
    return extra.type == ColumnType::int32 || extra.type > ColumnType::float64 ||
           extra.name.size() > longest_name || extra.units.size() > longest_name ||
           extra.long_name.size() > longest_name;
  };
  return std::ranges::any_of(extras, too_long) ? "an input column has too long a name or no type"
                                               : std::string();
}

bool all_finite(std::span<const double> values) {
  return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

/// Whether whole numbers are what an input column of them may hold.
bool is_exact(double value) {
  constexpr double exact_limit = 9007199254740992.0;  // 2^53
  return value >= -exact_limit && value <= exact_limit;
}

bool has_known_grid(const Failure& failure) {
  try {
    static_cast<void>(machine::Grid::parse_text(failure.grid));
    return true;
  } catch (const InputError&) {
    return false;
  }
}

constexpr std::array failure_rules{
    Rule<Failure>{"a failure has a row that cannot be",
                  [](const Failure& failure) { return failure.config >= -1; }},
    Rule<Failure>{"a failure has a grid that cannot be", has_known_grid},
};

constexpr std::array box_rules{
    Rule<search::OpenBox>{"a box of open grids has a bound that is not finite",
                          [](const search::OpenBox& box) { return !std::isinf(box.bound); }},
    Rule<search::OpenBox>{"a box of open grids has impossible extents or threads",
                          [](const search::OpenBox& box) {
                            const std::int32_t threads = box.box.threads();
                            bool good = threads >= 1 && threads <= ResultRow::most_threads;
                            for (int dim = 0; dim < machine::max_grid_rank; ++dim) {
                              good = good && box.box.first(dim) >= 1 &&
                                     box.box.last(dim) >= box.box.first(dim);
                            }
                            return good;
                          }},
};

}  // namespace

std::string trouble_with_identity(const std::string& store_id) {
  constexpr std::size_t digits = 32;
  const bool good = store_id.size() == digits &&
                    store_id.find_first_not_of("0123456789abcdef") == std::string::npos;
  return good ? "" : "its identity is not of 32 digits";
}

std::string trouble_with(const StoreSetup& setup) {
  std::string wrong = first_trouble(run_rules, setup.description);
  for (const RunDescription& source : setup.sources) {
    wrong = wrong.empty() ? first_trouble(run_rules, source) : wrong;
  }
  wrong = wrong.empty() ? trouble_with_extras(setup.extra_columns) : wrong;
  wrong = wrong.empty() ? trouble_with_tree(setup.intervals) : wrong;
  return wrong.empty() ? first_trouble(setup_rules, setup) : wrong;
}

std::string trouble_with(const Outcome& outcome) { return first_trouble(outcome_rules, outcome); }

std::string trouble_with(const model::Characteristics& figures) {
  for (const Column& column : columns()) {
    if (!column.is_characteristic) {
      continue;
    }
    const MemoryLayout place = layout_of(column, true);
    const std::byte* const at = reinterpret_cast<const std::byte*>(&figures) + place.offset;
    if (column.type == ColumnType::float64) {
      double value = 0.0;
      std::memcpy(&value, at, sizeof value);
      if (!std::isfinite(value)) {
        return column.name + " is no finite number";
      }
    } else {
      std::int64_t value = 0;
      std::memcpy(&value, at, sizeof value);
      if (value < 0) {
        return column.name + " is below 0";
      }
    }
  }
  return {};
}

std::string trouble_with(const ResultRow& row) {
  const std::string wrong = first_trouble(row_rules, row);
  return wrong.empty() ? trouble_with(row.characteristics) : wrong;
}

std::string trouble_with(const Failure& failure) { return first_trouble(failure_rules, failure); }

std::string trouble_with(const Proof& proof) {
  if (proof.excluded < 0 || proof.max_processors < 1) {
    return "/proof has impossible numbers of grids or processors";
  }
  for (const search::OpenBox& box : proof.boxes) {
    if (std::string wrong = first_trouble(box_rules, box); !wrong.empty()) {
      return wrong;
    }
  }
  return {};
}

bool is_possible_row(const ResultRow& row, std::span<const double> extras,
                     std::span<const model::Characteristics> intervals) {
  const auto sound = [](const model::Characteristics& figures) {
    return trouble_with(figures).empty();
  };
  return trouble_with(row).empty() && all_finite(extras) && std::ranges::all_of(intervals, sound);
}

std::string trouble_with(const RowBatch& batch, const std::vector<ExtraColumn>& extra_columns,
                         std::int64_t first) {
  const std::size_t width = extra_columns.size();
  const std::size_t intervals =
      batch.intervals.size() / std::max<std::size_t>(batch.rows.size(), 1);
  for (std::size_t i = 0; i < batch.rows.size(); ++i) {
    const std::span<const double> extras = std::span(batch.extras).subspan(i * width, width);
    std::string wrong = trouble_with(batch.rows[i]);
    for (std::size_t k = 0; k < width && wrong.empty(); ++k) {
      const bool whole = extra_columns[k].type == ColumnType::int64;
      if (whole ? !is_exact(extras[k]) : !std::isfinite(extras[k])) {
        wrong = printable(extra_columns[k].name) + " is no number that it can be";
      }
    }
    for (std::size_t k = 0; k < intervals && wrong.empty(); ++k) {
      wrong = trouble_with(batch.intervals[i * intervals + k]);
      wrong += wrong.empty() ? "" : " in interval " + std::to_string(k + 1);
    }
    if (!wrong.empty()) {
      return "row " + std::to_string(first + static_cast<std::int64_t>(i)) + ": " + wrong;
    }
  }
  return {};
}

void require_no_trouble(const std::filesystem::path& path, const std::string& trouble) {
  if (!trouble.empty()) {
    throw RunError(path.string(), "has contents that gridcast never writes: " + trouble,
                   "restore it from a copy, or save what is readable with: gridcast store repair " +
                       path.string());
  }
}

}  // namespace gridcast::store
