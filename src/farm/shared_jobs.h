#pragma once
/// A few independent jobs of unknown length on all ranks, their results on each: for work that
/// every rank goes on with.

#include <boost/mpi/communicator.hpp>
#include <cstddef>
#include <functional>
#include <vector>

namespace gridcast::sweep {

/// Collective: job(i) for i = 0 … count-1, each on one rank, in turns; all results on every rank.
/// What a job throws, all ranks throw: an InputError, or std::runtime_error
/// with its text.
[[nodiscard]] std::vector<std::vector<double>> share_jobs(
    const boost::mpi::communicator& world, std::size_t count,
    const std::function<std::vector<double>(std::size_t)>& job);

}  // namespace gridcast::sweep
