#pragma once
/// Describing a program from its recorded runs: what `infer` and `tune` have in common.

#include <string>
#include <vector>

namespace gridcast::cli {

struct InferOptions {
  std::vector<std::string> runs;  ///< folders of recordings
  std::string output = "-";       ///< the description
  std::string extents = {};       ///< of runs recorded without; may be empty
};

/// Writes the description. Returns the exit code.
[[nodiscard]] int run_infer(const InferOptions& options);

}  // namespace gridcast::cli
