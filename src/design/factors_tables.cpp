#include "factors_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "gridcast/report/text_table.h"

namespace gridcast::design {
namespace {

std::string estimate_text(const Estimate& estimate) {
  return fmt::format("{:.4f} [{:.4f}, {:.4f}]", estimate.value, estimate.low, estimate.high);
}

}  // namespace

Rows effects_rows(const Effects& effects) {
  const bool several = effects.cases.size() > 1;
  Rows rows{{"factor", "rank", "low", "high", "effect", "influence", "cumulative", "key"}};
  if (several) {
    rows.front().push_back("sum of ranks");
  }
  for (const Effect& effect : effects.effects) {
    rows.push_back({effect.factor, std::to_string(effect.rank), report::short_number(effect.low),
                    report::short_number(effect.high), report::short_number(effect.effect),
                    report::per_cent(effect.influence), report::per_cent(effect.cumulative),
                    effect.key ? "yes" : ""});
    if (several) {
      rows.back().push_back(std::to_string(effect.rank_sum));
    }
  }
  return rows;
}

Rows component_rows(const Components& components) {
  Rows rows{{"component", "eigenvalue", "cumulative"}};
  rows.front().insert(rows.front().end(), components.variables.begin(), components.variables.end());
  for (std::size_t i = 0; i < components.eigenvalues.size(); ++i) {
    std::vector<std::string> row{std::to_string(i + 1),
                                 fmt::format("{:.4f}", components.eigenvalues[i]),
                                 report::per_cent(components.cumulative[i])};
    for (const double loading : components.loadings[i]) {
      row.push_back(fmt::format("{:.3f}", loading));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<std::size_t> by_total(const CaseIndices& one) {
  std::vector<std::size_t> order(one.indices.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return one.indices[a].total.value > one.indices[b].total.value;
  });
  return order;
}

Rows index_rows(const Question& question, const CaseIndices& one) {
  Rows rows{{"factor", "rank", "first order [95 %]", "total [95 %]"}};
  for (const std::size_t i : by_total(one)) {
    rows.push_back({question.factors[i], std::to_string(rows.size()),
                    estimate_text(one.indices[i].first), estimate_text(one.indices[i].total)});
  }
  return rows;
}

std::string case_title(const Question& question, const CaseIndices& one) {
  std::string text;
  for (std::size_t i = 0; i < one.values.size(); ++i) {
    text += fmt::format("{}{}={}", i == 0 ? "" : ", ", question.cases[i], one.values[i]);
  }
  return text + fmt::format("{}{} base points, mean {}, variance {}", text.empty() ? "" : ": ",
                            one.bases, report::short_number(one.mean),
                            report::short_number(one.variance));
}

}  // namespace gridcast::design
