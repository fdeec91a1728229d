#pragma once
/// What was assumed of programs, in answers (docs/commands.md): options of the model that nobody
/// gave.

#include <string>
#include <string_view>
#include <vector>

#include "gridcast/base/words.h"

namespace gridcast::cli {

/// Reads store::RunDescription::assumed: one list, or one per program if they differ; none in a
/// store of an earlier version.
[[nodiscard]] std::vector<NamedWords> stored_assumptions(std::string_view text);

/// model::assumed_texts() as lines that begin with `label`, in a column of `width`.
[[nodiscard]] std::string assumed_lines(const std::vector<NamedWords>& assumed,
                                        const std::vector<std::string>& programs,
                                        std::string_view label, int width);

}  // namespace gridcast::cli
