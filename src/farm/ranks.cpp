#include "gridcast/farm/ranks.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "exchange.h"
#include "gridcast/base/printable.h"

namespace gridcast::sweep {
namespace {

/// Value of a number in the environment; -1 if it is not there.
int environment_number(const char* name) {
  const char* text = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody sets variables
  return text == nullptr ? -1 : std::atoi(text);
}

/// Variables of Open MPI's mpirun, of PMI launchers, and of srun's steps.
int first_number(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (const int value = environment_number(name); value >= 0) {
      return value;
    }
  }
  return -1;
}

/// Ranks that the launcher says it started; -1 if it says nothing.
int launched_size() { return first_number({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}); }

/// srun started several processes. (mpirun in a Slurm job uses a step of its own: ask it first.)
bool in_slurm_step() {
  return launched_size() < 0 && environment_number("SLURM_STEP_NUM_TASKS") > 1;
}

}  // namespace

void print_line(const std::string& text) {
  // A file name may hold anything, the message stays one line.
  const std::string line = "gridcast: " + printable(text) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

int code_of_rank_0(const boost::mpi::communicator& world, int code) {
  const auto* const bytes = reinterpret_cast<const char*>(&code);
  const Message message = hand_out(world, Message(bytes, bytes + sizeof(code)));
  std::memcpy(&code, message.data(), std::min(message.size(), sizeof(code)));
  return code;
}

bool launched_by_mpi() { return launched_size() > 1 || in_slurm_step(); }

int launched_rank() {
  if (!launched_by_mpi()) {
    return 0;
  }
  return std::max(0,
                  first_number({"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"}));
}

bool refuse_separate_ranks(const boost::mpi::communicator& world) {
  if (world.size() != 1 || !in_slurm_step()) {
    return false;
  }
  if (launched_rank() == 0) {
    print_line(
        "srun started several processes that MPI does not join (use srun --mpi=pmix, or mpirun)");
  }
  return true;
}

bool refuse_recovery_on_nodes() {
  const int on_this_node = environment_number("OMPI_COMM_WORLD_LOCAL_SIZE");
  if (environment_number("OMPI_MCA_orte_enable_recovery") != 1 || on_this_node < 1 ||
      on_this_node >= launched_size()) {
    return false;
  }
  if (launched_rank() == 0) {
    print_line(
        "mpirun --enable-recovery on several nodes: the loss of a rank would hang the others "
        "(leave it out: the run ends then and can be resumed)");
  }
  return true;
}

void leave_hard(bool unreachable_ranks, int code) {
  std::fflush(nullptr);
  if (unreachable_ranks) {
    // A hung process on another node would keep the job alive.
    MPI_Abort(MPI_COMM_WORLD, code);
  }
  ::_exit(code);
}

}  // namespace gridcast::sweep
