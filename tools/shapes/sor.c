/* Times successive over-relaxation in blocks of several shapes, and as a pipeline of two processes.
 *
 * usage: mpirun -n 1|2 sor ROWS COLUMNS P1xP2 PORTIONS ITERATIONS
 * prints the least and the median seconds of an iteration; the points of the borders are not among
 * ROWS and COLUMNS. On 2x1 the columns are cut into portions, on 1x2 the rows, on 1x1 nothing is.
 *
 * The loop that is measured is the one that C-DVM makes of configs/programs/sor.toml: each point
 * waits for the one before it, so the processor works on several points at once only where one
 * inner loop ends and the next begins.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A block of points with a border of width 1. */
struct block {
  long rows, columns;
  float* points;
};

static float* at(const struct block* block, long row, long column) {
  return &block->points[row * (block->columns + 2) + column];
}

/* Rows and columns from the first to before the last; the greatest change of a point. */
__attribute__((noinline)) static float relax(const struct block* block, long row, long last_row,
                                             long column, long last_column) {
  const float w = 0.9F;
  const long width = block->columns + 2;
  float greatest = 0.0F;
  for (long i = row; i < last_row; ++i) {
    float* const line = at(block, i, 0);
    for (long j = column; j < last_column; ++j) {
      const float old = line[j];
      line[j] =
          w / 4 * (line[j - width] + line[j + width] + line[j - 1] + line[j + 1]) + (1 - w) * old;
      greatest = fmaxf(greatest, fabsf(line[j] - old));
    }
  }
  return greatest;
}

/* Points of a row or column of the border; strided ones are packed. */
static void copy_line(const struct block* block, int rows, long line, long begin, long end,
                      float* packed, int in) {
  for (long i = begin; i < end; ++i) {
    float* const point = rows ? at(block, line, i) : at(block, i, line);
    if (in)
      *point = packed[i - begin];
    else
      packed[i - begin] = *point;
  }
}

static void send_line(const struct block* block, int rows, long line, long begin, long end,
                      float* packed, int to) {
  copy_line(block, rows, line, begin, end, packed, 0);
  MPI_Send(packed, (int)(end - begin), MPI_FLOAT, to, 0, MPI_COMM_WORLD);
}

static void receive_line(const struct block* block, int rows, long line, long begin, long end,
                         float* packed, int from) {
  MPI_Recv(packed, (int)(end - begin), MPI_FLOAT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  copy_line(block, rows, line, begin, end, packed, 1);
}

/* One iteration of two processes: rows of the grid are cut (by_rows), or columns. */
static float iterate(const struct block* block, int by_rows, int rank, long portions,
                     float* packed) {
  const long across = by_rows ? block->rows : block->columns;
  const long along = by_rows ? block->columns : block->rows;
  const long length = (along + portions - 1) / portions;
  float greatest = 0.0F;
  if (rank == 1)
    send_line(block, by_rows, 1, 1, along + 1, packed, 0);
  else
    receive_line(block, by_rows, across + 1, 1, along + 1, packed, 1);
  for (long begin = 1; begin <= along; begin += length) {
    const long end = begin + length < along + 1 ? begin + length : along + 1;
    if (rank == 1) receive_line(block, by_rows, 0, begin, end, packed, 0);
    const float change =
        by_rows ? relax(block, 1, across + 1, begin, end) : relax(block, begin, end, 1, across + 1);
    greatest = fmaxf(greatest, change);
    if (rank == 0) send_line(block, by_rows, across, begin, end, packed, 1);
  }
  float of_all = greatest;
  MPI_Allreduce(&greatest, &of_all, 1, MPI_FLOAT, MPI_MAX, MPI_COMM_WORLD);
  return of_all;
}

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a;
  const double y = *(const double*)b;
  return (x > y) - (x < y);
}

int main(int argc, char** argv) {
  int rank = 0;
  int size = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc != 6 || size > 2) {
    if (rank == 0)
      fprintf(stderr, "usage: mpirun -n 1|2 sor ROWS COLUMNS P1xP2 PORTIONS ITERATIONS\n");
    MPI_Finalize();
    return 2;
  }
  const int by_rows = strcmp(argv[3], "1x2") != 0;
  const int parts = size;
  struct block block = {atol(argv[1]), atol(argv[2]), NULL};
  if (by_rows)
    block.rows /= parts;
  else
    block.columns /= parts;
  const long portions = atol(argv[4]);
  const long iterations = atol(argv[5]);
  const long points = (block.rows + 2) * (block.columns + 2);
  block.points = malloc((size_t)points * sizeof *block.points);
  float* packed = malloc((size_t)(block.rows + block.columns) * sizeof *packed);
  double* seconds = malloc((size_t)iterations * sizeof *seconds);
  for (long i = 0; i < points; ++i) block.points[i] = (float)(i % 97);
  float change = 0.0F;
  for (long i = 0; i < iterations; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    change += size == 1 ? relax(&block, 1, block.rows + 1, 1, block.columns + 1)
                        : iterate(&block, by_rows, rank, portions, packed);
    seconds[i] = MPI_Wtime() - begin;
  }
  if (rank == 0) {
    qsort(seconds, (size_t)iterations, sizeof *seconds, ascending);
    printf("%.6e,%.6e\n", seconds[0], seconds[iterations / 2]);
  }
  free(seconds);
  free(packed);
  free(block.points);
  MPI_Finalize();
  return change < 0.0F; /* what is computed is used */
}
