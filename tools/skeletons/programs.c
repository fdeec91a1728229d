/* Programs of configs/programs as MPI programs, without their data: what is computed takes the time
 * that the descriptions say, what is sent has the lengths that the blocks give. Run by
 * tools/accuracy under SimGrid's smpirun.
 *
 * usage: grid_programs PROGRAM linear|tree free|together N ITERATIONS POINT P1 [P2 [P3]]
 * prints the simulated seconds from the start to the end of the last process
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grid.h"

enum { element = 8 };

static void jacobi(const struct grid* grid, long iterations, double point, double second,
                   double print) {
  for (long i = 0; i < iterations; ++i) {
    compute(point * interior(grid));
    reduce(grid, element);
    exchange(grid, element);
    compute(second * point * interior(grid));
    if (grid->rank == 0) compute(print);
  }
}

static void jacobi1d(const struct grid* grid, long iterations, double point) {
  jacobi(grid, iterations, point, 1.5, 0.0);
}

static void jacobi2d(const struct grid* grid, long iterations, double point) {
  jacobi(grid, iterations, point, 1.8, 20e-6);
}

/* Only exchanges of edges. */
static void stencil(const struct grid* grid, long iterations, double point) {
  for (long i = 0; i < iterations; ++i) {
    exchange(grid, element);
    compute(point * interior(grid));
  }
}

/* Only reductions, one after the other. */
static void reductions(const struct grid* grid, long iterations, double point) {
  for (long i = 0; i < iterations; ++i) {
    compute(point * interior(grid));
    reduce(grid, element);
  }
}

static double coloured(const struct grid* grid, long row, long column) {
  return (double)iterations_of(grid, 0, grid->coordinates[0], row, grid->n - 2, 2) *
         (double)iterations_of(grid, 1, grid->coordinates[1], column, grid->n - 2, 2);
}

static void redblack(const struct grid* grid, long iterations, double point) {
  for (long i = 0; i < iterations; ++i) {
    compute(point * coloured(grid, 1, 1));
    compute(point * coloured(grid, 2, 2));
    reduce(grid, 4);
    exchange(grid, element);
    compute(point * coloured(grid, 1, 2));
    compute(point * coloured(grid, 2, 1));
    exchange(grid, element);
  }
}

static const struct {
  const char* name;
  void (*run)(const struct grid*, long, double);
} programs[] = {{"jacobi1d", jacobi1d},
                {"jacobi2d", jacobi2d},
                {"stencil", stencil},
                {"reductions", reductions},
                {"redblack", redblack}};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  size_t chosen = 0;
  const size_t count = sizeof programs / sizeof *programs;
  while (argc > 1 && chosen < count && strcmp(argv[1], programs[chosen].name) != 0) ++chosen;
  if (argc < 8 || argc > 7 + max_rank || chosen == count) {
    fprintf(
        stderr,
        "usage: grid_programs PROGRAM linear|tree free|together N ITERATIONS POINT P1 [P2 [P3]]\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  struct grid grid = {0};
  grid.tree = strcmp(argv[2], "tree") == 0;
  grid.together = strcmp(argv[3], "together") == 0;
  grid.n = atol(argv[4]);
  const long iterations = atol(argv[5]);
  const double point = atof(argv[6]);
  for (grid.dims = 0; 7 + grid.dims < argc; ++grid.dims)
    grid.extents[grid.dims] = atoi(argv[7 + grid.dims]);
  enter(&grid);
  grid.buffer = malloc((size_t)(element * grid.n * (grid.dims > 2 ? grid.n : 1)));
  meet();
  const double begin = MPI_Wtime();
  programs[chosen].run(&grid, iterations, point);
  double seconds = MPI_Wtime() - begin;
  double longest = 0.0;
  MPI_Reduce(&seconds, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (grid.rank == 0) printf("%.9e\n", longest);
  free(grid.buffer);
  MPI_Finalize();
  return 0;
}
