#pragma once
/// What rank 0 reads and says about a data set.

#include <string>
#include <vector>

#include "gridcast/store/description.h"
#include "variants.h"

namespace gridcast::sweep {

/// Inputs with what only the store wants to know.
struct ReadDataset {
  DatasetInputs inputs;
  std::vector<std::string> traces;   ///< names for the store
  std::string trace_sha256;          ///< of all recorded traces, separated by commas
  std::vector<std::string> assumed;  ///< per program (RunDescription::assumed)
  std::vector<std::string> warnings;
};

/// Reads design, traces and machines, interpolates and compiles. Throws InputError, also if a
/// machine lacks a parameter or refuses an end of its range.
[[nodiscard]] ReadDataset read_dataset(const DatasetSettings& settings);

/// Reads the design file and overrides its options of the model.
[[nodiscard]] DatasetDesign effective_design(const DatasetSettings& settings);

/// How many rows there will be; nothing if that depends on values of parameters.
[[nodiscard]] std::optional<std::uint64_t> expected_rows(const DatasetInputs& inputs,
                                                         const Variants& variants);

/// What the store says about the data set. Its options name everything of the design, so that a
/// resume with another one is refused.
[[nodiscard]] store::StoreSetup dataset_setup(const DatasetSettings& settings,
                                              const ReadDataset& read);

/// Values of the input columns of a variant.
[[nodiscard]] std::vector<double> input_values(const DatasetDesign& design, const Variant& variant);

}  // namespace gridcast::sweep
