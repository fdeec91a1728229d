#pragma once
/// Grids with more or fewer dimensions than a program uses.

#include <optional>
#include <string>

#include "gridcast/machine/grid.h"
#include "gridcast/rules/script.h"

namespace gridcast::model {

/// A warning if a grid of several processors has fewer dimensions than the program uses, or if it
/// has processors along dimensions over which the program distributes nothing: they all do the same
/// work. Nothing for programs that give the processor system another shape, which may use these
/// dimensions otherwise.
[[nodiscard]] std::optional<std::string> idle_dimensions(const Script& script,
                                                         const machine::Grid& grid);

}  // namespace gridcast::model
