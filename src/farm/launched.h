#pragma once
/// What the launcher (mpirun, srun) did, known before MPI is initialized.

namespace gridcast::sweep {

/// Whether a launcher (mpirun, srun) started this process as one of several: only then MPI needs to
/// be initialized.
[[nodiscard]] bool launched_by_mpi();

/// Rank that the launcher gave this process, known before MPI is initialized; 0 without a launcher.
/// Lets the command line print its usage errors once.
[[nodiscard]] int launched_rank();

}  // namespace gridcast::sweep
