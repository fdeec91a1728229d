/* 3-D heat, periodic, phases of Isend and Irecv per dimension. usage: heat3d N P1 P2 P3 ITERATIONS
 * [STEPS], N divisible; with so many steps in an iteration, then a residual, and tags that are the
 * same for all dimensions */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int dims[3] = {atoi(argv[2]), atoi(argv[3]), atoi(argv[4])};
  int periods[3] = {1, 1, 1};
  MPI_Comm grid;
  MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 1, &grid);
  int rank;
  MPI_Comm_rank(grid, &rank);
  const int extent = atoi(argv[1]);
  int face[3];
  int most = 0;
  for (int d = 0; d < 3; ++d) {
    face[d] = extent / dims[(d + 1) % 3] * (extent / dims[(d + 2) % 3]);
    most = face[d] > most ? face[d] : most;
  }
  double* buffers = calloc(4 * (size_t)most, sizeof *buffers);
  double total = 0;
  const int steps = argc > 6 ? atoi(argv[6]) : 1;
  for (int it = 0; it < atoi(argv[5]); ++it) {
    for (int phase = 0; phase < 3 * steps; ++phase) {
      const int d = phase % 3;
      const int tag = argc > 6 ? 0 : d;
      int low, high;
      MPI_Request requests[4];
      MPI_Cart_shift(grid, d, 1, &low, &high);
      MPI_Irecv(buffers, face[d], MPI_DOUBLE, low, 10 + tag, grid, &requests[0]);
      MPI_Irecv(buffers + most, face[d], MPI_DOUBLE, high, 20 + tag, grid, &requests[1]);
      MPI_Isend(buffers + 2 * most, face[d], MPI_DOUBLE, high, 10 + tag, grid, &requests[2]);
      MPI_Isend(buffers + 3 * most, face[d], MPI_DOUBLE, low, 20 + tag, grid, &requests[3]);
      MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    }
    buffers[2 * most] += 1.0;
    if (argc > 6) {
      MPI_Allreduce(MPI_IN_PLACE, buffers, 1, MPI_DOUBLE, MPI_SUM, grid);
    }
#ifdef COMPUTE /* a known time, tools/recorded */
    COMPUTE(face[0] * (extent / dims[0]));
#endif
  }
  MPI_Reduce(&buffers[2 * most], &total, 1, MPI_DOUBLE, MPI_SUM, 0, grid);
  if (rank == 0) {
    printf("total %.1f\n", total);
  }
  MPI_Finalize();
  free(buffers);
  return 0;
}
