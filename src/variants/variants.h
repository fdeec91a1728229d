#pragma once
/// Variants of a program that nobody has written: one description, and what each variant does
/// otherwise (docs/analysis.md).

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gridcast/machine/grid.h"
#include "gridcast/retrace/generate.h"

namespace gridcast::variants {

/// A search of the best grid instead of given ones, as `gridcast sweep` has it.
struct GridSearch {
  std::int64_t mode = 4;
  std::optional<std::int64_t> max_processors;
};

/// A way a branch can go.
struct BranchCase {
  double probability = 0.0;
};

/// A branch of the program, by its name; the probabilities sum up to 1.
struct Branch {
  std::string name;
  std::vector<BranchCase> cases;
  double executions = 0.0;  ///< how often the program comes to it
  /// The case with the greatest probability.
  [[nodiscard]] std::size_t usual() const;
};

/// Which case each branch takes, by its name; branches that are not named take the usual one.
using BranchChoice = std::map<std::string, std::size_t>;

/// One variant of the program.
class Variant {
public:
  std::string name;
  std::size_t line = 0;                  ///< of its [[variant]]
  std::vector<std::int64_t> processors;  ///< numbers of processors of which all grids are wanted
  std::vector<machine::Grid> grids;      ///< grids that are wanted
  std::optional<GridSearch> search;
  trace::ParameterValues parameters;
  std::vector<Branch> branches;

  /// The description with everything that the variant changes, for gridcast trace generate.
  /// `marked`: every statement is an interval of its own, with its number as expression.
  [[nodiscard]] std::string description(const BranchChoice& choice, bool marked = false) const;
  /// What the numbers of a marked description stand for: the label of a statement, or what it does.
  [[nodiscard]] std::map<std::int64_t, std::string> places(const BranchChoice& choice) const;
  /// What the description says of itself. Throws as trace().
  [[nodiscard]] trace::Description settings() const;
  /// The trace of a run on one process. Throws InputError with the line of the variant.
  [[nodiscard]] std::string trace(const BranchChoice& choice, bool marked = false) const;

private:
  friend class VariantsReader;
  [[nodiscard]] std::string generated(const std::string& description) const;

  std::string file_;     ///< of the variants
  std::string program_;  ///< the description's file
  std::string base_;     ///< the description as TOML, with the cases of branches still in it
  std::string given_;    ///< its parameters in their order: later ones may use earlier ones
};

/// A file of variants.
struct VariantsFile {
  std::string file;
  std::filesystem::path program;
  std::filesystem::path machine;
  std::vector<Variant> variants;
  trace::Description settings;  ///< what the description says of itself
};

/// Reads a file of variants and the description that it names, and tries every variant. Throws
/// InputError with file and line.
[[nodiscard]] VariantsFile read_variants(const std::filesystem::path& path,
                                         const trace::ParameterValues& values = {});

}  // namespace gridcast::variants
