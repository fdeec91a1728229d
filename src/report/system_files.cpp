#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "gridcast/base/json_writer.h"
#include "gridcast/base/readable.h"
#include "gridcast/predict/assumed.h"
#include "gridcast/report/format.h"
#include "gridcast/report/page.h"
#include "gridcast/report/scatter.h"
#include "gridcast/report/system.h"
#include "gridcast/report/text_table.h"

namespace gridcast::report {
namespace {

using TableRows = std::vector<std::vector<std::string>>;

TableRows summary_rows(const model::SystemAnalysis& system) {
  return {
      {"figure", "value"},
      {"execution time", seconds_text(system.execution_time)},
      {"mean concurrency", fmt::format("{:.4g}", system.mean_concurrency)},
      {"maximum concurrency", fmt::format("{:.4g}", system.max_concurrency)},
      {"utilisation of processors", per_cent(system.processor_utilisation)},
      {"balance (mean work / most work)", fmt::format("{:.4f}", system.balance)},
      {"communication to computation", fmt::format("{:.4f}", system.communication_to_computation)},
      {"communication hidden by work", per_cent(system.overlap_degree)}};
}

/// The largest value of a member.
template <class Item>
double largest(const std::vector<Item>& items, double Item::*member) {
  double most = 0.0;
  for (const Item& item : items) {
    most = std::max(most, item.*member);
  }
  return most;
}

TableRows operation_rows(const model::SystemAnalysis& system) {
  const Unit time = seconds_unit(largest(system.operations, &model::OperationUse::communication));
  TableRows rows{{"operation", "number", "per second", "communication, " + time.name,
                  "overlap, " + time.name}};
  for (const model::OperationUse& use : system.operations) {
    rows.push_back({use.kind, grouped(use.count), short_number(use.frequency, 4),
                    time.text(use.communication), time.text(use.overlap)});
  }
  return rows;
}

TableRows level_rows(const model::SystemAnalysis& system) {
  const Unit bytes = bytes_unit(largest(system.levels, &model::LevelUse::bytes));
  const Unit rate = bytes_unit(largest(system.levels, &model::LevelUse::throughput));
  TableRows rows{{"level", "networks", "messages", bytes.name, rate.name + " per second", "medium",
                  "utilisation", "busiest network"}};
  for (const model::LevelUse& use : system.levels) {
    rows.push_back({std::to_string(use.level), grouped(use.networks), short_number(use.messages, 6),
                    bytes.text(use.bytes), rate.text(use.throughput), use.medium,
                    per_cent(use.utilisation), per_cent(use.most_utilisation)});
  }
  return rows;
}

TableRows pair_rows(const model::SystemAnalysis& system) {
  const Unit bytes = bytes_unit(largest(system.pairs, &model::PairUse::bytes));
  const Unit rate = bytes_unit(largest(system.pairs, &model::PairUse::throughput));
  TableRows rows{{"pair", "level", "messages", bytes.name, rate.name + " per second"}};
  for (const model::PairUse& use : system.pairs) {
    rows.push_back({fmt::format("{}–{}", use.first, use.second), std::to_string(use.level),
                    short_number(use.messages, 6), bytes.text(use.bytes),
                    rate.text(use.throughput)});
  }
  return rows;
}

std::string concurrency_note(const model::SystemAnalysis& system) {
  return system.every_call
             ? std::string("concurrency call by call")
             : fmt::format(
                   "concurrency between {} points of the program, where work is taken for "
                   "evenly spread",
                   system.samples);
}

void summary_to(JsonWriter& json, const model::SystemAnalysis& system) {
  json.member("execution_time", system.execution_time);
  json.member("total_time", system.total_time);
  json.member("busy_time", system.busy_time);
  json.member("communication", system.communication);
  json.member("idle", system.idle);
  json.member("overlap", system.overlap);
  json.member("mean_concurrency", system.mean_concurrency);
  json.member("max_concurrency", system.max_concurrency);
  json.member("processor_utilisation", system.processor_utilisation);
  json.member("balance", system.balance);
  json.member("least_busy", system.least_busy);
  json.member("most_busy", system.most_busy);
  json.member("communication_to_computation", system.communication_to_computation);
  json.member("overlap_degree", system.overlap_degree);
}

void operations_to(JsonWriter& json, const model::SystemAnalysis& system) {
  json.key("operations");
  json.begin_array(Layout::lines);
  for (const model::OperationUse& use : system.operations) {
    json.begin_object(Layout::line);
    json.member("kind", use.kind);
    json.member("count", use.count);
    json.member("frequency", use.frequency);
    json.member("communication", use.communication);
    json.member("overlap", use.overlap);
    json.end_object();
  }
  json.end_array();
}

void levels_to(JsonWriter& json, const model::SystemAnalysis& system) {
  json.key("levels");
  json.begin_array(Layout::lines);
  for (const model::LevelUse& use : system.levels) {
    json.begin_object(Layout::line);
    json.member("level", use.level);
    json.member("networks", use.networks);
    json.member("medium", use.medium);
    json.member("messages", use.messages);
    json.member("bytes", use.bytes);
    json.member("throughput", use.throughput);
    json.member("utilisation", use.utilisation);
    json.member("most_utilisation", use.most_utilisation);
    json.end_object();
  }
  json.end_array();
  json.key("pairs");
  json.begin_array(Layout::lines);
  for (const model::PairUse& use : system.pairs) {
    json.begin_object(Layout::line);
    json.key("processors");
    json.begin_array(Layout::line);
    json.integer(use.first);
    json.integer(use.second);
    json.end_array();
    json.member("level", use.level);
    json.member("messages", use.messages);
    json.member("bytes", use.bytes);
    json.member("throughput", use.throughput);
    json.end_object();
  }
  json.end_array();
}

}  // namespace

std::string system_text(const model::SystemAnalysis& system) {
  return fmt::format("{} on {} of {}\n", system.trace, system.grid, system.machine) +
         text_table(summary_rows(system)) + text_table(operation_rows(system)) +
         text_table(level_rows(system)) + text_table(pair_rows(system)) +
         "note: " + concurrency_note(system) + "\n";
}

void write_system_json(std::ostream& out, const model::SystemAnalysis& system) {
  JsonWriter json(out);
  json.begin_object(Layout::lines);
  json.member("schema", "gridcast.system/1");
  json.member("trace", system.trace);
  json.member("machine", system.machine);
  json.member("grid", system.grid);
  json.member("processors", system.processors);
  json.key("assumed");
  model::write_assumed(json, {system.assumed});
  summary_to(json, system);
  operations_to(json, system);
  levels_to(json, system);
  json.member("samples", static_cast<std::int64_t>(system.samples));
  json.member("every_call", system.every_call);
  json.key("concurrency");
  json.begin_array(Layout::line);
  for (const auto& [time, value] : system.concurrency) {
    json.begin_array(Layout::line);
    json.number(time);
    json.number(value);
    json.end_array();
  }
  json.end_array();
  json.end_object();
  out << '\n';
}

Plot system_plot(const model::SystemAnalysis& system) {
  Plot plot{fmt::format("Processors at work, {} of {}", system.grid, system.machine),
            {"time", "processors"},
            {},
            {}};
  for (const auto& [time, processors] : system.concurrency) {
    plot.rows.push_back({time, processors});
  }
  if (!plot.rows.empty()) {
    plot.rows.push_back({system.execution_time, plot.rows.back()[1]});
  }
  const Unit unit = seconds_unit(system.execution_time);
  plot.commands = fmt::format(
      "set xlabel 'time, {0}'\nset ylabel 'processors'\nset xrange [0:*]\nset yrange [0:*]\n"
      "set samples 2\nplot $data using ($1*{1}):2 with steps lw 1.5 lc rgb '#3b6ea8' title 'at "
      "work', "
      "{2} with lines dt 2 lc rgb '#888888' title 'mean'\n",
      unit.name, unit.per, system.mean_concurrency);
  return plot;
}

namespace {

std::string concurrency_figure(const model::SystemAnalysis& system) {
  Scatter chart;
  chart.description = "Processors at work over time";
  chart.x_title = "time";
  chart.y_title = "processors at work; dashed: their mean";
  chart.x_text = seconds_text;
  chart.linear = true;
  ScatterLine working;
  for (const auto& [time, processors] : system.concurrency) {
    if (!working.points.empty()) {
      working.points.push_back({time, working.points.back().y, {}});
    }
    working.points.push_back({time, processors, {}});
  }
  if (!working.points.empty()) {
    working.points.push_back({system.execution_time, working.points.back().y, {}});
  }
  chart.lines = {
      working,
      {{{0.0, system.mean_concurrency, {}}, {system.execution_time, system.mean_concurrency, {}}},
       "ideal"}};
  return fmt::format(
      "<figure class=\"box\"><figcaption>Concurrency</figcaption>{}<p class=\"mute\">{}</p>"
      "</figure>\n",
      scatter_svg(chart), concurrency_note(system));
}

}  // namespace

void write_system_html(std::ostream& out, const model::SystemAnalysis& system) {
  out << page_begin("Parallel system", false) << "<h1>The parallel system</h1>\n"
      << "<p class=\"sub\">"
      << escape_html(fmt::format("{} on {} of {}", system.trace, system.grid, system.machine))
      << "</p>\n"
      << assumed_html({system.assumed}, {}) << "<div class=\"charts\">"
      << concurrency_figure(system) << html_table("Figures", summary_rows(system)) << "</div>\n"
      << html_table("Operations", operation_rows(system))
      << html_table("Networks by level", level_rows(system))
      << html_table("Pairs with the most bytes", pair_rows(system)) << page_end();
}

}  // namespace gridcast::report
