#pragma once
/// Main effects of factors: which of many figures of a machine matter (docs/analysis.md).

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gridcast/design/components.h"
#include "gridcast/design/table.h"

namespace gridcast::design {

/// Which columns are looked at; all of them exist in the table.
struct Question {
  std::string response;
  std::vector<std::string> factors;
  std::vector<std::string> cases;  ///< rows with equal values form an experiment of their own
  std::string run;                 ///< column with the number of the run; may be empty
  std::string design;              ///< kind of the design, as in Roles
  std::vector<std::string>
      left_out;  ///< columns of a CSV that nobody named and that are no factors
};

/// Fills in from the table what was not asked for; a factor that never varies is left out. Of a CSV
/// also columns that number the rows, and, if there are balanced columns of two levels, all others:
/// those are a design, these are observed. Throws
/// InputError if no response is known, or no factor varies.
[[nodiscard]] Question complete_question(const Table& table, Question asked);

/// What one factor does.
struct Effect {
  std::string factor;
  double low = 0.0;  ///< least and greatest value of the factor
  double high = 0.0;
  double effect = 0.0;        ///< mean response at `high` minus that at `low`; mean over the cases
  double influence = 0.0;     ///< share of |effect| in the sum of all, 0...1; mean over the cases
  double cumulative = 0.0;    ///< influences of this one and of those of lower rank
  std::int64_t rank = 0;      ///< 1: the most influential
  std::int64_t rank_sum = 0;  ///< sum of the ranks that it has in the single cases
  bool key = false;           ///< influence at least the mean of all
};

/// The effects in one case.
struct CaseEffects {
  std::vector<double> values;  ///< of Question::cases
  std::int64_t runs = 0;
  double mean = 0.0;            ///< of the response
  std::vector<double> effects;  ///< in the order of Question::factors
};

/// What explains a response: main effects of all factors, and cases apart.
struct Effects {
  Question question;
  std::int64_t runs = 0;
  std::int64_t failed = 0;         ///< rows without a result, left out
  bool two_levels = false;         ///< every factor has two values only
  bool balanced = false;           ///< the factors are orthogonal in every case
  double determination = 0.0;      ///< share of the variation that the main effects explain
  std::vector<Effect> effects;     ///< by rank
  std::vector<CaseEffects> cases;  ///< by their values
  /// Of the values of the key factors over the runs.
  std::optional<Components> components;
  /// Of the effects of the key factors over the cases; needs three cases.
  std::optional<Components> case_components;

  [[nodiscard]] std::vector<std::string> key_factors() const;
};

/// Fits, in every case, the response by a constant and the factors, each from -1 at its least to +1
/// at its greatest value; an effect is twice a coefficient. For a Plackett-Burman design that is
/// the difference of two means. Reads the table three times. Throws InputError if there are too few
/// runs to tell the factors apart.
[[nodiscard]] Effects main_effects(const Table& table, const Question& question);

}  // namespace gridcast::design
