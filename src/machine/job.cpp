#include "gridcast/machine/job.h"

#include <algorithm>
#include <ostream>

#include "gridcast/base/readable.h"

namespace gridcast::machine {
namespace {

std::string in_shell(const std::string& word) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' ||
           c == '.' || c == '_' || c == '-' || c == '+' || c == ',';
  };
  if (!word.empty() && std::ranges::all_of(word, plain)) {
    return word;
  }
  std::string quoted = "'";
  for (const char c : word) {
    quoted += c == '\'' ? "'\\''" : std::string(1, c);
  }
  return quoted + "'";
}

/// The nodes with the processes of each: all are full but perhaps the last.
std::vector<NodeRun> tasks_of(const NodeList& nodes, std::int64_t processes) {
  std::vector<NodeRun> tasks = nodes.first(processes);
  std::int64_t left = processes;
  for (const NodeRun& run : tasks) {
    left -= run.count * run.size;
  }
  if (left < 0) {
    const NodeRun last{1, tasks.back().size + left};
    if (--tasks.back().count == 0) {
      tasks.pop_back();
    }
    tasks.push_back(last);
  }
  return tasks;
}

/// The number that each rank has in the machine.
std::vector<std::uint32_t> processors_of_ranks(const Job& job) {
  const std::vector<std::uint32_t> order = order_of(job.grid, job.placement);
  std::vector<std::uint32_t> found = by_rank(job.grid, job.ranks);
  for (std::uint32_t& processor : found) {
    processor = order[processor];
  }
  return found;
}

/// True if the ranks fill the nodes in their order.
bool is_in_order(const Job& job) {
  return (job.placement.kind == Placement::Kind::row && job.ranks == Placement::Kind::row) ||
         std::ranges::is_sorted(processors_of_ranks(job));
}

/// In front of srun: what OpenMP programs obey.
std::string environment_of(const Job& job) {
  return job.threads == 1 ? "" : "OMP_NUM_THREADS=" + std::to_string(job.threads) + " ";
}

std::string cpus_of(const Job& job) {
  return job.threads == 1 ? "" : " --cpus-per-task=" + std::to_string(job.threads);
}

std::string start_of_mpirun(const Job& job) {
  return "mpirun -n " + std::to_string(job.processes) +
         (job.threads == 1 ? "" : " -x OMP_NUM_THREADS=" + std::to_string(job.threads));
}

std::string srun_of(const Job& job, bool one_kind) {
  const std::string number = std::to_string(job.nodes);
  if (job.tasks.size() > 1 && one_kind) {
    // Slurm's block distribution spreads ranks evenly over the nodes, and --ntasks-per-node does
    // not count beside -n; planes fill one node after the other, if its processors are the job's.
    return environment_of(job) + "srun -N " + number + " -n " + std::to_string(job.processes) +
           cpus_of(job) + " --exclusive -m plane=" + std::to_string(job.processes_per_node) +
           " PROGRAM";
  }
  std::string line = environment_of(job) + "srun";
  for (const char* separator = " "; const NodeRun& run : job.tasks) {
    line += separator + ("-N " + std::to_string(run.count)) +
            " --ntasks-per-node=" + std::to_string(run.size) + cpus_of(job) +
            " -m block:block PROGRAM";
    separator = " : ";
  }
  return line;
}

std::string mpirun_of(const Job& job, bool one_kind) {
  return start_of_mpirun(job) + " --map-by " +
         (one_kind ? "ppr:" + std::to_string(job.processes_per_node) + ":node" : "slot") +
         (job.threads == 1 ? "" : ":pe=" + std::to_string(job.threads)) +
         " --bind-to core:overload-allowed PROGRAM";
}

}  // namespace

Job job_of(const NodeList& list, const Grid& grid, const Placement& placement,
           const std::string& rankfile, Placement::Kind ranks) {
  const NodeList& nodes = list.of(grid.threads());
  Job job;
  job.grid = grid;
  job.ranks = ranks;
  job.placement = placement;
  job.threads = grid.threads();
  job.processes = grid.processors();
  job.nodes = nodes.nodes(job.processes);
  job.tasks = tasks_of(nodes, job.processes);
  job.processes_per_node = job.tasks.front().size;
  job.rankfile = rankfile;
  if (!rankfile.empty()) {
    job.srun = "sh " + in_shell(rankfile + ".sh") + " PROGRAM";
    job.mpirun = start_of_mpirun(job) + " --rankfile " + in_shell(rankfile) + " PROGRAM";
  } else if (is_in_order(job)) {
    const bool one_kind = nodes.first(job.processes).size() == 1;
    job.srun = srun_of(job, one_kind);
    job.mpirun = mpirun_of(job, one_kind);
  }
  return job;
}

void write_rank_file(std::ostream& out, const NodeList& list, const Job& job) {
  const NodeList& nodes = list.of(job.threads);
  out << "# grid " << job.grid.text() << ", placement " << job.placement.text(job.grid.rank())
      << ": " << counted(job.processes, "rank") << " on " << counted(job.nodes, "node") << "\n";
  std::int64_t rank = 0;
  for (const std::uint32_t number : processors_of_ranks(job)) {
    const NodePlace place = nodes.place(number);
    out << "rank " << rank++ << "=+n" << place.node << " slot=";
    if (job.threads > 1) {
      out << place.slot << '-' << place.slot + job.threads - 1 << '\n';
    } else if (place.alike) {
      out << "*:*\n";  // whichever core of the node
    } else {
      out << place.slot << '\n';
    }
  }
}

void write_rank_script(std::ostream& out, const Job& job) {
  out << "#!/bin/sh\n"
         "# Inside a job of Slurm with "
      << counted(job.nodes, "node") << " (salloc or sbatch -N " << job.nodes
      << " --exclusive):\n"
         "#   sh FILE.sh PROGRAM ARGUMENT...\n"
         "# starts "
      << counted(job.processes, "rank")
      << " of PROGRAM, each on the node that the rank file beside this script says.\n"
         "ranks=${0%.sh}\n"
         "if [ $# -eq 0 ] || [ -z \"$SLURM_JOB_NODELIST\" ]; then\n"
         "  echo \"$0: expected a PROGRAM, inside a job of Slurm\" >&2\n"
         "  exit 2\n"
         "fi\n"
         "hosts=$(scontrol show hostnames \"$SLURM_JOB_NODELIST\") || exit 1\n"
         "if [ \"$(echo \"$hosts\" | wc -l)\" -lt "
      << job.nodes
      << " ]; then\n"
         "  echo \"$0: the job has fewer than "
      << counted(job.nodes, "node")
      << "\" >&2\n"
         "  exit 2\n"
         "fi\n"
         "SLURM_HOSTFILE=$(mktemp) || exit 1\n"
         "export SLURM_HOSTFILE\n"
         "trap 'rm -f \"$SLURM_HOSTFILE\"' EXIT\n"
         "# The name of the node of each rank, in the order of the ranks.\n"
         "{ echo \"$hosts\"; echo; cat \"$ranks\"; } | awk '\n"
         "  !listed && NF == 0 { listed = 1; next }\n"
         "  !listed { host[NR - 1] = $1; next }\n"
         "  /^rank / { sub(/^[^+]*\\+n/, \"\"); print host[$1] }' >\"$SLURM_HOSTFILE\"\n"
      << environment_of(job) << "srun -n " << job.processes << cpus_of(job)
      << " --distribution=arbitrary \"$@\"\n";
}

}  // namespace gridcast::machine
