/* Faces go by persistent requests, and each half of them is waited for at its own line, as some
 * libraries do it; one process waits for nothing there and reduces nothing. With "round"
 * both dimensions are periodic, and what goes both ways to one process goes at once. usage: halves
 * N1 N2 P1 P2 ITERATIONS [round] */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int dims[2] = {atoi(argv[3]), atoi(argv[4])}, round = argc > 6,
            periods[2] = {round, round};
  int coords[2], rank, ranks, length[2], count = 0;
  MPI_Comm grid;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
  MPI_Comm_rank(grid, &rank);
  MPI_Comm_size(grid, &ranks);
  MPI_Cart_coords(grid, rank, 2, coords);
  for (int d = 0; d < 2; ++d) {
    const int all = atoi(argv[1 + d]);
    length[d] = all / dims[d] + (coords[d] < all % dims[d]);
  }
  double* faces = calloc(16 * (size_t)(length[0] + length[1]), sizeof *faces);
  MPI_Request sends[4], receives[4];
  for (int face = 0; face < 4; ++face) {
    int from, to;
    const int both = round && dims[face / 2] == 2;
    MPI_Cart_shift(grid, face / 2, face % 2 ? 1 : -1, &from, &to);
    if (to != MPI_PROC_NULL && to != rank && !(both && face % 2)) {
      double* values = faces + 4 * face * (length[0] + length[1]);
      const int elements = (both ? 2 : 1) * length[1 - face / 2];
      MPI_Send_init(values, elements, MPI_DOUBLE, to, face, grid, &sends[count]);
      MPI_Recv_init(values + elements, elements, MPI_DOUBLE, to, both ? face : face ^ 1, grid,
                    &receives[count++]);
    }
  }
  volatile double sum = 0.0;
  for (int it = 0; it < atoi(argv[5]); ++it) {
    if (count > 0) {
      MPI_Startall(count, receives);
      MPI_Startall(count, sends);
    }
    MPI_Waitall(count, receives, MPI_STATUSES_IGNORE);
    MPI_Waitall(count, sends, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 20 * length[0] * length[1]; ++i) {
      sum = 0.5 * sum + 1.0;
    }
    if (ranks > 1) {
      double own = sum;
      MPI_Allreduce(&own, faces, 1, MPI_DOUBLE, MPI_MAX, grid);
    }
  }
  MPI_Finalize();
  free(faces);
  return 0;
}
