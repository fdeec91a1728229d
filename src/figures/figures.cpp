#include "gridcast/figures/figures.h"

namespace gridcast::model {
namespace {

using C = Characteristics;
using enum FigureGroup;

constexpr Figure table[] = {
    {"efficiency", "1", "Efficiency", "effic", "productive time / total time", head,
     &C::efficiency},
    {"execution_time", "s", "Execution time", "exec", "execution time, maximum over processors",
     head, &C::execution_time},
    {"total_time", "s", "Total time", "total", "execution time x processors", total,
     &C::total_time},
    {"productive_time", "s", "Productive time", "ptime", "productive time", productive,
     &C::productive_time},
    {"productive_cpu_time", "s", "CPU", "ptimec", "productive time of the program itself",
     productive_part, &C::productive_cpu_time},
    {"productive_sys_time", "s", "SYS", "ptimes", "productive time in the run-time library",
     productive_part, &C::productive_sys_time},
    {"io_time", "s", "I/O", "ptimei", "time of input and output", productive_part, &C::io_time},
    {"lost_time", "s", "Lost time", "lost", "lost time", lost, &C::lost_time},
    {"insufficient_parallelism", "s", "Insufficient parallelism", "insuf",
     "lost by insufficient parallelism", lost_part, &C::insufficient_parallelism},
    {"insufficient_parallelism_usr", "s", "USR", "iuser",
     "lost by insufficient parallelism of the program", lost_detail,
     &C::insufficient_parallelism_usr},
    {"insufficient_parallelism_sys", "s", "SYS", "isyst",
     "lost by insufficient parallelism of the run-time library", lost_detail,
     &C::insufficient_parallelism_sys},
    {"communication", "s", "Communications", "comm", "time of communication", lost_part,
     &C::communication},
    {"communication_synch", "s", "SYN", "csyn", "waiting before communication began", lost_detail,
     &C::communication_synch},
    {"idle", "s", "Idle time", "idle", "idle time", lost_part, &C::idle},
    {"load_imbalance", "s", "Load imbalance", "imbal", "load imbalance", potential,
     &C::load_imbalance},
    {"synchronization", "s", "Synchronization", "synch", "potential time of synchronization",
     potential, &C::synchronization},
    {"time_variation", "s", "Time variation", "vary", "potential time of variation", potential,
     &C::time_variation},
    {"overlap", "s", "Overlap", "over", "communication hidden by computation", potential,
     &C::overlap},
};

}  // namespace

std::span<const Figure> figures() noexcept { return table; }

}  // namespace gridcast::model
