/// Text, JSON and pages about variants.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <ostream>

#include "gridcast/base/csv.h"
#include "gridcast/base/json_writer.h"
#include "gridcast/base/readable.h"
#include "gridcast/predict/assumed.h"
#include "gridcast/report/format.h"
#include "gridcast/report/page.h"
#include "gridcast/report/text_table.h"
#include "gridcast/variants/variants_report.h"

namespace gridcast::variants {
namespace {

/// Of the ranking, beside which bars are drawn.
constexpr std::size_t relative_column = 5;

std::string ranking_title(const VariantRanking& ranking) {
  return ranking.processors == 0 ? "each on the grid that suits it best"
                                 : counted(ranking.processors, "processor");
}

std::vector<std::vector<std::string>> ranking_rows(const VariantsReport& report,
                                                   const VariantRanking& ranking) {
  const report::Unit unit = report::seconds_unit(ranking.variants.back().time);
  std::vector<std::vector<std::string>> rows{{"variant", "rank", "grid", "time, " + unit.name,
                                              "spread, " + unit.name, "relative", "efficiency"}};
  for (const RankedVariant& one : ranking.variants) {
    rows.push_back({report.names[one.variant], std::to_string(one.rank), one.grid.text(),
                    unit.text(one.time), one.spread > 0.0 ? unit.text(one.spread) : "",
                    fmt::format("{:.1f} %", 100.0 * one.relative),
                    fmt::format("{:.4f}", one.efficiency)});
  }
  return rows;
}

std::string difference_text(const Difference& one) {
  const std::string seconds = seconds_text(std::abs(one.seconds));
  return fmt::format("{} {} in {} ({})", seconds, one.seconds > 0.0 ? "more" : "less", one.place,
                     one.cause);
}

void ranked_to(JsonWriter& json, const VariantsReport& report, const RankedVariant& one) {
  json.begin_object(Layout::lines);
  json.member("variant", report.names[one.variant]);
  json.member("rank", static_cast<std::int64_t>(one.rank));
  json.member("grid", one.grid.text());
  json.member("expected_time", one.time);
  json.member("spread", one.spread);
  json.member("relative", one.relative);
  json.member("efficiency", one.efficiency);
  json.key("differences");
  json.begin_array(Layout::lines);
  for (const Difference& difference : one.differences) {
    json.begin_object(Layout::line);
    json.member("place", difference.place);
    json.member("cause", difference.cause);
    json.member("seconds", difference.seconds);
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

}  // namespace

std::string variants_text(const VariantsReport& report) {
  std::string text = fmt::format("{} on {}\n", report.file, report.machine);
  for (const VariantRanking& ranking : report.rankings) {
    text += ranking_title(ranking) + "\n" + report::text_table(ranking_rows(report, ranking));
    for (const RankedVariant& one : ranking.variants) {
      for (const Difference& difference : one.differences) {
        text += fmt::format("    {}: {}\n", report.names[one.variant], difference_text(difference));
      }
    }
  }
  return text + fmt::format("to be written: {}\n", report.to_write);
}

void write_variants_json(std::ostream& out, const VariantsReport& report) {
  JsonWriter json(out);
  json.begin_object(Layout::lines);
  json.member("schema", "gridcast.variants/1");
  json.member("source", report.file);
  json.member("machine", report.machine);
  json.key("assumed");
  model::write_assumed(json, {report.assumed});
  json.member("to_write", report.to_write);
  json.key("rankings");
  json.begin_array(Layout::lines);
  for (const VariantRanking& ranking : report.rankings) {
    json.begin_object(Layout::lines);
    json.key("processors");
    if (ranking.processors == 0) {
      json.null();
    } else {
      json.integer(ranking.processors);
    }
    json.key("variants");
    json.begin_array(Layout::lines);
    for (const RankedVariant& one : ranking.variants) {
      ranked_to(json, report, one);
    }
    json.end_array();
    json.end_object();
  }
  json.end_array();
  json.end_object();
  out << '\n';
}

void write_variants_csv(std::ostream& out, const VariantsReport& report) {
  out << "variant,grid,processors,seconds,spread,rank,relative,efficiency\n";
  for (const VariantRanking& ranking : report.rankings) {
    for (const RankedVariant& one : ranking.variants) {
      out << csv_cell(report.names[one.variant]) << ',' << one.grid.text() << ','
          << one.grid.processors() << ',' << exact(one.time) << ',' << exact(one.spread) << ','
          << one.rank << ',' << exact(one.relative) << ',' << exact(one.efficiency) << '\n';
    }
  }
}

report::Plot variants_plot(const VariantsReport& report) {
  constexpr double percent = 100.0;
  report::Plot plot{std::filesystem::path(report.file).filename().string(),
                    {"variant", "relative_percent"},
                    {},
                    {}};
  for (const VariantRanking& ranking : report.rankings) {
    for (const RankedVariant& one : ranking.variants) {
      plot.rows.push_back(
          {ranking.processors == 0
               ? report.names[one.variant] + ", best grid"
               : fmt::format("{} on {}", report.names[one.variant], ranking.processors),
           percent * one.relative});
    }
  }
  report::draw_bars(plot, "time, % of the best variant");
  return plot;
}

void write_variants_html(std::ostream& out, const VariantsReport& report) {
  out << report::page_begin("Variants", false) << "<h1>Variants</h1>\n<p class=\"sub\">"
      << report::escape_html(report.file) << " on " << report::escape_html(report.machine)
      << "</p>\n"
      << report::assumed_html({report.assumed}, {})
      << report::cards({{"To be written", report::escape_html(report.to_write)}});
  for (const VariantRanking& ranking : report.rankings) {
    const double slowest = ranking.variants.back().time;
    out << report::html_table(
        ranking_title(ranking), ranking_rows(report, ranking),
        [&](std::size_t row, std::size_t column) -> std::optional<report::CellBar> {
          return column == relative_column && slowest > 0.0
                     ? std::optional(report::CellBar{ranking.variants[row].time / slowest, {}})
                     : std::nullopt;
        });
    std::string differences;
    for (const RankedVariant& one : ranking.variants) {
      for (const Difference& difference : one.differences) {
        differences += fmt::format(
            "<li>{}</li>\n",
            report::escape_html(report.names[one.variant] + ": " + difference_text(difference)));
      }
    }
    if (!differences.empty()) {
      out << "<section class=\"box\"><h2>Differences to the best, " << ranking_title(ranking)
          << "</h2>\n<ul>\n"
          << differences << "</ul></section>\n";
    }
  }
  out << report::page_end();
}

}  // namespace gridcast::variants
