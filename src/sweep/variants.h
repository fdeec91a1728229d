#pragma once
/// The configurations of a data set, enumerated lazily and alike on every rank: variants (a run of
/// the design, a program, a machine) and the grids of each.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gridcast/design/design.h"
#include "gridcast/machine/cluster.h"
#include "gridcast/rules/script.h"
#include "gridcast/search/candidates.h"
#include "gridcast/sweep/dataset.h"

namespace gridcast::sweep {

/// Name of the factor that says the problem size.
inline constexpr const char* size_factor = "size";

/// What the data set is made from; the same on every rank.
struct DatasetInputs {
  DatasetDesign design;
  /// Per trace, or per size; with parameters of programs all traces for each of program_settings().
  std::vector<model::Script> scripts;
  std::vector<model::ModelOptions> options;  ///< per script
  std::vector<machine::Cluster> clusters;    ///< per machine
};

/// One variant.
struct Variant {
  std::int64_t number = 0;
  std::size_t trace = 0;   ///< number of the program
  std::size_t script = 0;  ///< of the program with its size, or with its parameters
  std::size_t machine = 0;
  std::vector<double> values;  ///< of the factors: the size, if there are sizes, then parameters
};

/// The name of a program's parameter in "program.n"; empty if it is a number of the machine.
[[nodiscard]] std::string program_parameter(const std::string& name);

/// The different values that the parameters of programs have in a design, ascending; one empty list
/// if there are none. Throws InputError if there are too many.
[[nodiscard]] std::vector<std::vector<double>> program_settings(const DatasetDesign& design);

/// All variants of a data set.
class Variants {
public:
  /// `inputs` must outlive the variants. Throws InputError if the design is not possible.
  explicit Variants(const DatasetInputs& inputs);

  [[nodiscard]] std::int64_t count() const noexcept { return count_; }
  [[nodiscard]] const design::Design& design() const noexcept { return design_; }
  /// How many different values the parameters of programs have together; 1 if there are none.
  [[nodiscard]] std::size_t settings() const noexcept { return settings_.size(); }

  /// Precondition: 0 <= number < count().
  [[nodiscard]] Variant at(std::int64_t number) const;

  /// The machine of a variant. Throws InputError if a parameter cannot have its value.
  [[nodiscard]] machine::Cluster cluster(const Variant& variant) const;

private:
  const DatasetInputs* inputs_;
  design::Design design_;
  std::vector<std::vector<double>> settings_;  ///< program_settings()
  std::int64_t traces_;                        ///< traces that each run is combined with
  std::int64_t count_;
};

/// "NAME=VALUE" as for --set, with as few digits as give the same number.
[[nodiscard]] std::string assignment(const std::string& name, double value);

/// The factors of a design: the size, if there are sizes, then the parameters.
[[nodiscard]] std::vector<design::Factor> all_factors(const DatasetDesign& design);

/// The grids of one variant after the other.
class VariantGrids {
public:
  /// `inputs` must outlive the object.
  explicit VariantGrids(const DatasetInputs& inputs) : inputs_(&inputs) {}

  /// Begins with the first grid of a variant; `cluster` is its machine, nothing if that is not
  /// possible: then there is one grid, whose prediction fails. Throws InputError if the limits
  /// leave no space of grids.
  void open(const Variant& variant, const std::optional<machine::Cluster>& cluster);

  /// Whether open() needs to know the machine.
  [[nodiscard]] bool need_cluster() const noexcept { return inputs_->design.limits.has_value(); }

  /// The next grid; nothing after the last.
  [[nodiscard]] std::optional<machine::Grid> next();

  /// How many grids a variant with this script and so many processors has.
  [[nodiscard]] std::uint64_t count(std::size_t script, std::int64_t processors) const;

private:
  [[nodiscard]] search::SearchSpace space(std::size_t script, std::int64_t processors) const;
  [[nodiscard]] std::uint64_t skipped(const search::SearchSpace& space) const;
  void draw_sample(std::int64_t variant, const search::SearchSpace& space);
  [[nodiscard]] std::vector<machine::Grid> grids_at(const search::SearchSpace& space,
                                                    const std::vector<std::uint64_t>& places);

  const DatasetInputs* inputs_;
  std::int64_t position_ = 0;
  std::vector<machine::Grid> list_;                ///< if the grids are known
  std::optional<search::CandidateStream> stream_;  ///< else
  /// Candidates of the space that was sampled last, if they are few enough to be kept.
  std::vector<machine::Grid> candidates_;
  std::optional<search::SearchSpace> candidates_space_;
};

}  // namespace gridcast::sweep
