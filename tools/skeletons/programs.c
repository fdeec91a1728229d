/* Runs one of the programs of programs.h; started by tools/accuracy under SimGrid's smpirun.
 *
 * usage: grid_programs PROGRAM linear|tree free|together|turned N ITERATIONS POINT P1 [P2 [P3]]
 * prints the simulated seconds from the start to the end of the last process
 */
#include "programs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  const char* name;
  void (*run)(const struct grid*, long, double);
  int tasks;
} programs[] = {{"stencil", stencil, 0},
                {"reductions", reductions, 0},
                {"jacobi1d", jacobi1d, 0},
                {"jacobi2d", jacobi2d, 0},
                {"jacobi3d", jacobi3d, 0},
                {"redblack", redblack, 0},
                {"cg", cg, 0},
                {"multigrid", multigrid, 0},
                {"torus", torus, 0},
                {"taskjacobi", taskjacobi, 2},
                {"sor", sor, 0},
                {"adi", adi, 0},
                {"heat3d", heat3d, 0},
                {"gauss", gauss, 0},
                {"panels", panels, 0},
                {"fft3d", fft3d, 0}};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  size_t chosen = 0;
  const size_t count = sizeof programs / sizeof *programs;
  while (argc > 1 && chosen < count && strcmp(argv[1], programs[chosen].name) != 0) ++chosen;
  if (argc < 8 || argc > 7 + max_rank || chosen == count) {
    fprintf(stderr,
            "usage: grid_programs PROGRAM linear|tree free|together|turned N ITERATIONS POINT P1 "
            "[P2 [P3]]\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  struct grid grid = {0};
  grid.tree = strcmp(argv[2], "tree") == 0;
  grid.together = strcmp(argv[3], "together") == 0;
  grid.turned = strcmp(argv[3], "turned") == 0;
  grid.n = atol(argv[4]);
  const long iterations = atol(argv[5]);
  const double point = atof(argv[6]);
  for (grid.dims = 0; 7 + grid.dims < argc; ++grid.dims)
    grid.extents[grid.dims] = atoi(argv[7 + grid.dims]);
  grid.stride = 1;
  enum { least_room = 4096 };
  grid.buffer = malloc((size_t)(least_room + 2 * element * grid.n * (grid.dims > 2 ? grid.n : 1)));
  enter(&grid, MPI_COMM_WORLD);
  struct grid task;
  if (programs[chosen].tasks > 0) enter_task(&grid, programs[chosen].tasks, &task);
  meet(&grid);
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
