/* Every second process sends first, the others receive first, synchronously. Which ones, says the
 * coordinate along the first dimension or, with `rank`, the rank. usage: parity N1 N2 P1 P2
 * ITERATIONS [rank], N1 and N2 divisible */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int dims[2] = {atoi(argv[3]), atoi(argv[4])};
  int periods[2] = {0, 0};
  int rank, at[2], low, high;
  MPI_Comm grid;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
  MPI_Comm_rank(grid, &rank);
  MPI_Cart_coords(grid, rank, 2, at);
  MPI_Cart_shift(grid, 0, 1, &low, &high);
  const int n1 = atoi(argv[1]) / dims[0], n2 = atoi(argv[2]) / dims[1];
  double* values = calloc((size_t)n1 * (size_t)n2, sizeof *values);
  double* row = calloc((size_t)n2, sizeof *row);
  double sum = 0;
  const int first = (argc > 6 ? rank : at[0]) % 2 == 0;
  for (int it = 0; it < atoi(argv[5]); ++it) {
#ifdef COMPUTE /* a known time, tools/recorded */
    COMPUTE(n1 * n2);
#else
    for (int i = 0; i < n1 * n2; ++i) {
      values[i] += 0.5 * row[i % n2] + 1.0;
    }
#endif
    if (first) {
      MPI_Ssend(values, n2, MPI_DOUBLE, high, 1, grid);
      MPI_Recv(row, n2, MPI_DOUBLE, low, 1, grid, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(row, n2, MPI_DOUBLE, low, 1, grid, MPI_STATUS_IGNORE);
      MPI_Ssend(values, n2, MPI_DOUBLE, high, 1, grid);
    }
    MPI_Allreduce(values, &sum, 1, MPI_DOUBLE, MPI_MAX, grid);
  }
  MPI_Finalize();
  free(values);
  free(row);
  return 0;
}
