#include "gridcast/design/factors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "factors_tables.h"
#include "gridcast/report/text_table.h"

namespace gridcast::design {
namespace {

bool wants_indices(const Table& table, const Question& question, FactorMethod method) {
  if (method != FactorMethod::automatic) {
    return method == FactorMethod::sobol;
  }
  if (!question.design.empty()) {
    return question.design == "saltelli" && question.factors == table.roles().factors;
  }
  return saltelli_layout(table, question).has_value();
}

void note_effects(const Effects& effects, std::vector<std::string>& notes) {
  if (effects.failed > 0) {
    notes.push_back(fmt::format("{} failed runs are left out", effects.failed));
  }
  if (!effects.balanced) {
    notes.emplace_back(
        "the factors are not orthogonal: effects are those of a fit to all of them together");
  }
  if (!effects.two_levels) {
    notes.emplace_back(
        "factors have more than two values: an effect is the change along a straight line from the "
        "least to the greatest");
  }
}

}  // namespace

Factors analyse_factors(const Table& table, const Question& asked, FactorMethod method,
                        const SobolOptions& options) {
  Factors result;
  result.source = table.origin();
  Question question = complete_question(table, asked);
  if (wants_indices(table, question, method)) {
    result.indices = sobol_indices(table, question, options);
    const std::int64_t dropped =
        std::accumulate(result.indices.begin(), result.indices.end(), std::int64_t{0},
                        [](std::int64_t sum, const CaseIndices& one) { return sum + one.dropped; });
    if (dropped > 0) {
      result.notes.push_back(
          fmt::format("{} base points are left out because one of their runs is missing", dropped));
    }
  } else {
    result.effects = main_effects(table, question);
    note_effects(*result.effects, result.notes);
  }
  if (!question.left_out.empty()) {
    result.notes.push_back(fmt::format("not taken for factors: {} (name them with --factors)",
                                       fmt::join(question.left_out, ", ")));
  }
  result.question = std::move(question);
  return result;
}

std::vector<double> total_indices(const Factors& factors) {
  std::vector<double> totals;
  for (const CaseIndices& one : factors.indices) {
    totals.resize(one.indices.size());
    for (std::size_t i = 0; i < totals.size(); ++i) {
      totals[i] += one.indices[i].total.value / static_cast<double>(factors.indices.size());
    }
  }
  return totals;
}

std::string factors_text(const Factors& factors) {
  std::string text;
  if (factors.effects) {
    const Effects& effects = *factors.effects;
    text = fmt::format(
        "{}: effects on {} in {} runs, {}\n", factors.source, factors.question.response,
        effects.runs,
        effects.cases.size() == 1 ? "1 case" : fmt::format("{} cases", effects.cases.size()));
    text += report::text_table(effects_rows(effects));
    text += fmt::format("main effects explain {} of the variation\nkey factors: {}\n",
                        report::per_cent(effects.determination),
                        fmt::join(effects.key_factors(), ", "));
    if (effects.components) {
      text += "principal components of the values of the key factors\n" +
              report::text_table(component_rows(*effects.components));
    }
    if (effects.case_components) {
      text += "principal components of their effects over the cases\n" +
              report::text_table(component_rows(*effects.case_components));
    }
  } else {
    text = fmt::format("{}: Sobol' indices of {}\n", factors.source, factors.question.response);
    for (const CaseIndices& one : factors.indices) {
      text += case_title(factors.question, one) + "\n" +
              report::text_table(index_rows(factors.question, one));
    }
  }
  for (const std::string& note : factors.notes) {
    text += "note: " + note + "\n";
  }
  return text;
}

report::Plot factors_plot(const Factors& factors) {
  constexpr double percent = 100.0;
  report::Plot plot{"Factors of " + factors.question.response, {"factor", "share_percent"}, {}, {}};
  if (factors.effects) {
    for (const Effect& effect : factors.effects->effects) {
      plot.rows.push_back({effect.factor, percent * effect.influence});
    }
    report::draw_bars(plot, "influence, % of the effects");
    return plot;
  }
  const bool one_case = factors.indices.size() == 1;
  const std::vector<double> totals = total_indices(factors);
  for (std::size_t i = 0; i < totals.size(); ++i) {
    plot.rows.push_back({factors.question.factors[i], percent * totals[i]});
    if (one_case) {
      const Estimate& estimate = factors.indices.front().indices[i].total;
      plot.rows.back().insert(plot.rows.back().end(),
                              {percent * estimate.low, percent * estimate.high});
    }
  }
  if (one_case) {
    plot.columns.insert(plot.columns.end(), {"low_percent", "high_percent"});
  }
  std::ranges::stable_sort(plot.rows, std::greater<>(),
                           [](const auto& row) { return std::get<double>(row[1]); });
  report::draw_bars(plot, "total Sobol index, % of the variance", 1.0, one_case);
  return plot;
}

std::string components_text(const Components& components) {
  return fmt::format("principal components of {} standardised columns, {} rows\n",
                     components.variables.size(), components.observations) +
         report::text_table(component_rows(components));
}

report::Plot components_plot(const Components& components) {
  report::Plot plot{"Principal components", {"component", "eigenvalue"}, {}, {}};
  for (std::size_t i = 0; i < components.eigenvalues.size(); ++i) {
    plot.rows.push_back({"component " + std::to_string(i + 1), components.eigenvalues[i]});
  }
  report::draw_bars(plot, "eigenvalue");
  return plot;
}

}  // namespace gridcast::design
