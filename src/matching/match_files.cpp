/// Text, JSON and pages about matching.

#include <fmt/format.h>

#include <ostream>

#include "gridcast/base/json_writer.h"
#include "gridcast/base/readable.h"
#include "gridcast/matching/match.h"
#include "gridcast/predict/assumed.h"
#include "gridcast/report/format.h"
#include "gridcast/report/page.h"
#include "gridcast/report/svg.h"
#include "gridcast/report/text_table.h"

namespace gridcast::matching {
namespace {

using MatchRows = std::vector<std::vector<std::string>>;

constexpr std::size_t most_improvements = 3;

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

MatchRows machine_rows(const Matching& matching, std::size_t program) {
  MatchRows rows{{"machine", "grid", "estimate", "predicted", "binding resource", "degree",
                  "what would help"}};
  for (const std::size_t machine : matching.machines_for(program)) {
    const Match& match = matching.match(program, machine);
    rows.push_back({matching.machines[machine], match.grid.text(), seconds_text(match.estimate),
                    seconds_text(match.predicted), match.resources.front().resource,
                    fmt::format("{:.3f}", match.degree), advice(match)});
  }
  return rows;
}

MatchRows program_rows(const Matching& matching, std::size_t machine) {
  MatchRows rows{{"program", "degree", "predicted"}};
  for (const std::size_t program : matching.programs_for(machine)) {
    const Match& match = matching.match(program, machine);
    rows.push_back({matching.programs[program], fmt::format("{:.3f}", match.degree),
                    seconds_text(match.predicted)});
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

std::string matching_picture(const Matching& matching) {
  std::vector<std::vector<double>> degrees;
  for (std::size_t p = 0; p < matching.programs.size(); ++p) {
    degrees.emplace_back();
    for (std::size_t m = 0; m < matching.machines.size(); ++m) {
      degrees.back().push_back(matching.match(p, m).degree);
    }
  }
  return report::matrix_picture("Degree of matching", matching.programs, matching.machines,
                                degrees);
}

void write_matching_html(std::ostream& out, const Matching& matching) {
  out << report::page_begin("Matching", false) << "<h1>Programs and machines</h1>\n"
      << report::assumed_html(matching.assumed, matching.programs) << matching_picture(matching);
  for (std::size_t p = 0; p < matching.programs.size(); ++p) {
    out << "<h2>Machines for " << report::escape_html(matching.programs[p]) << "</h2>\n"
        << report::html_table(machine_rows(matching, p));
  }
  for (std::size_t m = 0; m < matching.machines.size() && matching.programs.size() > 1; ++m) {
    out << "<h2>Programs for " << report::escape_html(matching.machines[m]) << "</h2>\n"
        << report::html_table(program_rows(matching, m));
  }
  out << "<h2>Similarity of programs</h2>\n"
      << report::html_table(similarity_rows(matching.programs, matching.program_similarity))
      << "<h2>Similarity of machines</h2>\n"
      << report::html_table(similarity_rows(matching.machines, matching.machine_similarity))
      << report::page_end();
}

}  // namespace gridcast::matching
