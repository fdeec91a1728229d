#pragma once
/// From recorded runs of an MPI program to its description (docs/your-mpi-program.md).

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gridcast/record/recording.h"

namespace gridcast::infer {

/// What was found.
struct Inferred {
  std::string description;  ///< a file for predict, sweep and the others
  std::int64_t messages =
      0;  ///< that the processes of all runs send in an iteration: all explained
  std::int64_t iterations = 0;  ///< of the main loop, in the run with the most
  std::size_t time_runs = 0;    ///< sizes on one process that times were fitted to
  std::string main_loop;        ///< its place: "solver.c:36"
  /// Other loops that compute a tenth as long or more, whose iterations stay what they are:
  /// "solver.c:50 (repeat = 20)".
  std::vector<std::string> other_loops;
  /// Where messages go as far as any run has processes, two or more: "2 along dimension 1".
  std::vector<std::string> farthest;
};

/// The parameter of descriptions that is an extent of the problem, counted from 0: "nx".
[[nodiscard]] std::string extent_name(std::size_t dimension);

/// Throws InputError with place and reason if a run alone tells that there is no description:
/// calls are missing or have no statement, or the program polls.
void require_describable(const record::Recording& recording);

/// Infers a description. `extents`: of the problem in runs that were recorded without; may be
/// empty. Throws InputError with place and reason if the program or the runs do not admit one.
[[nodiscard]] Inferred infer(std::vector<record::Recording> recordings,
                             const std::vector<std::int64_t>& extents);

}  // namespace gridcast::infer
