/// Text, JSON and pages about matching.

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "gridcast/base/json_writer.h"
#include "gridcast/base/readable.h"
#include "gridcast/matching/match.h"
#include "gridcast/predict/assumed.h"
#include "gridcast/report/format.h"
#include "gridcast/report/page.h"
#include "gridcast/report/text_table.h"

namespace gridcast::matching {
namespace {

using MatchRows = std::vector<std::vector<std::string>>;

constexpr std::size_t most_improvements = 3;

/// Columns of the degree, beside which bars are drawn.
constexpr std::size_t machine_degree = 5;
constexpr std::size_t program_degree = 1;

std::string advice(const Match& match) {
  std::string text;
  for (std::size_t i = 0; i < std::min(most_improvements, match.improvements.size()); ++i) {
    const Improvement& one = match.improvements[i];
    if (one.gain >= 5e-4) {
      text += fmt::format("{}{} saves {}", text.empty() ? "" : ", ", one.change,
                          report::per_cent(one.gain));
    }
  }
  return text.empty() ? "nothing helps" : text;
}

/// The unit for the longest of some times.
template <class F>
report::Unit longest_unit(const std::vector<std::size_t>& items, F&& time) {
  double longest = 0.0;
  for (const std::size_t item : items) {
    longest = std::max(longest, time(item));
  }
  return report::seconds_unit(longest);
}

MatchRows machine_rows(const Matching& matching, std::size_t program) {
  const std::vector<std::size_t> order = matching.machines_for(program);
  const report::Unit unit = longest_unit(
      order, [&](std::size_t machine) { return matching.match(program, machine).predicted; });
  MatchRows rows{{"machine", "grid", "estimate, " + unit.name, "predicted, " + unit.name,
                  "binding resource", "degree", "what would help"}};
  for (const std::size_t machine : order) {
    const Match& match = matching.match(program, machine);
    rows.push_back({matching.machines[machine], match.grid.text(), unit.text(match.estimate),
                    unit.text(match.predicted), match.resources.front().resource,
                    fmt::format("{:.3f}", match.degree), advice(match)});
  }
  return rows;
}

MatchRows program_rows(const Matching& matching, std::size_t machine) {
  const std::vector<std::size_t> order = matching.programs_for(machine);
  const report::Unit unit = longest_unit(
      order, [&](std::size_t program) { return matching.match(program, machine).predicted; });
  MatchRows rows{{"program", "degree", "predicted, " + unit.name}};
  for (const std::size_t program : order) {
    const Match& match = matching.match(program, machine);
    rows.push_back({matching.programs[program], fmt::format("{:.3f}", match.degree),
                    unit.text(match.predicted)});
  }
  return rows;
}

MatchRows similarity_rows(const std::vector<std::string>& names,
                          const std::vector<std::vector<double>>& values) {
  MatchRows rows{{"similarity"}};
  rows.front().insert(rows.front().end(), names.begin(), names.end());
  for (std::size_t i = 0; i < names.size(); ++i) {
    rows.push_back({names[i]});
    for (const double value : values[i]) {
      rows.back().push_back(fmt::format("{:.3f}", value));
    }
  }
  return rows;
}

void names_to(JsonWriter& json, const char* key, const std::vector<std::string>& names) {
  json.key(key);
  json.begin_array(Layout::line);
  for (const std::string& name : names) {
    json.string(name);
  }
  json.end_array();
}

void measures_to(JsonWriter& json, const char* key, const std::vector<Measures>& all) {
  json.key(key);
  json.begin_array(Layout::lines);
  for (const Measures& measures : all) {
    json.begin_object(Layout::line);
    for (const auto& [name, value] : measures) {
      json.member(name, value);
    }
    json.end_object();
  }
  json.end_array();
}

void matrix_to(JsonWriter& json, const char* key, const std::vector<std::vector<double>>& matrix) {
  json.key(key);
  json.begin_array(Layout::lines);
  for (const std::vector<double>& row : matrix) {
    json.begin_array(Layout::line);
    for (const double value : row) {
      json.number(value);
    }
    json.end_array();
  }
  json.end_array();
}

void match_to(JsonWriter& json, const Matching& matching, const Match& match) {
  json.begin_object(Layout::lines);
  json.member("program", matching.programs[match.program]);
  json.member("machine", matching.machines[match.machine]);
  json.member("grid", match.grid.text());
  json.member("estimate", match.estimate);
  json.member("predicted", match.predicted);
  json.member("degree", match.degree);
  json.key("resources");
  json.begin_array(Layout::lines);
  for (const ResourceTime& resource : match.resources) {
    json.begin_object(Layout::line);
    json.member("resource", resource.resource);
    json.member("seconds", resource.seconds);
    json.end_object();
  }
  json.end_array();
  json.key("improvements");
  json.begin_array(Layout::lines);
  for (const Improvement& one : match.improvements) {
    json.begin_object(Layout::line);
    json.member("change", one.change);
    json.member("time", one.time);
    json.member("gain", one.gain);
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

}  // namespace

std::string matching_text(const Matching& matching) {
  std::string text;
  for (std::size_t p = 0; p < matching.programs.size(); ++p) {
    text += fmt::format("machines for {}, {}\n", matching.programs[p],
                        counted(matching.processors, "processor")) +
            report::text_table(machine_rows(matching, p));
  }
  if (matching.programs.size() > 1) {
    for (std::size_t m = 0; m < matching.machines.size(); ++m) {
      text += fmt::format("programs for {}\n", matching.machines[m]) +
              report::text_table(program_rows(matching, m));
    }
    text += "programs\n" +
            report::text_table(similarity_rows(matching.programs, matching.program_similarity));
  }
  if (matching.machines.size() > 1) {
    text += "machines\n" +
            report::text_table(similarity_rows(matching.machines, matching.machine_similarity));
  }
  return text + fmt::format("rank correlation of estimates and predictions: {:.3f}\n",
                            matching.rank_correlation);
}

void write_matching_json(std::ostream& out, const Matching& matching) {
  JsonWriter json(out);
  json.begin_object(Layout::lines);
  json.member("schema", "gridcast.match/1");
  json.member("processors", matching.processors);
  names_to(json, "programs", matching.programs);
  names_to(json, "machines", matching.machines);
  json.key("assumed");
  model::write_assumed(json, matching.assumed);
  json.member("rank_correlation", matching.rank_correlation);
  json.key("matches");
  json.begin_array(Layout::lines);
  for (const Match& match : matching.matches) {
    match_to(json, matching, match);
  }
  json.end_array();
  matrix_to(json, "program_similarity", matching.program_similarity);
  matrix_to(json, "machine_similarity", matching.machine_similarity);
  measures_to(json, "program_measures", matching.program_measures);
  measures_to(json, "machine_measures", matching.machine_measures);
  json.end_object();
  out << '\n';
}

report::Plot matching_plot(const Matching& matching) {
  const auto tics = [](const std::vector<std::string>& names) {
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i) {
      text += fmt::format("{}'{}' {}", i == 0 ? "" : ", ", report::gnuplot_text(names[i]), i);
    }
    return text;
  };
  report::Plot plot{"Degree of matching", {"program", "machine", "degree"}, {}, {}};
  for (std::size_t p = 0; p < matching.programs.size(); ++p) {
    for (std::size_t m = 0; m < matching.machines.size(); ++m) {
      plot.rows.push_back(
          {matching.programs[p], matching.machines[m], matching.match(p, m).degree});
    }
  }
  const std::size_t machines = matching.machines.size();
  plot.commands = fmt::format(
      "set xtics ({0})\nset ytics ({1})\nset xrange [-0.5:{2}-0.5]\nset yrange [{3}-0.5:-0.5]\n"
      "set palette defined (0 '#ffffff', 1 '#3b6ea8')\nset cbrange [0:1]\nunset colorbox\nunset "
      "key\n"
      "plot $data using (int($0)%{2}):(int($0)/{2}):(int($0)%{2}-0.48):(int($0)%{2}+0.48):"
      "(int($0)/{2}-0.48):(int($0)/{2}+0.48):3 with boxxyerror fs solid noborder lc palette, "
      "$data using (int($0)%{2}):(int($0)/{2}):(sprintf('%.3f', $3)) with labels\n",
      tics(matching.machines), tics(matching.programs), machines, matching.programs.size());
  return plot;
}

void write_matching_html(std::ostream& out, const Matching& matching) {
  using Bar = std::optional<report::CellBar>;
  const auto similarities = [&out](const char* title, const std::vector<std::string>& names,
                                   const std::vector<std::vector<double>>& values) {
    if (names.size() > 1) {
      out << report::html_table(title, similarity_rows(names, values),
                                [&](std::size_t row, std::size_t column) -> Bar {
                                  return report::CellBar{values[row][column - 1], {}};
                                });
    }
  };
  out << report::page_begin("Matching", false) << "<h1>Programs and machines</h1>\n"
      << report::assumed_html(matching.assumed, matching.programs);
  for (std::size_t p = 0; p < matching.programs.size(); ++p) {
    const std::vector<std::size_t> order = matching.machines_for(p);
    out << report::html_table("Machines for " + matching.programs[p], machine_rows(matching, p),
                              [&](std::size_t row, std::size_t column) -> Bar {
                                return column == machine_degree
                                           ? Bar({matching.match(p, order[row]).degree, {}})
                                           : std::nullopt;
                              });
  }
  for (std::size_t m = 0; m < matching.machines.size() && matching.programs.size() > 1; ++m) {
    const std::vector<std::size_t> order = matching.programs_for(m);
    out << report::html_table("Programs for " + matching.machines[m], program_rows(matching, m),
                              [&](std::size_t row, std::size_t column) -> Bar {
                                return column == program_degree
                                           ? Bar({matching.match(order[row], m).degree, {}})
                                           : std::nullopt;
                              });
  }
  similarities("Similarity of programs", matching.programs, matching.program_similarity);
  similarities("Similarity of machines", matching.machines, matching.machine_similarity);
  out << report::page_end();
}

}  // namespace gridcast::matching
