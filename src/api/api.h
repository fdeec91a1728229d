#pragma once
#include <cstdint>
#include <string>
#include <vector>

// These stand first: Clang does not open the namespace gridcast::search once the library's function
// search is declared.
#include "gridcast/evaluate/local_search.h"
#include "gridcast/evaluate/questions.h"
#include "gridcast/grid.h"
#include "gridcast/machine.h"
#include "gridcast/machine/cluster.h"
#include "gridcast/machine/grid.h"
#include "gridcast/program.h"
#include "gridcast/rules/options.h"
#include "gridcast/rules/script.h"

namespace gridcast {
inline namespace v1 {

struct Program::Data {
  model::Script script;
  model::ResolvedOptions resolved;
  std::vector<std::string> warnings;
};

struct Machine::Data {
  machine::Cluster cluster;
};

/// Throws InputError.
[[nodiscard]] machine::Grid inner(const Grid& grid);

[[nodiscard]] Grid outer(const machine::Grid& grid);

}  // namespace v1
}  // namespace gridcast
