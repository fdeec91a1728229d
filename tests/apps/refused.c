/* Programs that no description fits, but for far. usage:
 * refused poll|tested|uneven|anybody|partial|overlap|growing|pair|far|window|wide N */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const char* mode = argv[1];
  int rank, size;
  double value = 1, other = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm pair;
  MPI_Comm_split(MPI_COMM_WORLD, rank < 2, 0, &pair);
  MPI_Comm line = MPI_COMM_WORLD;
  if (strcmp(mode, "far") == 0 || strcmp(mode, "wide") == 0) {
    const int around = 0;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &around, 0, &line);
  }
  double many[100] = {0}, got[100], sums[10];
  const int low = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  const int high = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
  for (int it = 0; it < 10; ++it) {
    if (strcmp(mode, "poll") == 0) {
      MPI_Request request;
      int done = 0;
      MPI_Irecv(&other, 1, MPI_DOUBLE, low, 0, MPI_COMM_WORLD, &request);
      for (int tries = 0; tries < 5; ++tries) {
        if (rank > 0) {
          MPI_Test(&request, &done, MPI_STATUS_IGNORE); /* nothing was sent yet */
        }
      }
      MPI_Barrier(MPI_COMM_WORLD);
      MPI_Send(&value, 1, MPI_DOUBLE, high, 0, MPI_COMM_WORLD);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (strcmp(mode, "uneven") == 0 || strcmp(mode, "tested") == 0) {
      if (mode[0] == 't') { /* as if that decided how often something is done */
        MPI_Request request;
        int done = 0;
        MPI_Irecv(&other, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      }
      for (int again = 0; again < 10 + rank; ++again) {
        MPI_Sendrecv(&value, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, &other, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
      }
    } else if (strcmp(mode, "wide") == 0) { /* messages as long as a tenth of the problem */
      const int length = atoi(argv[2]) / 10;
      MPI_Sendrecv(many, length, MPI_DOUBLE, high, 0, got, length, MPI_DOUBLE, low, 0, line, MPI_STATUS_IGNORE);
    } else if (strcmp(mode, "anybody") == 0) {
      if (rank > 0) {
        MPI_Recv(&other, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      }
      MPI_Send(&value, 1, MPI_DOUBLE, high, 0, MPI_COMM_WORLD);
    } else if (strcmp(mode, "partial") == 0) {
      MPI_Sendrecv(&value, 1, MPI_DOUBLE, rank == 1 ? MPI_PROC_NULL : high, 0, &other, 1, MPI_DOUBLE,
                   low == 1 ? MPI_PROC_NULL : low, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (strcmp(mode, "overlap") == 0) {
      MPI_Request requests[4];
      MPI_Irecv(&other, 1, MPI_DOUBLE, low, 0, MPI_COMM_WORLD, &requests[0]);
      MPI_Isend(&value, 1, MPI_DOUBLE, high, 0, MPI_COMM_WORLD, &requests[1]);
      MPI_Barrier(MPI_COMM_WORLD);
      MPI_Irecv(many, 1, MPI_DOUBLE, high, 1, MPI_COMM_WORLD, &requests[2]);
      MPI_Isend(&value, 1, MPI_DOUBLE, low, 1, MPI_COMM_WORLD, &requests[3]);
      MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    } else if (strcmp(mode, "growing") == 0) {
      MPI_Allreduce(many, sums, 1 + it, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    } else if (strcmp(mode, "far") == 0) {
      const int back = rank > 1 ? rank - 2 : MPI_PROC_NULL;
      const int ahead = rank + 2 < size ? rank + 2 : MPI_PROC_NULL;
      MPI_Request requests[4];
      MPI_Irecv(&other, 1, MPI_DOUBLE, back, 0, line, &requests[0]);
      MPI_Irecv(many, 1, MPI_DOUBLE, ahead, 1, line, &requests[1]);
      MPI_Isend(&value, 1, MPI_DOUBLE, ahead, 0, line, &requests[2]);
      MPI_Isend(&value, 1, MPI_DOUBLE, back, 1, line, &requests[3]);
      MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    } else if (strcmp(mode, "window") == 0) {
      MPI_Win window;
      MPI_Win_create(&other, sizeof other, sizeof other, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
      MPI_Win_fence(0, window);
      MPI_Put(&value, 1, MPI_DOUBLE, high, 0, 1, MPI_DOUBLE, window);
      MPI_Win_fence(0, window);
      MPI_Win_free(&window);
    } else if (strcmp(mode, "pair") == 0) {
      MPI_Allreduce(many, sums, 1, MPI_DOUBLE, MPI_SUM, pair);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
