#include "compared_predictions.h"

#include <array>
#include <fstream>
#include <set>

#include "compared_times.h"
#include "gridcast/base/error.h"
#include "gridcast/figures/figures.h"
#include "gridcast/report/depth.h"
#include "gridcast/report/prediction_file.h"
#include "gridcast/store/reader.h"
#include "stored_search.h"

namespace gridcast::cli {
namespace {

/// Extents, then threads.
using GridKey = std::array<std::int32_t, machine::max_grid_rank + 1>;

/// The grid that a word of --grid means in a store.
machine::Grid chosen_grid(const std::string& file, const std::string& word) {
  if (word != "best") {
    return machine::Grid::parse_text(word);
  }
  const StoredSearch search = read_search(file);
  if (!search.best) {
    throw InputError(file, 0, "has no best grid", "expected --grid with a grid that it has");
  }
  return search.best->grid();
}

/// The prediction that a store has of a grid; of the whole program only if it has no intervals.
report::DifferenceSide stored_side(const std::string& file, const machine::Grid& grid) {
  store::StoreReader reader(file);
  const store::StoreSetup& setup = reader.about().setup;
  report::DifferenceSide side;
  side.name = file;
  side.prediction.grid = grid.with_threads(1);
  side.prediction.threads = grid.threads();
  side.prediction.machine = setup.description.machine_name;
  side.prediction.traces = setup.description.traces;
  side.prediction.assumed = split_words(setup.description.assumed);
  reader.read_rows([&](const store::RowBatch& batch) {
    for (std::size_t i = 0; i < batch.rows.size(); ++i) {
      const store::ResultRow& row = batch.rows[i];
      if (row.grid() != grid || row.status != store::Status::done) {
        continue;
      }
      side.prediction.placement = row.placed();
      side.prediction.intervals.assign(1, {});
      side.prediction.intervals.front().sums = row.characteristics;
      for (std::size_t k = 0; setup.interval_results && k < setup.intervals.size(); ++k) {
        side.prediction.intervals.resize(setup.intervals.size());
        side.prediction.intervals[k].info = setup.intervals[k];
        side.prediction.intervals[k].sums = batch.intervals[i * setup.intervals.size() + k];
      }
    }
  });
  if (side.prediction.intervals.empty()) {
    throw InputError(file, 0, "has no result of the grid " + grid.text(),
                     "expected --grid with a grid that it has");
  }
  return side;
}

report::DifferenceSide written_side(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    throw InputError(file, 0, "cannot be read", "expected a file of gridcast predict --json");
  }
  return {file, report::read_prediction(in, file)};
}

/// Stores know neither what pipelines cost nor, without --intervals, anything of intervals: what
/// one side cannot have is no difference.
void keep_what_both_know(report::DifferenceSide& a, report::DifferenceSide& b) {
  for (report::DifferenceSide* side : {&a, &b}) {
    for (model::IntervalResult& interval : side->prediction.intervals) {
      interval.pipelined = {};
    }
  }
  if (a.prediction.intervals.size() == 1 || b.prediction.intervals.size() == 1) {
    report::limit_depth(a.prediction, 0);
    report::limit_depth(b.prediction, 0);
  }
}

GridKey key_of(const store::ResultRow& row) {
  GridKey key{};
  std::ranges::copy(row.extents, key.begin());
  key.back() = row.threads();
  return key;
}

std::set<GridKey> grids_of(const std::string& file) {
  std::set<GridKey> grids;
  store::StoreReader(file).read_rows([&](const store::RowBatch& batch) {
    for (const store::ResultRow& row : batch.rows) {
      if (row.status == store::Status::done) {
        grids.insert(key_of(row));
      }
    }
  });
  return grids;
}

/// Means over the rows of these grids; `found` are those that were there.
model::IntervalResult means_of(const std::string& file, const std::set<GridKey>& grids,
                               std::set<GridKey>& found) {
  model::IntervalResult means;
  means.sums.efficiency = 0.0;
  store::StoreReader(file).read_rows([&](const store::RowBatch& batch) {
    for (const store::ResultRow& row : batch.rows) {
      if (row.status != store::Status::done || !grids.contains(key_of(row)) ||
          !found.insert(key_of(row)).second) {
        continue;
      }
      for (const model::Figure& figure : model::figures()) {
        means.sums.*figure.value += row.characteristics.*figure.value;
      }
      for (std::size_t kind = 0; kind < model::operation_count; ++kind) {
        for (const model::OperationFigure& figure : model::operation_figures) {
          means.sums.operations[kind].*figure.value +=
              row.characteristics.operations[kind].*figure.value;
        }
      }
    }
  });
  const auto count = static_cast<double>(std::max<std::size_t>(1, found.size()));
  for (const model::Figure& figure : model::figures()) {
    means.sums.*figure.value /= count;
  }
  for (model::OperationTimes& times : means.sums.operations) {
    for (const model::OperationFigure& figure : model::operation_figures) {
      times.*figure.value /= count;
    }
  }
  return means;
}

}  // namespace

bool are_predictions(const std::vector<std::string>& files, const std::vector<std::string>& grids) {
  const auto known = [](const std::string& file) { return is_store(file) || is_prediction(file); };
  const bool two = files.size() == 2 && known(files[0]) && known(files[1]);
  const bool stored = two && (is_store(files[0]) || is_store(files[1]));
  if (!grids.empty() && !stored) {
    throw InputError("--grid without stores",
                     "expected two stores, or a store and a file of gridcast predict --json");
  }
  return two && (!grids.empty() || is_prediction(files[0]) || is_prediction(files[1]));
}

report::Difference compared_predictions(const std::vector<std::string>& files,
                                        const std::vector<std::string>& grids) {
  if (grids.size() > 2) {
    throw InputError("--grid names more than two grids", "expected a grid for each store");
  }
  std::array<std::optional<report::DifferenceSide>, 2> sides;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    if (is_prediction(files[i])) {
      sides[i] = written_side(files[i]);
    }
  }
  const bool stored = !sides[0] || !sides[1];
  for (std::size_t i = 0; i < sides.size(); ++i) {
    if (!sides[i]) {
      const auto& other = sides[1 - i];
      const machine::Grid grid =
          grids.empty() && other
              ? other->prediction.grid
              : chosen_grid(files[i], grids.size() == 2 ? grids[i] : grids.at(0));
      sides[i] = stored_side(files[i], grid);
    }
  }
  if (stored) {
    keep_what_both_know(*sides[0], *sides[1]);
  }
  return report::difference_of(std::move(*sides[0]), std::move(*sides[1]));
}

std::vector<report::FigureDifference> compared_means(const std::vector<std::string>& files) {
  if (files.size() != 2 || !is_store(files[0]) || !is_store(files[1])) {
    return {};
  }
  std::set<GridKey> first;
  std::set<GridKey> second;
  const model::IntervalResult b = means_of(files[1], grids_of(files[0]), second);
  const model::IntervalResult a = means_of(files[0], second, first);
  return report::figure_differences(a, b);
}

}  // namespace gridcast::cli
