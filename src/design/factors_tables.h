#pragma once
/// Rows of the tables of factors, the same in text and on pages.

#include <string>
#include <vector>

#include "gridcast/design/factors.h"

namespace gridcast::design {

using Rows = std::vector<std::vector<std::string>>;

[[nodiscard]] Rows effects_rows(const Effects& effects);
[[nodiscard]] Rows component_rows(const Components& components);
[[nodiscard]] Rows index_rows(const Question& question, const CaseIndices& one);
/// Numbers of the factors by falling total index.
[[nodiscard]] std::vector<std::size_t> by_total(const CaseIndices& one);
/// "p1=4, p2=2: 1024 base points, mean ..., variance ...".
[[nodiscard]] std::string case_title(const Question& question, const CaseIndices& one);

}  // namespace gridcast::design
