/* One function exchanges the edges of two fields of ten levels, then twelve times those of one
 * level; no dimension is periodic. usage: substeps N1 N2 P1 P2 ITERATIONS, N divisible */
#include <mpi.h>
#include <stdlib.h>

static MPI_Comm grid;
static int edge[2]; /* elements of those along the first dimension, and the second */

static void exchange(double* values, int levels) {
  for (int d = 0; d < 4; ++d) {
    int from, to;
    MPI_Cart_shift(grid, d / 2, d % 2 == 0 ? 1 : -1, &from, &to);
    const int count = levels * edge[d / 2];
    MPI_Sendrecv(values, count, MPI_DOUBLE, to, d, values + count, count, MPI_DOUBLE, from, d, grid, MPI_STATUS_IGNORE);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int dims[2] = {atoi(argv[3]), atoi(argv[4])}, periods[2] = {0, 0};
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
  edge[0] = atoi(argv[2]) / dims[1];
  edge[1] = atoi(argv[1]) / dims[0];
  double* values = calloc(20 * (size_t)(edge[0] + edge[1]), sizeof *values);
  for (int it = 0; it < atoi(argv[5]); ++it) {
    exchange(values, 10);
    exchange(values, 10);
    for (int step = 0; step < 12; ++step) {
      exchange(values, 1);
    }
    MPI_Allreduce(MPI_IN_PLACE, values, 1, MPI_DOUBLE, MPI_MAX, grid);
  }
  MPI_Finalize();
  free(values);
  return 0;
}
