#pragma once
/// Designs of experiments: which values named factors take in which run. Every run can be asked for
/// by its number, so that a design is never a list in memory; the same seed gives the same design
/// on every machine (docs/datasets.md).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "gridcast/design/plackett_burman.h"
#include "gridcast/design/sobol.h"

namespace gridcast::design {

/// Every real number between two ends.
struct RealRange {
  double low = 0.0;
  double high = 1.0;
  bool logarithmic = false;  ///< equal factors are equally far apart; both ends are positive
  /// Values of a full factorial, ends included; other kinds of designs do not need it.
  std::optional<std::int64_t> levels;
  bool operator==(const RealRange&) const = default;
};

/// Every whole number from `low` to `high`.
struct IntegerRange {
  std::int64_t low = 0;
  std::int64_t high = 1;
  bool operator==(const IntegerRange&) const = default;
};

/// These values.
struct ValueList {
  std::vector<double> values;
  bool operator==(const ValueList&) const = default;
};

/// What is varied.
struct Factor {
  std::string name;
  std::variant<RealRange, IntegerRange, ValueList> range;
  bool operator==(const Factor&) const = default;

  /// The value at a fraction 0 ... 1 (1 excluded) of the way from the low to the high end; whole
  /// numbers and listed values have equal shares of the way. Logarithmic values are rounded to 12
  /// digits, because mathematical libraries differ in the last one.
  [[nodiscard]] double at(double fraction) const;
  /// How many values a full factorial takes. Throws InputError for a range without levels.
  [[nodiscard]] std::int64_t levels() const;
  /// Value number `index` < levels().
  [[nodiscard]] double level(std::int64_t index) const;
  /// The two values of a screening: the ends of the way.
  [[nodiscard]] double low() const;
  [[nodiscard]] double high() const;
};

/// Throws InputError if the range is empty, not finite, logarithmic but not positive, or has fewer
/// than two levels.
void validate(const Factor& factor);

/// Designs of experiments (docs/datasets.md).
enum class DesignKind : std::uint8_t {
  full_factorial,   ///< every combination of levels
  latin_hypercube,  ///< each factor takes each of n equal shares of its way once
  sobol,            ///< the first n points of a Sobol' sequence
  saltelli,         ///< k + 2 runs around each of n points of a Sobol' sequence in 2k dimensions:
                    ///< the variance that each of k factors causes ([Saltelli2010])
  random,           ///< independent random values
  plackett_burman,  ///< screening: ends of the ways only
};

/// "full-factorial", "latin-hypercube", "sobol", "random", "plackett-burman".
[[nodiscard]] std::string_view name(DesignKind kind) noexcept;
/// Throws InputError for other names.
[[nodiscard]] DesignKind parse_design_kind(std::string_view text);

/// Which design, and how large.
struct DesignOptions {
  DesignKind kind = DesignKind::latin_hypercube;
  /// Needed for latin_hypercube, sobol and random; saltelli: points, each with k + 2 runs;
  /// plackett_burman: by default the least that the factors allow (without foldover);
  /// full_factorial has as many as its levels give.
  std::optional<std::int64_t> runs;
  /// latin_hypercube, random: which of the designs. sobol, saltelli: digital shift; 0 is the plain
  /// sequence.
  std::uint64_t seed = 0;
  bool foldover = false;  ///< plackett_burman: followed by its mirror image
  bool operator==(const DesignOptions&) const = default;
};

/// A design with its factors.
class Design {
public:
  /// Without factors there is one run without values. Throws InputError if the factors are invalid
  /// or named twice, or the options do not fit the kind.
  Design(std::vector<Factor> factors, const DesignOptions& options);

  [[nodiscard]] std::int64_t runs() const noexcept { return runs_; }
  [[nodiscard]] const std::vector<Factor>& factors() const noexcept { return factors_; }
  [[nodiscard]] const DesignOptions& options() const noexcept { return options_; }

  /// Values of all factors in a run. Precondition: 0 <= index < runs().
  [[nodiscard]] std::vector<double> run(std::int64_t index) const;

private:
  [[nodiscard]] double fraction(std::size_t factor, std::int64_t index) const;
  [[nodiscard]] std::vector<double> factorial_run(std::int64_t index) const;
  void count_runs();
  void prepare();
  void prepare_points(std::size_t dimensions);
  [[nodiscard]] double mixed_fraction(std::size_t factor, std::uint64_t run) const;

  std::vector<Factor> factors_;
  DesignOptions options_;
  std::int64_t runs_ = 1;
  std::vector<std::vector<std::uint32_t>> shares_;  ///< latin_hypercube: per factor, of each run
  std::vector<SobolCoordinate> coordinates_;        ///< sobol: per factor; saltelli: two
  std::optional<TwoLevelDesign> screening_;         ///< plackett_burman
};

}  // namespace gridcast::design
