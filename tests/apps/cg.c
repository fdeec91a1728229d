/* CG on a 2-D grid: halo of Irecv, Isend and Waitall, two scalar products through one helper; processes without a
 * neighbour leave the calls out. usage: cg N1 N2 P1 P2 ITERATIONS */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static MPI_Comm grid;

static double dot(const double* a, const double* b, int n) {
  double own = 0, sum = 0;
#ifdef COMPUTE /* a known time, tools/recorded */
  COMPUTE(n);
#else
  for (int i = 0; i < n; ++i) {
    own += a[i] * b[i];
  }
#endif
  MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, grid);
  return sum;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int dims[2] = {atoi(argv[3]), atoi(argv[4])};
  int periods[2] = {0, 0};
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
  int rank, at[2], n[2], low[2], high[2];
  MPI_Comm_rank(grid, &rank);
  MPI_Cart_coords(grid, rank, 2, at);
  for (int d = 0; d < 2; ++d) {
    const int extent = atoi(argv[1 + d]);
    n[d] = extent / dims[d] + (at[d] < extent % dims[d]);
    MPI_Cart_shift(grid, d, 1, &low[d], &high[d]);
  }
  const int size = n[0] * n[1];
  double* p = calloc((size_t)size, sizeof *p);
  double* q = calloc((size_t)size, sizeof *q);
  const int longest = n[0] > n[1] ? n[0] : n[1];
  double* edges = calloc(8 * (size_t)longest, sizeof *edges);
  for (int i = 0; i < size; ++i) {
    p[i] = 1.0 / (1 + i);
  }
  double r = 1;
  for (int it = 0; it < atoi(argv[5]); ++it) {
    MPI_Request requests[8];
    int open = 0;
    for (int d = 0; d < 2; ++d) {
      const int length = n[1 - d];
      if (low[d] != MPI_PROC_NULL) {
        MPI_Irecv(edges + (4 * d) * longest, length, MPI_DOUBLE, low[d], 0, grid, &requests[open++]);
        MPI_Isend(edges + (4 * d + 1) * longest, length, MPI_DOUBLE, low[d], 0, grid, &requests[open++]);
      }
      if (high[d] != MPI_PROC_NULL) {
        MPI_Irecv(edges + (4 * d + 2) * longest, length, MPI_DOUBLE, high[d], 0, grid, &requests[open++]);
        MPI_Isend(edges + (4 * d + 3) * longest, length, MPI_DOUBLE, high[d], 0, grid, &requests[open++]);
      }
    }
    MPI_Waitall(open, requests, MPI_STATUSES_IGNORE);
#ifdef COMPUTE
    COMPUTE(5 * size);
#else
    for (int i = 0; i < size; ++i) {
      q[i] = 0.5 * p[i] + edges[0];
    }
#endif
    const double alpha = r / dot(p, q, size);
#ifdef COMPUTE
    COMPUTE(size);
    q[0] = alpha;
#else
    for (int i = 0; i < size; ++i) {
      p[i] += 1e-3 * alpha * q[i];
    }
#endif
    r = dot(p, p, size);
  }
  if (rank == 0) {
    printf("residual %.6e\n", r);
  }
  MPI_Finalize();
  free(p);
  free(q);
  free(edges);
  return 0;
}
