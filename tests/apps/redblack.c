/* Red-black relaxation on a grid of ranks worked out by hand: a warm-up, then the run, by one
   function. usage: redblack N1 N2 P1 P2 ITERATIONS */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int n[2], neighbours[4];
static double* points; /* with a row and a column more at each end */
static double* edges;  /* four received, four to send */

static int length(int side) { return side < 2 ? n[1] : n[0]; }

static void exchange(int colour) {
  MPI_Request requests[4];
  int count = 0;
  const size_t most = (size_t)(n[0] > n[1] ? n[0] : n[1]);
  for (int side = 0; side < 4; ++side) {
    if (neighbours[side] >= 0) {
      MPI_Irecv(edges + (size_t)side * most, length(side), MPI_DOUBLE, neighbours[side], colour,
                MPI_COMM_WORLD, requests + count++);
    }
  }
  for (int side = 0; side < 4; ++side) {
    if (neighbours[side] >= 0) {
      MPI_Send(edges + (size_t)(4 + side) * most, length(side), MPI_DOUBLE, neighbours[side],
               colour, MPI_COMM_WORLD);
    }
  }
  MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
}

static double relax(int iterations) {
  double change = 0;
  const int width = n[1] + 2;
  for (int it = 0; it < iterations; ++it) {
    double own = 0;
    for (int colour = 0; colour < 2; ++colour) {
      exchange(colour);
      for (int i = 1; i <= n[0]; ++i) {
        for (int j = 1 + (i + colour) % 2; j <= n[1]; j += 2) {
          double* const p = points + i * width + j;
          const double value = 0.25 * (p[-1] + p[1] + p[-width] + p[width]) + 1.0;
          own += value - *p;
          *p = value;
        }
      }
    }
    MPI_Allreduce(&own, &change, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  return change;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int dims[2] = {atoi(argv[3]), atoi(argv[4])};
  const int at[2] = {rank / dims[1], rank % dims[1]};
  for (int d = 0; d < 2; ++d) {
    const int extent = atoi(argv[1 + d]);
    const int stride = d == 0 ? dims[1] : 1;
    n[d] = extent / dims[d] + (at[d] < extent % dims[d]);
    neighbours[2 * d] = at[d] > 0 ? rank - stride : -1;
    neighbours[2 * d + 1] = at[d] < dims[d] - 1 ? rank + stride : -1;
  }
  points = calloc((size_t)(n[0] + 2) * (size_t)(n[1] + 2), sizeof *points);
  edges = calloc(8 * (size_t)(n[0] + n[1]), sizeof *edges);
  const double warm = relax(atoi(argv[5]));
  double least;
  MPI_Allreduce(&warm, &least, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
  const double change = relax(atoi(argv[5]));
  if (rank == 0) {
    printf("change %.6f, %.6f\n", least, change);
  }
  MPI_Finalize();
  return 0;
}
