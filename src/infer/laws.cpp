#include "gridcast/infer/laws.h"

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "gridcast/base/readable.h"

namespace gridcast::infer {
namespace {

using Subset = std::vector<std::size_t>;

constexpr int most_halves = 2 * 8;  // added to a variable
constexpr std::size_t most_factors = 4;

/// Subsets of the variables, small ones first, in each size those of the first variables.
std::vector<Subset> subsets(std::size_t variables) {
  std::vector<Subset> all{{}};
  for (std::size_t begin = 0, size = 0; size < std::min(variables, most_factors); ++size) {
    const std::size_t end = all.size();
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t next = all[i].empty() ? 0 : all[i].back() + 1; next < variables; ++next) {
        all.push_back(all[i]);
        all.back().push_back(next);
      }
    }
    begin = end;
  }
  return all;
}

double product(const std::vector<std::int64_t>& variables, const Subset& of,
               const std::vector<double>& added) {
  double result = 1.0;
  for (const std::size_t each : of) {
    result *= static_cast<double>(variables[each]) + added[each];
  }
  return result;
}

/// The texts of a law's terms.
std::string text_of(const Law& law, const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < law.terms.size(); ++i) {
    const double factor = law.factors[i];
    text += text.empty() ? (factor < 0.0 ? "-" : "") : (factor < 0.0 ? " - " : " + ");
    std::string term =
        law.terms[i].empty() || std::abs(factor) != 1.0 ? exact(std::abs(factor)) : "";
    for (const std::size_t each : law.terms[i]) {
      term += term.empty() ? "" : "*";
      term += law.added[each] == 0.0 ? names[each]
                                     : fmt::format("({} + {})", names[each], law.added[each]);
    }
    text += term;
  }
  return text.empty() ? "0" : text;
}

Law finished(Law law, const Samples& samples) {
  for (const Subset& term : law.terms) {
    law.used.insert(law.used.end(), term.begin(), term.end());
  }
  std::sort(law.used.begin(), law.used.end());
  law.used.erase(std::unique(law.used.begin(), law.used.end()), law.used.end());
  law.text = text_of(law, samples.names);
  return law;
}

/// The largest relative error.
double residual(const Law& law, const Samples& samples) {
  double largest = 0.0;
  for (std::size_t i = 0; i < samples.bytes.size(); ++i) {
    const double error = std::abs(law.value(samples.variables[i]) - samples.bytes[i]);
    largest = std::max(largest, error == 0.0 ? 0.0 : error / std::max(1.0, samples.bytes[i]));
  }
  return largest;
}

/// The law of one product: its factor from the samples, whole unless the samples scatter.
Law one_product(const Samples& samples, const Subset& of, std::vector<double> added,
                double tolerance) {
  double least = 0.0;
  double most = 0.0;
  for (std::size_t i = 0; i < samples.bytes.size(); ++i) {
    const double factor =
        samples.bytes[i] / std::max(1.0, product(samples.variables[i], of, added));
    least = i == 0 ? factor : std::min(least, factor);
    most = std::max(most, factor);
    if (tolerance == 0.0 && factor != least) {
      break;
    }
  }
  Law law;
  law.factors = {tolerance > 0.0 ? std::stod(fmt::format("{:.4g}", 0.5 * (least + most)))
                                 : std::round(least)};
  law.terms = {of};
  law.added = std::move(added);
  law.residual = residual(law, samples);
  return law;
}

/// All ways to add the same, then each its own number to the variables of a product: whole ones,
/// then halves, as of cells with two planes of particles.
std::vector<std::vector<double>> additions(std::size_t variables, const Subset& of) {
  std::vector<std::vector<double>> all;
  const int most = of.empty() ? 0 : most_halves;
  for (const int halves : {2, 1}) {
    for (int each = 0; each <= most; each += halves) {
      all.emplace_back(variables, 0.0);
      for (const std::size_t at : of) {
        all.back()[at] = 0.5 * each;
      }
    }
    if (of.size() == 2) {
      for (int one = 0; one <= most; one += halves) {
        for (int other = 0; other <= most; other += halves) {
          all.emplace_back(variables, 0.0);
          all.back()[of[0]] = 0.5 * one;
          all.back()[of[1]] = 0.5 * other;
        }
      }
    }
  }
  return all;
}

/// A sum of products with whole factors, by least squares; none if it does not hold or the samples
/// do not determine it: as many different ones as products would be explained by any products.
std::optional<Law> sum_of(const Samples& samples, const std::vector<Subset>& terms) {
  const std::vector<double> added(samples.names.size(), 0.0);
  const auto rows = static_cast<Eigen::Index>(samples.bytes.size());
  Eigen::MatrixXd products(rows, static_cast<Eigen::Index>(terms.size()));
  for (Eigen::Index row = 0; row < rows; ++row) {
    for (Eigen::Index term = 0; term < products.cols(); ++term) {
      products(row, term) = product(samples.variables[static_cast<std::size_t>(row)],
                                    terms[static_cast<std::size_t>(term)], added);
    }
  }
  const Eigen::VectorXd scale = products.colwise().norm().cwiseInverse().transpose();
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> decomposed(products * scale.asDiagonal());
  const std::set<std::vector<std::int64_t>> different(samples.variables.begin(),
                                                      samples.variables.end());
  if (decomposed.rank() < products.cols() || different.size() <= terms.size()) {
    return std::nullopt;
  }
  const Eigen::VectorXd factors =
      scale.asDiagonal() *
      decomposed.solve(Eigen::Map<const Eigen::VectorXd>(samples.bytes.data(), rows)).eval();
  Law law;
  law.terms = terms;
  law.added = added;
  for (const double factor : factors) {
    law.factors.push_back(std::round(factor));
    if (law.factors.back() == 0.0) {
      return std::nullopt;
    }
  }
  law.residual = residual(law, samples);
  return law.residual == 0.0 ? std::optional(law) : std::nullopt;
}

}  // namespace

std::string rule_word(Rule rule) {
  constexpr const char* words[] = {"balanced", "ceil", "first", "last"};
  return words[static_cast<std::size_t>(rule)];
}

std::int64_t block_length(Rule rule, std::int64_t n, std::int64_t parts, std::int64_t q) {
  const std::int64_t whole = n / parts;
  const std::int64_t remainder = n % parts;
  switch (rule) {
    case Rule::ceil: {
      const std::int64_t length = (n + parts - 1) / parts;
      return std::clamp<std::int64_t>(n - q * length, 0, length);
    }
    case Rule::first:
      return whole + (q < remainder ? 1 : 0);
    case Rule::last:
      return whole + (q >= parts - remainder ? 1 : 0);
    default:
      return (q + 1) * n / parts - q * n / parts;
  }
}

double Law::value(const std::vector<std::int64_t>& variables) const {
  double sum = 0.0;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    sum += factors[i] * product(variables, terms[i], added);
  }
  return sum;
}

Law constant_law(double value) {
  Law law{.text = exact(value)};
  law.factors = {value};
  law.terms = {{}};
  return law;
}

std::optional<Law> find_law(const Samples& samples, double tolerance) {
  const std::vector<Subset> all = subsets(samples.names.size());
  std::optional<Law> best;
  for (const Subset& of : all) {
    std::optional<Law> closest;
    for (std::vector<double>& added : additions(samples.names.size(), of)) {
      Law law = one_product(samples, of, std::move(added), tolerance);
      if (law.residual == 0.0) {
        return finished(std::move(law), samples);
      }
      if (law.residual <= tolerance && (!closest || law.residual < closest->residual)) {
        closest = std::move(law);
      }
    }
    // A product of more variables has to be clearly better.
    if (closest && (!best || closest->residual < 0.5 * best->residual)) {
      best = std::move(closest);
    }
  }
  if (best) {
    return finished(std::move(*best), samples);
  }
  const std::size_t few = std::min<std::size_t>(all.size(), 16);
  for (std::size_t i = 0; i < few; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (std::optional<Law> law = sum_of(samples, {all[i], all[j]})) {
        return finished(std::move(*law), samples);
      }
    }
  }
  for (std::size_t i = 0; i < few; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      for (std::size_t k = 0; k < j; ++k) {
        if (std::optional<Law> law = sum_of(samples, {all[i], all[j], all[k]})) {
          return finished(std::move(*law), samples);
        }
      }
    }
  }
  return std::nullopt;
}

}  // namespace gridcast::infer
