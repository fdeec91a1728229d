#include "plot_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <span>

#include "gridcast/base/error.h"
#include "gridcast/design/factors.h"
#include "gridcast/evaluate/results.h"
#include "gridcast/report/prediction_file.h"
#include "gridcast/report/text_table.h"
#include "gridcast/report/trace_files.h"
#include "gridcast/store/run_columns.h"
#include "stored_search.h"

namespace gridcast::cli {
namespace {

using report::Plot;
using Rows = std::vector<store::ResultRow>;

constexpr double percent = 100.0;
/// Bars that a chart of losses has at most.
constexpr std::size_t most_bars = 10;
/// Of the lines of a time line, beside which they are legible.
constexpr std::size_t most_labels = 40;

/// A search with the rows that have a result.
struct PlottedSearch {
  StoredSearch search;
  Rows rows;
};

PlottedSearch read_plotted(const std::string& store) {
  PlottedSearch read;
  read.search = read_search(store, [&](const store::ResultRow& row, std::span<const double>) {
    // A logarithmic scale has no zero.
    if (row.status == store::Status::done && row.characteristics.execution_time > 0.0) {
      read.rows.push_back(row);
    }
  });
  if (store::has_inputs(read.search.store.setup)) {
    throw InputError(store, 0, "has rows of several variants or runs",
                     "expected the store of one sweep; --kind factors takes data sets");
  }
  if (read.rows.empty()) {
    throw InputError(store, 0, "has no grid with a result", "wait until the sweep has some");
  }
  return read;
}

std::string title_of(const StoredSearch& search, const std::string& what) {
  const store::RunDescription& about = search.store.setup.description;
  std::vector<std::string> names;
  for (const std::string& trace : about.traces) {
    names.push_back(std::filesystem::path(trace).filename().string());
  }
  return fmt::format("{}: {} on {}", what, fmt::join(names, ", "), about.machine_name);
}

double time_of(const store::ResultRow& row) { return row.characteristics.execution_time; }

/// How times of a plot are drawn: the unit, and five tics on a logarithmic scale.
struct TimeScale {
  report::Unit unit;
  std::string tics;
  std::string range;  ///< a little more than what is drawn
};

TimeScale scale_of(const Plot& plot, std::size_t column) {
  const auto time_in = [column](const auto& row) { return std::get<double>(row[column]); };
  const auto [first, last] = std::ranges::minmax(plot.rows, {}, time_in);
  TimeScale scale{report::seconds_unit(time_in(last)), {}, {}};
  const double least = scale.unit.per * time_in(first);
  const double most = scale.unit.per * time_in(last);
  constexpr int steps = 4;
  for (int i = 0; i <= steps; ++i) {
    const double time = least * std::pow(most / least, static_cast<double>(i) / steps);
    scale.tics += fmt::format("{}'{:.3g}' {}", i == 0 ? "(" : ", ", time, time);
  }
  scale.tics += ')';
  scale.range = fmt::format("[{}:{}]", 0.8 * least, 1.25 * most);
  return scale;
}

/// The row with the shortest time for each key.
template <class Key>
auto fastest_by(const Rows& rows, const Key& key) {
  std::map<decltype(key(rows.front())), const store::ResultRow*> fastest;
  for (const store::ResultRow& row : rows) {
    const auto [at, is_new] = fastest.try_emplace(key(row), &row);
    if (!is_new && time_of(row) < time_of(*at->second)) {
      at->second = &row;
    }
  }
  return fastest;
}

}  // namespace

Plot plot_front(const std::string& store) {
  const StoredSearch search = read_plotted(store).search;
  Plot plot{title_of(search, "Fewest processors and nodes"),
            {"within_percent", "processors", "nodes", "grid_by_processors", "grid_by_nodes"},
            {},
            "set xlabel 'slower than the fastest grid by at most, %'\nset ylabel 'fewest'\n"
            "set logscale y 2\nset offsets 0.4,0.4,0,0\nset yrange [*:*]\nset xtics\n"
            "plot $data using 0:2:xtic(stringcolumn(1)) with linespoints pt 7 lw 2 "
            "lc rgb '#3b6ea8' title 'processors', "
            "$data using 0:2:(sprintf('%d: %s', $2, stringcolumn(4))) with labels offset 0,0.9 "
            "notitle, $data using 0:3 with linespoints pt 5 lw 2 lc rgb '#c05020' title 'nodes', "
            "$data using 0:3:(sprintf('%d', $3)) with labels offset 0,0.9 notitle\n"};
  for (const search::FrontEntry& entry : search.front) {
    const std::string grid = entry.outcome.grid.text();
    if (!entry.by_nodes) {
      plot.rows.push_back({percent * entry.within, static_cast<double>(entry.outcome.grid.cores()),
                           std::string(), grid, std::string()});
    } else if (!plot.rows.empty()) {
      plot.rows.back()[2] = static_cast<double>(entry.nodes);
      plot.rows.back()[4] = grid;
    }
  }
  if (plot.rows.empty()) {
    throw InputError(store, 0, "has no front", "expected a sweep without --front=none");
  }
  return plot;
}

Plot plot_map(const std::string& store) {
  const PlottedSearch read = read_plotted(store);
  const auto cells = fastest_by(
      read.rows, [](const auto& row) { return std::pair(row.extents[0], row.extents[1]); });
  const bool more = std::ranges::any_of(read.rows, [](const auto& row) { return row.rank > 2; });
  Plot plot{title_of(read.search, more ? "Fastest grid of each P1 and P2" : "Time of each grid"),
            {"p1", "p2", "execution_time", "grid"},
            {},
            {}};
  for (const auto& [at, row] : cells) {
    plot.rows.push_back({static_cast<double>(at.first), static_cast<double>(at.second),
                         time_of(*row), row->grid().text()});
  }
  const TimeScale scale = scale_of(plot, 2);
  plot.commands = fmt::format(
      "set xlabel 'P1'\nset ylabel 'P2'\nset cblabel 'execution time, {} (log scale)' offset 2\n"
      "set logscale x 2\nset logscale y 2\nset logscale cb\nset cbtics {}\nset xrange [0.7:*]\n"
      "set yrange [0.7:*]\nset palette defined (0 '#fde725', 1 '#5ec962', 2 '#21918c', "
      "3 '#3b528b', 4 '#440154')\nplot $data using 1:2:($1>1?$1-0.5:0.7):($1+0.5):"
      "($2>1?$2-0.5:0.7):($2+0.5):($3*{}) with boxxyerror fs solid noborder lc palette notitle",
      scale.unit.name, scale.tics, scale.unit.per);
  if (const std::optional<store::ResultRow>& best = read.search.best) {
    plot.commands += fmt::format(
        ", '+' using ({}):({}) every ::::0 with points pt 6 ps 1.5 lw 2 lc rgb '#d02020' "
        "title 'best: {}'",
        best->extents[0], best->extents[1], best->grid().text());
  }
  plot.commands += '\n';
  return plot;
}

Plot plot_scaling(const std::string& store) {
  const PlottedSearch read = read_plotted(store);
  Plot plot{title_of(read.search, "Fastest grid of each number of processors"),
            {"processors", "execution_time", "efficiency", "grid"},
            {},
            {}};
  for (const auto& [processors, row] :
       fastest_by(read.rows, [](const auto& each) { return each.grid().cores(); })) {
    plot.rows.push_back({static_cast<double>(processors), time_of(*row),
                         row->characteristics.efficiency, row->grid().text()});
  }
  const TimeScale scale = scale_of(plot, 1);
  const double first = std::get<double>(plot.rows.front()[0]);
  const double time = std::get<double>(plot.rows.front()[1]);
  plot.commands = fmt::format(
      "set xlabel 'processors'\nset ylabel 'execution time, {} (log scale)'\n"
      "set y2label 'efficiency'\nset border 11\nset logscale x 2\nset logscale y\nset ytics "
      "{}\nset yrange {}\nset y2tics\n"
      "set y2range [0:1.05]\nplot $data using 1:($2*{}) with points pt 7 ps 0.5 "
      "lc rgb '#3b6ea8' title 'time', $data using 1:({}/$1) with lines dt 2 lc rgb '#888888' "
      "title 'ideal', $data using 1:3 axes x1y2 with points pt 4 ps 0.4 lc rgb '#c05020' "
      "title 'efficiency'\n",
      scale.unit.name, scale.tics, scale.range, scale.unit.per, first * time * scale.unit.per);
  return plot;
}

namespace {

/// The ten best grids: what their processors' time is spent on.
Plot losses_of_store(const std::string& store) {
  PlottedSearch read = read_plotted(store);
  const search::Goal goal = goal_of(read.search.store.setup);
  const auto better = [&goal](const store::ResultRow& a, const store::ResultRow& b) {
    return search::is_better(goal, sweep::outcome_of(a), sweep::outcome_of(b));
  };
  std::erase_if(read.rows, [&](const store::ResultRow& row) {
    return !search::is_eligible(goal, sweep::outcome_of(row));
  });
  const std::size_t shown = std::min(most_bars, read.rows.size());
  std::partial_sort(read.rows.begin(), read.rows.begin() + static_cast<std::ptrdiff_t>(shown),
                    read.rows.end(), better);
  Plot plot{title_of(read.search, "Lost time of the best grids"),
            {"grid", "insufficient_parallelism", "communication", "idle"},
            {},
            "set ylabel 'lost time, % of the time of all processors'\nset xlabel 'grid'\n"
            "set style data histograms\nset style histogram rowstacked\nset boxwidth 0.7\n"
            "set style fill solid\nset yrange [0:*]\n"
            "plot $data using 2:xtic(1) lc rgb '#7a5195' title 'insufficient parallelism', "
            "$data using 3 lc rgb '#3b6ea8' title 'communication', "
            "$data using 4 lc rgb '#ffa600' title 'idle'\n"};
  for (const store::ResultRow& row : std::span(read.rows).first(shown)) {
    const model::Characteristics& sums = row.characteristics;
    const auto share = [&](double seconds) {
      return sums.total_time > 0.0 ? percent * seconds / sums.total_time : 0.0;
    };
    plot.rows.push_back({row.grid().text(), share(sums.insufficient_parallelism),
                         share(sums.communication), share(sums.idle)});
  }
  return plot;
}

std::ifstream opened(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    throw InputError(file, 0, "cannot be opened", "check the path");
  }
  return in;
}

/// The largest losses by place and cause, and the rest.
Plot losses_of_prediction(std::istream& in, const std::string& file) {
  const model::Prediction prediction = report::read_prediction(in, file);
  if (!prediction.losses || prediction.losses->losses.empty()) {
    throw InputError(file, 0, "has no losses",
                     "expected gridcast predict --json F --losses=always");
  }
  const std::vector<model::Loss>& losses = prediction.losses->losses;
  Plot plot{fmt::format("Lost time: {} on {}", prediction.grid.text(), prediction.machine),
            {"place", "seconds"},
            {},
            {}};
  double rest = 0.0;
  for (const model::Loss& loss : losses) {
    if (plot.rows.size() == most_bars) {
      rest += loss.seconds;
      continue;
    }
    std::string cause = model::name(loss.cause);
    std::ranges::replace(cause, '_', ' ');
    plot.rows.push_back(
        {fmt::format("{}:{} {}", std::filesystem::path(loss.file).filename().string(), loss.line,
                     cause),
         loss.seconds});
  }
  if (losses.size() > most_bars) {
    plot.rows.push_back({fmt::format("{} others", losses.size() - most_bars), rest});
  }
  const report::Unit unit = report::seconds_unit(losses.front().seconds);
  report::draw_bars(plot, fmt::format("lost time of all processors, {}", unit.name), unit.per);
  return plot;
}

}  // namespace

Plot plot_losses(const std::string& file) {
  std::ifstream in = opened(file);
  return (in >> std::ws).peek() == '{' ? losses_of_prediction(in, file) : losses_of_store(file);
}

Plot plot_factors(const std::string& file) {
  const auto table = design::open_table(file);
  design::Question question;
  question.cases = table->roles().cases;
  return design::factors_plot(
      design::analyse_factors(*table, question, design::FactorMethod::automatic, {}));
}

Plot plot_timeline(const std::string& file) {
  std::ifstream in = opened(file);
  Plot plot{"Predicted run", {"track", "doing", "begin", "end", "row"}, {}, {}};
  std::map<std::string, std::size_t> tracks;
  std::string labels;
  double end = 0.0;
  for (const report::TrackPhase& phase : report::read_phases(in, file)) {
    const auto [track, is_new] = tracks.try_emplace(phase.track, tracks.size());
    if (is_new) {
      labels += fmt::format("{}'{}' {}", labels.empty() ? "" : ", ",
                            report::gnuplot_text(phase.track), track->second);
    }
    plot.rows.push_back(
        {phase.track, phase.doing, phase.begin, phase.end, static_cast<double>(track->second)});
    end = std::max(end, phase.end);
  }
  const report::Unit unit = report::seconds_unit(end);
  plot.commands =
      fmt::format("set xlabel 'time, {}'\nset xrange [0:{}]\nset yrange [{}:-0.5]\n{}\nplot ",
                  unit.name, end * unit.per, static_cast<double>(tracks.size()) - 0.5,
                  tracks.size() > most_labels ? "unset ytics" : "set ytics (" + labels + ")");
  constexpr std::array colours{"#2f7d4f", "#8a8f3c", "#7a5195", "#3b6ea8",
                               "#5fb3c8", "#ffa600", "#d9d9d9"};
  static_assert(colours.size() == model::doing_count);
  for (std::size_t i = 0; i < colours.size(); ++i) {
    const char* name = model::name(static_cast<model::Doing>(i));
    plot.commands += fmt::format(
        "{0}$data using (stringcolumn(2) eq '{2}' ? 0 : NaN):5:($3*{1}):($4*{1}):($5-0.4):($5+0.4) "
        "with boxxyerror fs solid noborder lc rgb '{3}' title '{2}'",
        i == 0 ? "" : ", ", unit.per, name, colours[i]);
  }
  plot.commands += '\n';
  return plot;
}

}  // namespace gridcast::cli
