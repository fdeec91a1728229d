/* A sweep from one corner of a 2-D grid to the other, in planes of the third extent: blocking Recv and Send, also to
 * MPI_PROC_NULL. usage: wavefront N1 N2 N3 P1 P2 ITERATIONS, N1 and N2 divisible */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int dims[2] = {atoi(argv[4]), atoi(argv[5])};
  int periods[2] = {0, 0};
  MPI_Comm grid;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
  const int n1 = atoi(argv[1]) / dims[0], n2 = atoi(argv[2]) / dims[1], planes = atoi(argv[3]);
  int west, east, north, south;
  MPI_Cart_shift(grid, 0, 1, &north, &south);
  MPI_Cart_shift(grid, 1, 1, &west, &east);
  double* values = calloc((size_t)n1 * (size_t)n2, sizeof *values);
  double* row = calloc((size_t)n2, sizeof *row);
  double* column = calloc((size_t)n1, sizeof *column);
  double sum = 0;
  for (int it = 0; it < atoi(argv[6]); ++it) {
    for (int plane = 0; plane < planes; ++plane) {
      MPI_Recv(row, n2, MPI_DOUBLE, north, 1, grid, MPI_STATUS_IGNORE);
      MPI_Recv(column, n1, MPI_DOUBLE, west, 2, grid, MPI_STATUS_IGNORE);
#ifdef COMPUTE /* a known time, tools/recorded */
      COMPUTE(n1 * n2);
#else
      for (int i = 0; i < n1; ++i) {
        for (int j = 0; j < n2; ++j) {
          values[i * n2 + j] += 0.5 * (row[j] + column[i]) + 1.0;
        }
      }
#endif
      MPI_Send(row, n2, MPI_DOUBLE, south, 1, grid);
      MPI_Send(column, n1, MPI_DOUBLE, east, 2, grid);
    }
    MPI_Allreduce(values, &sum, 1, MPI_DOUBLE, MPI_MAX, grid);
  }
  MPI_Finalize();
  free(values);
  free(row);
  free(column);
  return 0;
}
