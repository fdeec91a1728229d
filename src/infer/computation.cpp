#include "gridcast/infer/computation.h"

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <set>

namespace gridcast::infer {
namespace {

/// Recorded gaps are within 0.4 %: errors below that are none.
constexpr double recorded_precision = 0.004;
/// Two samples more than terms, and a quarter of the error: what one candidate among a few reaches
/// by chance in one of twenty fits to noise (F-test with two degrees of freedom).
constexpr double clear_gain = 0.25;
/// Above this error the times themselves say more than a formula.
constexpr double rough = 0.05;

/// A term: the product of the extents of a block but those left out; all left out: a constant.
struct Term {
  std::string text;
  std::vector<bool> factors;

  [[nodiscard]] double value(const std::vector<std::int64_t>& block) const {
    double result = 1.0;
    for (std::size_t d = 0; d < block.size(); ++d) {
      result *= factors[d] ? static_cast<double>(block[d]) : 1.0;
    }
    return result;
  }
  [[nodiscard]] bool constant() const {
    return std::none_of(factors.begin(), factors.end(), [](bool each) { return each; });
  }
  /// Of one of the portions; what does not depend on the block, each takes.
  [[nodiscard]] double value(const TimeSample& sample) const {
    return constant() ? 1.0 : value(sample.block) / sample.portions;
  }
};

Term term_of(std::vector<bool> factors) {
  Term term{.text = {}, .factors = std::move(factors)};
  for (std::size_t d = 0; d < term.factors.size(); ++d) {
    term.text += term.factors[d] ? fmt::format("*b{}", d + 1) : "";
  }
  return term;
}

struct TermFit {
  std::vector<Term> terms;
  Eigen::VectorXd factors;
  double residual = 0.0;
};

/// Least squares of relative errors; none if a factor is not positive or not determined.
std::optional<TermFit> fit_terms(const std::vector<TimeSample>& samples,
                                 const std::vector<Term>& terms) {
  const auto rows = static_cast<Eigen::Index>(samples.size());
  const auto columns = static_cast<Eigen::Index>(terms.size());
  Eigen::MatrixXd values(rows, columns);
  for (Eigen::Index row = 0; row < rows; ++row) {
    const TimeSample& sample = samples[static_cast<std::size_t>(row)];
    for (Eigen::Index column = 0; column < columns; ++column) {
      values(row, column) = terms[static_cast<std::size_t>(column)].value(sample) / sample.seconds;
    }
  }
  const Eigen::VectorXd scale = values.colwise().norm().cwiseInverse().transpose();
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> decomposed(values * scale.asDiagonal());
  decomposed.setThreshold(1e-6);
  if (decomposed.rank() < columns) {
    return std::nullopt;
  }
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(rows);
  TermFit fit{.terms = terms, .factors = {}, .residual = 0.0};
  fit.factors = scale.asDiagonal() * decomposed.solve(ones).eval();
  if (!(fit.factors.minCoeff() > 0.0)) {
    return std::nullopt;
  }
  fit.residual = std::sqrt((values * fit.factors - ones).squaredNorm() / static_cast<double>(rows));
  return fit;
}

/// `portions`: how many there are of a block, an expression; empty: one.
Computation computation_of(const TermFit& fit, const std::string& portions) {
  Computation result;
  for (std::size_t i = 0; i < fit.terms.size(); ++i) {
    const Term& term = fit.terms[i];
    result.expression += fmt::format("{}{:.4g}{}", i == 0 ? "" : " + ",
                                     fit.factors[static_cast<Eigen::Index>(i)], term.text);
    result.expression += portions.empty() || term.constant() ? "" : "/" + portions;
  }
  result.residual = fit.residual;
  return result;
}

Term volume_of(const std::vector<TimeSample>& samples) {
  return term_of(std::vector<bool>(samples.front().block.size(), true));
}

/// Of equal blocks the least time; by volume.
std::vector<TimeSample> least_by_block(std::vector<TimeSample> samples) {
  const Term volume = volume_of(samples);
  const auto key = [&](const TimeSample& sample) {
    return std::tuple(volume.value(sample.block), sample.block, sample.seconds);
  };
  std::sort(samples.begin(), samples.end(),
            [&](const TimeSample& a, const TimeSample& b) { return key(a) < key(b); });
  samples.erase(
      std::unique(samples.begin(), samples.end(),
                  [](const TimeSample& a, const TimeSample& b) { return a.block == b.block; }),
      samples.end());
  for (TimeSample& sample : samples) {
    sample.seconds = std::max(sample.seconds, 1e-9);
  }
  return samples;
}

/// A constant and the surfaces: products of all extents but one.
std::vector<Term> further_terms(std::size_t dimensions) {
  std::vector<Term> terms{term_of(std::vector<bool>(dimensions, false))};
  for (std::size_t d = 0; dimensions > 1 && d < dimensions; ++d) {
    std::vector<bool> factors(dimensions, true);
    factors[d] = false;
    terms.push_back(term_of(std::move(factors)));
  }
  return terms;
}

/// Volume with `terms` - 1 others; one or two terms without volume: a plane of a block.
std::vector<std::vector<Term>> candidates(const Term& volume, const std::vector<Term>& further,
                                          std::size_t terms) {
  std::vector<std::vector<Term>> all;
  for (std::size_t i = 0; i < further.size(); ++i) {
    if (terms == 1) {
      all.push_back({further[i]});
    } else if (terms == 2) {
      all.push_back({volume, further[i]});
    }
    for (std::size_t j = 0; terms > 1 && j < i; ++j) {
      all.push_back(terms == 2 ? std::vector<Term>{further[j], further[i]}
                               : std::vector<Term>{volume, further[j], further[i]});
    }
  }
  return all;
}

std::optional<TermFit> best_of(const std::vector<TimeSample>& samples,
                               const std::vector<std::vector<Term>>& candidates) {
  std::optional<TermFit> best;
  for (const std::vector<Term>& terms : candidates) {
    std::optional<TermFit> fit = fit_terms(samples, terms);
    if (fit && (!best || fit->residual < best->residual)) {
      best = std::move(fit);
    }
  }
  return best;
}

}  // namespace

std::optional<Computation> fit_computation(std::vector<TimeSample> samples, bool minor,
                                           const std::string& portions) {
  samples = least_by_block(std::move(samples));
  const Term volume = volume_of(samples);
  std::set<double> volumes;
  for (const TimeSample& sample : samples) {
    volumes.insert(volume.value(sample.block));
  }
  if (volumes.size() < 2) {
    return std::nullopt;
  }
  TermFit best = *fit_terms(samples, {volume});
  const double by_volume = best.residual;
  const std::vector<Term> further = further_terms(samples.front().block.size());
  for (std::size_t terms = 1; terms <= (minor ? 1U : 3U); ++terms) {
    if (best.residual <= recorded_precision || (terms > 1 && samples.size() < terms + 2)) {
      break;
    }
    const std::optional<TermFit> next = best_of(samples, candidates(volume, further, terms));
    if (next && next->residual < clear_gain * best.residual) {
      best = *next;
    }
  }
  Computation result = computation_of(best, portions);
  if (!minor && portions.empty() && best.residual > rough && volumes.size() >= 3) {
    result.expression.clear();
    // Of several shapes of one volume the fastest.
    for (const TimeSample& sample : samples) {
      if (result.table.empty() ||
          volume.value(result.table.back().block) != volume.value(sample.block)) {
        result.table.push_back(sample);
      } else if (sample.seconds < result.table.back().seconds) {
        result.table.back() = sample;
      }
    }
    result.remark = fmt::format("by volume alone {:.1f} % off: caches", 100.0 * by_volume);
    result.residual = 0.0;
  }
  return result;
}

bool follows_volume(const std::vector<TimeSample>& samples) {
  constexpr double rounding = 1e-9;  // relative: of blocks of one volume the errors are equal
  const std::vector<TimeSample> least = least_by_block(samples);
  const auto residual = [&least](bool by_volume) {
    return fit_terms(least, {term_of(std::vector<bool>(least.front().block.size(), by_volume))})
        ->residual;
  };
  return residual(true) <= (1.0 + rounding) * residual(false) + rounding;
}

}  // namespace gridcast::infer
