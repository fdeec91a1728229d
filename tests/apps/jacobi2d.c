/* 2-D Jacobi on a Cartesian grid with Sendrecv. usage: jacobi2d N1 N2 P1 P2 ITERATIONS */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int dims[2] = {atoi(argv[3]), atoi(argv[4])};
  int periods[2] = {0, 0};
  int at[2];
  MPI_Comm grid;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
  int rank;
  MPI_Comm_rank(grid, &rank);
  MPI_Cart_coords(grid, rank, 2, at);
  int n[2];
  for (int d = 0; d < 2; ++d) {
    const int extent = atoi(argv[1 + d]);
    const int block = (extent + dims[d] - 1) / dims[d];
    n[d] = at[d] < dims[d] - 1 ? block : extent - block * (dims[d] - 1);
  }
  const int width = n[1] + 2;
  double* a = calloc((size_t)(n[0] + 2) * (size_t)width, sizeof *a);
  double* b = calloc((size_t)(n[0] + 2) * (size_t)width, sizeof *b);
  MPI_Datatype column;
  MPI_Type_vector(n[0], 1, width, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  int up, down, left, right;
  MPI_Cart_shift(grid, 0, 1, &up, &down);
  MPI_Cart_shift(grid, 1, 1, &left, &right);
  double change = 0;
  for (int it = 0; it < atoi(argv[5]); ++it) {
    MPI_Sendrecv(a + width + 1, n[1], MPI_DOUBLE, up, 1, a + (n[0] + 1) * width + 1, n[1],
                 MPI_DOUBLE, down, 1, grid, MPI_STATUS_IGNORE);
    MPI_Sendrecv(a + n[0] * width + 1, n[1], MPI_DOUBLE, down, 2, a + 1, n[1], MPI_DOUBLE, up, 2,
                 grid, MPI_STATUS_IGNORE);
    MPI_Sendrecv(a + width + 1, 1, column, left, 3, a + width + n[1] + 1, 1, column, right, 3, grid,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(a + width + n[1], 1, column, right, 4, a + width, 1, column, left, 4, grid,
                 MPI_STATUS_IGNORE);
    double own = 0;
#ifdef COMPUTE /* a known time, tools/recorded */
    COMPUTE(n[0] * n[1]);
#else
    for (int i = 1; i <= n[0]; ++i) {
      for (int j = 1; j <= n[1]; ++j) {
        const int k = i * width + j;
        b[k] = 0.25 * (a[k - 1] + a[k + 1] + a[k - width] + a[k + width]) + 1.0;
        own += b[k] - a[k];
      }
    }
#endif
    double* const swap = a;
    a = b;
    b = swap;
    MPI_Allreduce(&own, &change, 1, MPI_DOUBLE, MPI_SUM, grid);
  }
  if (rank == 0) {
    printf("change %.6f\n", change);
  }
  MPI_Type_free(&column);
  MPI_Comm_free(&grid);
  MPI_Finalize();
  free(a);
  free(b);
  return 0;
}
