/* The transpositions of a 3-D FFT on pencils: Alltoallv within rows, then within columns of the grid.
 * usage: pencils N1 N2 N3 P1 P2 ITERATIONS [back] */
#include <mpi.h>
#include <stdlib.h>

static int part(int extent, int parts, int q) { return (q + 1) * extent / parts - q * extent / parts; }

/* To each process of the line a block of `own` x the own part of extent_in x its part of extent_out. */
static void transpose(MPI_Comm line, int own, int extent_out, int extent_in, double* out, double* in) {
  int size, rank;
  MPI_Comm_size(line, &size);
  MPI_Comm_rank(line, &rank);
  int* numbers = calloc(4 * (size_t)size, sizeof *numbers);
  int *sent = numbers, *sent_at = numbers + size, *got = numbers + 2 * size, *got_at = numbers + 3 * size;
  int sends = 0, gets = 0;
  for (int t = 0; t < size; ++t) {
    sent[t] = 2 * own * part(extent_in, size, rank) * part(extent_out, size, t);
    got[t] = 2 * own * part(extent_in, size, t) * part(extent_out, size, rank);
    sent_at[t] = sends;
    got_at[t] = gets;
    sends += sent[t];
    gets += got[t];
  }
  MPI_Alltoallv(out, sent, sent_at, MPI_DOUBLE, in, got, got_at, MPI_DOUBLE, line);
  free(numbers);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n[3] = {atoi(argv[1]), atoi(argv[2]), atoi(argv[3])};
  int dims[2] = {atoi(argv[4]), atoi(argv[5])};
  int periods[2] = {0, 0};
  int rank, at[2];
  MPI_Comm grid, row, column;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
  MPI_Comm_rank(grid, &rank);
  MPI_Cart_coords(grid, rank, 2, at);
  int keep_row[2] = {0, 1}, keep_column[2] = {1, 0};
  MPI_Cart_sub(grid, keep_row, &row);
  MPI_Cart_sub(grid, keep_column, &column);
  const int n1 = part(n[0], dims[0], at[0]), n3 = part(n[2], dims[1], at[1]);
  const int points[3] = {n1 * part(n[1], dims[1], at[1]) * n[2], n1 * n[1] * n3, n[0] * part(n[1], dims[0], at[0]) * n3};
  int most = 1;
  for (int i = 0; i < 3; ++i) {
    most = points[i] > most ? points[i] : most;
  }
  double* out = calloc(2 * (size_t)most, sizeof *out);
  double* in = calloc(2 * (size_t)most, sizeof *in);
  for (int it = 0; it < atoi(argv[6]); ++it) {
    /* Blocks (n1/p1, n2/p2, n3) become (n1/p1, n2, n3/p2), then (n1, n2/p1, n3/p2). */
#ifdef COMPUTE /* a known time, tools/recorded */
    COMPUTE(points[0]);
#endif
    transpose(row, n1, n[2], n[1], out, in);
    transpose(column, n3, n[1], n[0], out, in);
    if (argc > 7) {
      transpose(column, n3, n[0], n[1], out, in);
    }
  }
  MPI_Comm_free(&row);
  MPI_Comm_free(&column);
  MPI_Finalize();
  free(out);
  free(in);
  return 0;
}
