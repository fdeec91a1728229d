#pragma once
/// What one types to start a grid so that each rank is on the node where the prediction has it:
/// numbers for the batch system, command lines of Slurm and Open MPI, rank files.

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "gridcast/machine/grid.h"
#include "gridcast/machine/nodes.h"
#include "gridcast/machine/placement.h"

namespace gridcast::machine {

/// The job of one grid. In the command lines PROGRAM stands for the program and its arguments.
struct Job {
  Grid grid;
  Placement::Kind ranks = Placement::Kind::row;  ///< how the program numbers its ranks
  Placement placement;                           ///< which ranks share a node
  std::int64_t nodes = 0;
  std::int64_t processes = 0;
  std::int64_t processes_per_node = 0;  ///< of the first node; no other one has more of its kind
  std::int32_t threads = 1;             ///< of a process, as many processors of its node
  std::vector<NodeRun> tasks;           ///< nodes in their order, with the processes of each
  std::string rankfile;                 ///< file that places the ranks; empty: none
  /// Empty if only a rank file places the ranks as predicted and there is none.
  std::string srun, mpirun;
};

/// The job of a grid on the first nodes of a machine; the list knows the threads of the grid.
/// `rankfile`: name of the file that write_rank_file() makes, beside which that of
/// write_rank_script() is; empty: none. `ranks`: row or column.
[[nodiscard]] Job job_of(const NodeList& nodes, const Grid& grid, const Placement& placement,
                         const std::string& rankfile = {},
                         Placement::Kind ranks = Placement::Kind::row);

/// Writes a rank file of Open MPI 4.1: node and core of each rank, nodes counted as in the
/// allocation of the job (+n0, +n1, ...).
void write_rank_file(std::ostream& out, const NodeList& nodes, const Job& job);

/// Writes the script `RANKFILE.sh`: inside a job of Slurm it starts a program with the ranks of
/// the file RANKFILE beside it (srun --distribution=arbitrary).
void write_rank_script(std::ostream& out, const Job& job);

}  // namespace gridcast::machine
