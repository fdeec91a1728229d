#include "gridcast/farm/ranks.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>

#include "gridcast/base/printable.h"
#include "gridcast/farm/idle.h"

namespace gridcast::sweep {
namespace {

constexpr int tag_ready = 70;

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

int wait_for_ready(const boost::mpi::communicator& world) {
  Idle idle;
  while (!world.iprobe(0, tag_ready)) {
    idle.wait();
  }
  int code = 0;
  world.recv(0, tag_ready, code);
  return code;
}

void send_ready(const boost::mpi::communicator& world, int code) {
  for (int rank = 1; rank < world.size(); ++rank) {
    world.send(rank, tag_ready, code);
  }
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

void leave_hard(bool unreachable_ranks, int code) {
  std::fflush(nullptr);
  if (unreachable_ranks) {
    // A hung process on another node would keep the job alive.
    MPI_Abort(MPI_COMM_WORLD, code);
  }
  ::_exit(code);
}

}  // namespace gridcast::sweep
