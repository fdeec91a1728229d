#include "search_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "embedded_data.h"
#include "good_enough.h"
#include "gridcast/base/printable.h"
#include "gridcast/base/readable.h"
#include "gridcast/figures/figures.h"
#include "packing.h"
#include "search_open.h"

namespace gridcast::report {
namespace {

constexpr double step = 1e-3;   // relative, of one level of a time
constexpr double shares = 200;  // levels of a share of the total time
/// Of times further apart than numbers are: sums of levels stay numbers of 32 bits.
constexpr double most_level = 1e8;
/// Grids are counted out if at least one in so many was evaluated.
constexpr std::size_t most_gaps = 3;

/// Extents of a grid, then its threads.
using Extents = std::array<std::int32_t, machine::max_grid_rank + 1>;

Extents extents_of(const machine::Grid& grid) {
  return {grid.extent(0), grid.extent(1), grid.extent(2), grid.extent(3), grid.threads()};
}

/// How many grids of `rank` dimensions have at most so many processors; `limit` if more.
std::size_t grids_within(int rank, std::int64_t processors, std::size_t limit) {
  if (rank == 1) {
    return std::min(limit, static_cast<std::size_t>(processors));
  }
  std::size_t count = 0;
  for (std::int64_t p = 1; p <= processors && count < limit; ++p) {
    count += grids_within(rank - 1, processors / p, limit - count);
  }
  return count;
}

/// The grids of a page in lexicographic order, and which of them were evaluated.
struct Cells {
  int rank = 1;
  std::int64_t processors = 1;             ///< most of a grid
  bool all = true;                         ///< counted out, gaps included
  std::vector<const SearchPoint*> points;  ///< nullptr: not evaluated
  std::vector<std::size_t> rows;           ///< where the last extent begins anew
};

/// Appends the grids of the dimensions from `dim` on; `at` has the extents before.
void count_out(Cells& cells, const std::vector<const SearchPoint*>& sorted, std::size_t& next,
               Extents& at, int dim, std::int64_t left) {
  if (dim + 1 == cells.rank) {
    cells.rows.push_back(cells.points.size());
  }
  for (std::int64_t p = 1; p <= left; ++p) {
    at[static_cast<std::size_t>(dim)] = static_cast<std::int32_t>(p);
    if (dim + 1 < cells.rank) {
      count_out(cells, sorted, next, at, dim + 1, left / p);
      continue;
    }
    const bool here = next < sorted.size() && extents_of(sorted[next]->grid) == at;
    cells.points.push_back(here ? sorted[next] : nullptr);
    next += here ? 1 : 0;
  }
  at[static_cast<std::size_t>(dim)] = 1;
}

Cells cells_of(const SearchReport& report) {
  Cells cells;
  std::vector<const SearchPoint*> sorted;
  sorted.reserve(report.points.size());
  for (const SearchPoint& point : report.points) {
    cells.rank = std::max(cells.rank, point.grid.rank());
    cells.processors = std::max(cells.processors, point.grid.cores());
    sorted.push_back(&point);
  }
  std::sort(sorted.begin(), sorted.end(), [](const SearchPoint* a, const SearchPoint* b) {
    return extents_of(a->grid) < extents_of(b->grid);
  });
  const auto same = [](const SearchPoint* a, const SearchPoint* b) {
    return extents_of(a->grid) == extents_of(b->grid);
  };
  sorted.erase(std::unique(sorted.begin(), sorted.end(), same), sorted.end());
  const std::size_t limit = most_gaps * sorted.size() + 1;
  cells.all = !report.threads && grids_within(cells.rank, cells.processors, limit) < limit;
  if (!cells.all) {
    cells.points = std::move(sorted);
    cells.rows = {0};
    return cells;
  }
  Extents at{1, 1, 1, 1, 1};
  std::size_t next = 0;
  count_out(cells, sorted, next, at, 0, cells.processors);
  return cells;
}

std::int32_t level_of(double value, double least) {
  if (!(value > 0.0) || !(least > 0.0)) {
    return 1;
  }
  const double level = 1.0 + std::round(std::log(value / least) / std::log1p(step));
  return static_cast<std::int32_t>(std::min(level, most_level));
}

double productive_of(const SearchPoint& point) {
  return point.efficiency * point.execution_time * static_cast<double>(point.grid.processors());
}

std::int32_t share_of(const SearchPoint& point, double seconds) {
  const double total = point.execution_time * static_cast<double>(point.grid.processors());
  return total > 0.0 ? static_cast<std::int32_t>(std::clamp(std::round(shares * seconds / total),
                                                            -most_level, most_level))
                     : 0;
}

template <class Value>
Channel channel_by(std::string_view name, const Cells& cells, const Value& value) {
  std::vector<std::int32_t> values(cells.points.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    // Gaps continue what is before them; their time says that they are gaps.
    values[i] = cells.points[i] != nullptr ? value(*cells.points[i])
                : i > 0 && name != "time"  ? values[i - 1]
                                           : 0;
  }
  return channel_of(name, values, cells.rows);
}

std::vector<Channel> channels_of(const Cells& cells, double least, double productive,
                                 bool threads) {
  std::vector<Channel> channels;
  channels.push_back(channel_by("time", cells, [least](const SearchPoint& point) {
    return level_of(point.execution_time, least);
  }));
  channels.push_back(channel_by("productive", cells, [productive](const SearchPoint& point) {
    return productive_of(point) > 0.0 ? level_of(productive_of(point), productive) : 0;
  }));
  channels.push_back(channel_by(
      "empty", cells, [](const SearchPoint& point) { return point.leaves_empty ? 1 : 0; }));
  channels.push_back(channel_by("insufficient_parallelism", cells, [](const SearchPoint& point) {
    return share_of(point, point.insufficient_parallelism);
  }));
  channels.push_back(channel_by("communication", cells, [](const SearchPoint& point) {
    return share_of(point, point.communication);
  }));
  channels.push_back(channel_by(
      "idle", cells, [](const SearchPoint& point) { return share_of(point, point.idle); }));
  for (int dim = 0; dim < cells.rank && !cells.all; ++dim) {
    constexpr std::array<std::string_view, machine::max_grid_rank> names{"p1", "p2", "p3", "p4"};
    channels.push_back(
        channel_by(names[static_cast<std::size_t>(dim)], cells,
                   [dim](const SearchPoint& point) { return point.grid.extent(dim); }));
  }
  if (threads) {
    channels.push_back(channel_by("threads", cells,
                                  [](const SearchPoint& point) { return point.grid.threads(); }));
  }
  return channels;
}

/// The number of a grid in the order of the page, nothing if it is not there.
std::size_t index_of(const Cells& cells, const std::vector<std::size_t>& known,
                     const machine::Grid& grid) {
  const Extents wanted = extents_of(grid);
  const auto at = std::lower_bound(
      known.begin(), known.end(), wanted,
      [&cells](std::size_t i, const auto& to) { return extents_of(cells.points[i]->grid) < to; });
  return at != known.end() && extents_of(cells.points[*at]->grid) == wanted ? *at
                                                                            : cells.points.size();
}

struct Exact {
  std::vector<std::string> names;
  std::size_t count = 0;
  std::vector<std::vector<double>> columns;
};

void append_figures(Exact& exact, const model::Characteristics& sums) {
  std::size_t column = 1;
  const auto add = [&](const std::string& name, double value) {
    if (exact.names.size() <= column) {
      exact.names.push_back(name);
      exact.columns.emplace_back();
    }
    exact.columns[column++].push_back(value);
  };
  for (const model::Figure& figure : model::figures()) {
    add(figure.name, sums.*figure.value);
  }
  for (std::size_t kind = 0; kind < model::operation_count; ++kind) {
    const std::string prefix = std::string(model::operation_names[kind]) + "_";
    add(prefix + "operations", static_cast<double>(sums.operation_counts[kind]));
    for (const model::OperationFigure& figure : model::operation_figures) {
      add(prefix + figure.name, sums.operations[kind].*figure.value);
    }
  }
}

Exact exact_of(const SearchReport& report, const Cells& cells) {
  std::vector<std::size_t> known;
  known.reserve(report.points.size());
  for (std::size_t i = 0; i < cells.points.size(); ++i) {
    if (cells.points[i] != nullptr) {
      known.push_back(i);
    }
  }
  Exact exact{{"index"}, 0, {{}}};
  for (const DetailedPoint& each : report.details) {
    const std::size_t index = index_of(cells, known, each.grid);
    if (index < cells.points.size()) {
      exact.columns.front().push_back(static_cast<double>(index));
      append_figures(exact, each.sums);
      ++exact.count;
    }
  }
  return exact;
}

template <class Items, class Text>
std::string json_list(const Items& items, const Text& text) {
  std::string result;
  for (const auto& item : items) {
    result += (result.empty() ? "" : ",") + text(item);
  }
  return "[" + result + "]";
}

}  // namespace

std::string search_data(const SearchReport& report) {
  const Cells cells = cells_of(report);
  double least = 0.0;
  double productive = 0.0;
  std::int64_t empty = 0;
  for (const SearchPoint& point : report.points) {
    const auto lower = [](double a, double b) { return a == 0.0 || (b > 0.0 && b < a) ? b : a; };
    least = lower(least, point.execution_time);
    productive = lower(productive, productive_of(point));
    empty += point.leaves_empty ? 1 : 0;
  }
  const std::vector<Channel> channels = channels_of(cells, least, productive, report.threads);
  std::vector<unsigned char> values;
  for (const Channel& channel : channels) {
    values.insert(values.end(), channel.planes.begin(), channel.planes.end());
  }
  const Exact exact_figures = exact_of(report, cells);
  const std::string chosen =
      report.answer.best ? grid_numbers(report.answer.best->grid, report.threads) : "null";
  const std::string about = fmt::format(
      "{{\"objective\":{},\"rank\":{},\"threads\":{},"
      "\"processors\":{},\"layout\":\"{}\",\"count\":{},\"evaluated\":{},\"empty\":{},\"step\":{},"
      "\"shares\":{},\"least\":{},\"productive\":{},\"chosen\":{},\"proof\":{},{},\n\"channels\":{}"
      ","
      "\n\"exact\":{{\"count\":{},\"names\":{}}}}}",
      json_quoted(report.objective), cells.rank, report.threads, cells.processors,
      cells.all ? "all" : "listed", cells.points.size(), report.points.size(), empty, exact(step),
      exact(shares), exact(least), exact(productive), chosen, proof_json(report, cells.rank),
      front_members(report),
      json_list(channels,
                [](const Channel& channel) {
                  return fmt::format("{{\"name\":\"{}\",\"bytes\":{},\"predictor\":\"{}\"}}",
                                     channel.name, channel.bytes,
                                     channel.predictor == Predictor::planar ? "planar" : "left");
                }),
      exact_figures.count,
      json_list(exact_figures.names, [](const std::string& name) { return json_quoted(name); }));
  return data_element("search-data", DataKind::json, about) +
         data_element("search-values", DataKind::packed, packed_text(values)) +
         data_element("search-exact", DataKind::packed,
                      packed_text(byte_planes(exact_figures.columns))) +
         open_data(report, cells.rank);
}

}  // namespace gridcast::report
