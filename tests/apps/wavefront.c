/* A sweep from one corner of a 2-D grid to the other, in planes of the third extent: blocking Recv and Send, also to
 * MPI_PROC_NULL; with PLANES one from each corner, in portions of so many planes.
 * usage: wavefront N1 N2 N3 P1 P2 ITERATIONS [PLANES], N1 and N2 divisible, N3 by PLANES */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int dims[2] = {atoi(argv[4]), atoi(argv[5])};
  int periods[2] = {0, 0};
  MPI_Comm grid;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
  const int planes = argc > 7 ? atoi(argv[7]) : 1, corners = argc > 7 ? 4 : 1;
  const int n1 = atoi(argv[1]) / dims[0], n2 = atoi(argv[2]) / dims[1], portions = atoi(argv[3]) / planes;
  double* values = calloc((size_t)n1 * (size_t)n2, sizeof *values);
  double* row = calloc((size_t)planes * (size_t)n2, sizeof *row);
  double* column = calloc((size_t)planes * (size_t)n1, sizeof *column);
  double sum = 0;
  for (int it = 0; it < atoi(argv[6]); ++it) {
    for (int corner = 0; corner < corners; ++corner) {
      int west, east, north, south;
      MPI_Cart_shift(grid, 0, corner % 2 == 0 ? 1 : -1, &north, &south);
      MPI_Cart_shift(grid, 1, corner / 2 == 0 ? 1 : -1, &west, &east);
      for (int portion = 0; portion < portions; ++portion) {
        MPI_Recv(row, planes * n2, MPI_DOUBLE, north, 1, grid, MPI_STATUS_IGNORE);
        MPI_Recv(column, planes * n1, MPI_DOUBLE, west, 2, grid, MPI_STATUS_IGNORE);
#ifdef COMPUTE /* a known time, tools/recorded */
        COMPUTE(planes * n1 * n2);
#else
        for (int plane = 0; plane < planes; ++plane) {
          for (int i = 0; i < n1; ++i) {
            for (int j = 0; j < n2; ++j) {
              values[i * n2 + j] += 0.5 * (row[plane * n2 + j] + column[plane * n1 + i]) + 1.0;
            }
          }
        }
#endif
        MPI_Send(row, planes * n2, MPI_DOUBLE, south, 1, grid);
        MPI_Send(column, planes * n1, MPI_DOUBLE, east, 2, grid);
      }
    }
    MPI_Allreduce(values, &sum, 1, MPI_DOUBLE, MPI_MAX, grid);
  }
  MPI_Finalize();
  free(values);
  free(row);
  free(column);
  return 0;
}
