#pragma once
/// What a number of bytes depends on: products of block lengths and constants, found exactly.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gridcast::infer {

/// How n elements are cut into blocks (docs/programs.md, domains).
enum class Rule : std::uint8_t { balanced, ceil, first, last };

[[nodiscard]] std::string rule_word(Rule rule);

/// Elements of block q of n over `parts`.
[[nodiscard]] std::int64_t block_length(Rule rule, std::int64_t n, std::int64_t parts,
                                        std::int64_t q);

/// Values of bytes beside those of the variables that they may depend on.
struct Samples {
  std::vector<std::string> names;                    ///< of the variables
  std::vector<std::vector<std::int64_t>> variables;  ///< per sample, one per name
  std::vector<double> bytes;                         ///< per sample
};

/// An expression of a description.
struct Law {
  std::string text{};
  std::vector<std::size_t> used{};  ///< variables in it
  double residual = 0.0;            ///< largest relative error; 0: exact
  /// Its value for a sample's variables, as it predicts.
  std::vector<double> factors{};                  ///< of each term
  std::vector<std::vector<std::size_t>> terms{};  ///< variables of each term
  std::vector<double> added{};                    ///< to each variable

  [[nodiscard]] double value(const std::vector<std::int64_t>& variables) const;
};

/// A number that depends on nothing.
[[nodiscard]] Law constant_law(double value);

/// The simplest law that holds for all samples: a constant; a product of variables, each with up to
/// 8 added, whole or half; a sum of up to three products. Variables that come first are preferred.
/// With a `tolerance` above 0 the products whose largest relative error is least and at most that.
/// None if there is none.
[[nodiscard]] std::optional<Law> find_law(const Samples& samples, double tolerance = 0.0);

}  // namespace gridcast::infer
