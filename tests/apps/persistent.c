/* Persistent requests along dimension 0, neighbour collectives over both. usage: persistent P1 P2
 * ITERATIONS */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int dims[2] = {atoi(argv[1]), atoi(argv[2])};
  int periods[2] = {1, 1};
  MPI_Comm grid;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
  int keep[2] = {0, 1};
  MPI_Comm row;
  MPI_Cart_sub(grid, keep, &row);
  int up, down;
  MPI_Cart_shift(grid, 0, 1, &up, &down);
  double out[2][100], in[2][100], faces[4][10], halos[4][10];
  int counts[4] = {2, 2, 4, 4};
  int places[4] = {0, 10, 20, 30};
  MPI_Request requests[4];
  MPI_Recv_init(in[0], 100, MPI_DOUBLE, up, 7, grid, &requests[0]);
  MPI_Recv_init(in[1], 100, MPI_DOUBLE, down, 8, grid, &requests[1]);
  MPI_Send_init(out[0], 100, MPI_DOUBLE, down, 7, grid, &requests[2]);
  MPI_Send_init(out[1], 100, MPI_DOUBLE, up, 8, grid, &requests[3]);
  for (int it = 0; it < atoi(argv[3]); ++it) {
    MPI_Request all;
    MPI_Startall(4, requests);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    MPI_Neighbor_alltoall(faces, 10, MPI_DOUBLE, halos, 10, MPI_DOUBLE, grid);
    MPI_Neighbor_alltoallv(faces, counts, places, MPI_DOUBLE, halos, counts, places, MPI_DOUBLE,
                           grid);
    MPI_Ineighbor_allgather(faces, 5, MPI_INT, halos, 5, MPI_INT, grid, &all);
    MPI_Wait(&all, MPI_STATUS_IGNORE);
    MPI_Allreduce(MPI_IN_PLACE, out[0], 3, MPI_FLOAT, MPI_SUM, row);
  }
  for (int i = 0; i < 4; ++i) {
    MPI_Request_free(&requests[i]);
  }
  MPI_Comm_free(&row);
  MPI_Finalize();
  return 0;
}
