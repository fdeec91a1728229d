#pragma once
/// What `gridcast analyse factors` says: main effects with key factors, or Sobol' indices.

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "gridcast/design/effects.h"
#include "gridcast/design/sobol_indices.h"
#include "gridcast/report/plot.h"

namespace gridcast::design {

/// Which figures are wanted.
enum class FactorMethod : std::uint8_t {
  automatic,  ///< sobol for a Saltelli design, else effects
  effects,
  sobol,
};

/// Exactly one of the two is filled.
struct Factors {
  std::string source;  ///< the table
  Question question;
  std::optional<Effects> effects;
  std::vector<CaseIndices> indices;
  std::vector<std::string> notes;  ///< what a reader should know about the figures
};

/// Errors as main_effects and sobol_indices.
[[nodiscard]] Factors analyse_factors(const Table& table, const Question& asked,
                                      FactorMethod method, const SobolOptions& options);

/// Total Sobol' indices in the order of Question::factors, of several cases the mean; empty if
/// there are effects.
[[nodiscard]] std::vector<double> total_indices(const Factors& factors);

[[nodiscard]] std::string factors_text(const Factors& factors);
/// One JSON object, schema gridcast.factors/1 (docs/analysis.md).
void write_factors_json(std::ostream& out, const Factors& factors);
/// A page by itself.
void write_factors_html(std::ostream& out, const Factors& factors);
/// Shares of the factors, falling: influences, or total indices, of several cases the mean.
[[nodiscard]] report::Plot factors_plot(const Factors& factors);

/// The same for components alone (`gridcast analyse components`).
[[nodiscard]] std::string components_text(const Components& components);
void write_components_json(std::ostream& out, const Components& components,
                           const std::string& source);
[[nodiscard]] report::Plot components_plot(const Components& components);

}  // namespace gridcast::design
