/// Text and JSON about nets.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <ostream>

#include "gridcast/base/json_writer.h"
#include "gridcast/nets/program_net.h"
#include "gridcast/report/text_table.h"

namespace gridcast::nets {
namespace {

/// Rows of a table for people; JSON has all.
constexpr std::size_t most_net_rows = 40;

/// Numbers of the transitions by falling share of time in which they are enabled.
std::vector<std::size_t> busiest(const NetAnalysis& analysis) {
  std::vector<std::size_t> order(analysis.net.transitions.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return analysis.steady.enabled[a] > analysis.steady.enabled[b];
  });
  order.resize(std::min(order.size(), most_net_rows));
  return order;
}

}  // namespace

std::string net_text(const NetAnalysis& analysis) {
  const Net& net = analysis.net;
  const SteadyState& steady = analysis.steady;
  std::vector<std::vector<std::string>> transitions{
      {"transition", "rate", "enabled", "per second"}};
  for (const std::size_t t : busiest(analysis)) {
    transitions.push_back({net.transitions[t].name, report::short_number(net.transitions[t].rate),
                           report::per_cent(steady.enabled[t]),
                           report::short_number(steady.throughput[t])});
  }
  std::vector<std::vector<std::string>> places{{"place", "tokens", "mean tokens"}};
  for (std::size_t p = 0; p < std::min(net.places.size(), most_net_rows); ++p) {
    places.push_back({net.places[p].name, std::to_string(net.places[p].tokens),
                      report::short_number(steady.mean_tokens[p])});
  }
  return fmt::format("{}: {} places, {} transitions, {} reachable markings\n", net.name,
                     net.places.size(), net.transitions.size(),
                     analysis.reachable.markings.size()) +
         fmt::format("concurrency: mean {:.4g}, maximum {}\n", steady.mean_concurrency,
                     steady.most_concurrency) +
         report::text_table(transitions) + report::text_table(places);
}

void write_net_json(std::ostream& out, const NetAnalysis& analysis) {
  JsonWriter json(out);
  json.begin_object(Layout::lines);
  json.member("schema", "gridcast.net/1");
  json.member("net", analysis.net.name);
  json.member("reachable_markings", static_cast<std::int64_t>(analysis.reachable.markings.size()));
  json.member("mean_concurrency", analysis.steady.mean_concurrency);
  json.member("max_concurrency", static_cast<std::int64_t>(analysis.steady.most_concurrency));
  json.key("places");
  json.begin_array(Layout::lines);
  for (std::size_t p = 0; p < analysis.net.places.size(); ++p) {
    json.begin_object(Layout::line);
    json.member("name", analysis.net.places[p].name);
    json.member("tokens", analysis.net.places[p].tokens);
    json.member("mean_tokens", analysis.steady.mean_tokens[p]);
    json.end_object();
  }
  json.end_array();
  json.key("transitions");
  json.begin_array(Layout::lines);
  for (std::size_t t = 0; t < analysis.net.transitions.size(); ++t) {
    json.begin_object(Layout::line);
    json.member("name", analysis.net.transitions[t].name);
    json.member("rate", analysis.net.transitions[t].rate);
    json.member("enabled", analysis.steady.enabled[t]);
    json.member("throughput", analysis.steady.throughput[t]);
    json.end_object();
  }
  json.end_array();
  json.key("markings");
  json.begin_array(Layout::lines);
  for (std::size_t i = 0; i < analysis.reachable.markings.size(); ++i) {
    json.begin_object(Layout::line);
    json.key("tokens");
    json.begin_array(Layout::line);
    for (const std::int32_t tokens : analysis.reachable.markings[i]) {
      json.integer(tokens);
    }
    json.end_array();
    json.member("probability", analysis.steady.probabilities[i]);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  out << '\n';
}

report::Plot net_plot(const NetAnalysis& analysis) {
  constexpr double percent = 100.0;
  report::Plot plot{std::filesystem::path(analysis.net.name).filename().string(),
                    {"transition", "enabled_percent"},
                    {},
                    {}};
  for (const std::size_t t : busiest(analysis)) {
    plot.rows.push_back({analysis.net.transitions[t].name, percent * analysis.steady.enabled[t]});
  }
  report::draw_bars(plot, "transition enabled, % of the time");
  return plot;
}

}  // namespace gridcast::nets
