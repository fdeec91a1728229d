/// JSON and pages about factors.

#include <fmt/format.h>

#include <ostream>

#include "factors_tables.h"
#include "gridcast/base/json_writer.h"
#include "gridcast/base/readable.h"
#include "gridcast/report/format.h"
#include "gridcast/report/page.h"
#include "gridcast/report/text_table.h"

namespace gridcast::design {
namespace {

/// Of the tables, beside which bars are drawn.
constexpr std::size_t influence_column = 5;
constexpr std::size_t first_column = 2;
constexpr std::size_t total_column = 3;

void numbers_to(JsonWriter& json, const std::vector<double>& values) {
  json.begin_array(Layout::line);
  for (const double value : values) {
    json.number(value);
  }
  json.end_array();
}

void names_to(JsonWriter& json, const std::vector<std::string>& names) {
  json.begin_array(Layout::line);
  for (const std::string& name : names) {
    json.string(name);
  }
  json.end_array();
}

void estimate_to(JsonWriter& json, const char* name, const Estimate& estimate) {
  json.member(name, estimate.value);
  json.key(fmt::format("{}_interval", name));
  numbers_to(json, {estimate.low, estimate.high});
}

void components_to(JsonWriter& json, const Components& components) {
  json.begin_object(Layout::lines);
  json.key("variables");
  names_to(json, components.variables);
  json.member("observations", components.observations);
  json.key("eigenvalues");
  numbers_to(json, components.eigenvalues);
  json.key("cumulative");
  numbers_to(json, components.cumulative);
  json.key("loadings");
  json.begin_array(Layout::lines);
  for (const std::vector<double>& loading : components.loadings) {
    numbers_to(json, loading);
  }
  json.end_array();
  json.end_object();
}

/// The values of a case under their names.
void case_to(JsonWriter& json, const Question& question, const std::vector<double>& values) {
  json.key("case");
  json.begin_object(Layout::line);
  for (std::size_t i = 0; i < values.size(); ++i) {
    json.member(question.cases[i], values[i]);
  }
  json.end_object();
}

void effect_to(JsonWriter& json, const Effect& effect) {
  json.begin_object(Layout::line);
  json.member("factor", effect.factor);
  json.member("rank", effect.rank);
  json.member("effect", effect.effect);
  json.member("influence", effect.influence);
  json.member("cumulative", effect.cumulative);
  json.member("key", effect.key);
  json.member("low", effect.low);
  json.member("high", effect.high);
  json.member("rank_sum", effect.rank_sum);
  json.end_object();
}

void case_effects_to(JsonWriter& json, const Effects& effects, const CaseEffects& one) {
  json.begin_object(Layout::line);
  case_to(json, effects.question, one.values);
  json.member("runs", one.runs);
  json.member("mean", one.mean);
  json.key("effects");
  json.begin_object(Layout::line);
  for (std::size_t i = 0; i < one.effects.size(); ++i) {
    json.member(effects.question.factors[i], one.effects[i]);
  }
  json.end_object();
  json.end_object();
}

void effects_to(JsonWriter& json, const Effects& effects) {
  json.member("method", "effects");
  json.member("runs", effects.runs);
  json.member("failed", effects.failed);
  json.member("determination", effects.determination);
  json.key("effects");
  json.begin_array(Layout::lines);
  for (const Effect& effect : effects.effects) {
    effect_to(json, effect);
  }
  json.end_array();
  json.key("key_factors");
  names_to(json, effects.key_factors());
  if (effects.components) {
    json.key("components");
    components_to(json, *effects.components);
  }
  if (effects.case_components) {
    json.key("case_components");
    components_to(json, *effects.case_components);
  }
  json.key("cases");
  json.begin_array(Layout::lines);
  for (const CaseEffects& one : effects.cases) {
    case_effects_to(json, effects, one);
  }
  json.end_array();
}

void index_to(JsonWriter& json, const std::string& factor, const SobolIndex& index) {
  json.begin_object(Layout::line);
  json.member("factor", factor);
  estimate_to(json, "first", index.first);
  estimate_to(json, "total", index.total);
  json.end_object();
}

void indices_to(JsonWriter& json, const Factors& factors) {
  json.member("method", "sobol");
  json.key("cases");
  json.begin_array(Layout::lines);
  for (const CaseIndices& one : factors.indices) {
    json.begin_object(Layout::lines);
    case_to(json, factors.question, one.values);
    json.member("base_points", one.bases);
    json.member("dropped", one.dropped);
    json.member("mean", one.mean);
    json.member("variance", one.variance);
    json.key("indices");
    json.begin_array(Layout::lines);
    for (std::size_t i = 0; i < one.indices.size(); ++i) {
      index_to(json, factors.question.factors[i], one.indices[i]);
    }
    json.end_array();
    json.end_object();
  }
  json.end_array();
}

}  // namespace

void write_factors_json(std::ostream& out, const Factors& factors) {
  JsonWriter json(out);
  json.begin_object(Layout::lines);
  json.member("schema", "gridcast.factors/1");
  json.member("source", factors.source);
  json.member("response", factors.question.response);
  if (factors.effects) {
    effects_to(json, *factors.effects);
  } else {
    indices_to(json, factors);
  }
  json.key("notes");
  names_to(json, factors.notes);
  json.end_object();
  out << '\n';
}

void write_components_json(std::ostream& out, const Components& components,
                           const std::string& source) {
  JsonWriter json(out);
  json.begin_object(Layout::lines);
  json.member("schema", "gridcast.components/1");
  json.member("source", source);
  json.key("components");
  components_to(json, components);
  json.end_object();
  out << '\n';
}

void write_factors_html(std::ostream& out, const Factors& factors) {
  out << report::page_begin("Factors of " + factors.question.response, false) << "<h1>Factors of "
      << report::escape_html(factors.question.response) << "</h1>\n<p class=\"sub\">"
      << report::escape_html(factors.source) << "</p>\n"
      << report::warnings_box(factors.notes);
  if (factors.effects) {
    const Effects& effects = *factors.effects;
    out << report::html_table(
        fmt::format("Main effects, which explain {} of the variation of {}",
                    report::per_cent(effects.determination),
                    counted(static_cast<std::int64_t>(effects.runs), "run")),
        effects_rows(effects),
        [&](std::size_t row, std::size_t column) -> std::optional<report::CellBar> {
          return column == influence_column
                     ? std::optional(report::CellBar{effects.effects[row].influence, {}})
                     : std::nullopt;
        });
    if (effects.components) {
      out << report::html_table("Principal components of the values of the key factors",
                                component_rows(*effects.components));
    }
    if (effects.case_components) {
      out << report::html_table("Principal components of their effects over the cases",
                                component_rows(*effects.case_components));
    }
  }
  for (const CaseIndices& one : factors.indices) {
    const std::vector<std::size_t> order = by_total(one);
    const auto bar = [](const Estimate& estimate) {
      return report::CellBar{estimate.value, std::pair(estimate.low, estimate.high)};
    };
    out << report::html_table(
        case_title(factors.question, one), index_rows(factors.question, one),
        [&](std::size_t row, std::size_t column) -> std::optional<report::CellBar> {
          const SobolIndex& index = one.indices[order[row]];
          return column == first_column   ? std::optional(bar(index.first))
                 : column == total_column ? std::optional(bar(index.total))
                                          : std::nullopt;
        });
  }
  out << report::page_end();
}

}  // namespace gridcast::design
