/* Runs one of the programs of programs.h; started by tools/accuracy under SimGrid's smpirun.
 *
 * usage: grid_programs PROGRAM linear|tree|doubling free|together MACHINE N1[xN2[xN3]] ITERATIONS
 * POINT P1 [P2 [P3]] MACHINE: processes:seconds per byte of the network of all processes, then of
 * those inside it, as 64:1e-9,8:2e-10; extents that are not given are N1. prints the simulated
 * seconds from the start to the end of the last process
 */
#include "programs.h"

#include <smpi/smpi.h>
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
                {"fft3d", fft3d, 0},
                {"nine", nine, 0},
                {"upwind", upwind, 0},
                {"overlap3d", overlap3d, 0},
                {"pencils", pencils, 0},
                {"halo", halo, 0},
                {"cg_doubling", cg_doubling, 0},
                {"sendrecv_heat", sendrecv_heat, 0},
                {"wavefront", wavefront, 0},
                {"fft_pencils", fft_pencils, 0},
                {"particles", particles, 0}};

static void read_machine(const char* text, struct grid* grid) {
  for (char* next = (char*)text; grid->tier_count < max_tiers && *next != '\0';) {
    struct tier* tier = &grid->tiers[grid->tier_count++];
    tier->processes = (int)strtol(next, &next, 10);
    tier->per_byte = strtod(next + 1, &next);
    next += *next == ',';
  }
}

static void read_extents(const char* text, struct grid* grid) {
  char* next = (char*)text;
  for (int dim = 0; dim < max_rank; ++dim) {
    grid->n[dim] = *next == '\0' ? grid->n[0] : strtol(next, &next, 10);
    next += *next == 'x';
  }
}

/* For any message but those of move(), in memory that all processes share: nothing is copied. */
static const size_t room = 1UL << 25;

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  size_t chosen = 0;
  const size_t count = sizeof programs / sizeof *programs;
  while (argc > 1 && chosen < count && strcmp(argv[1], programs[chosen].name) != 0) ++chosen;
  enum { first_extent = 8 };
  if (argc <= first_extent || argc > first_extent + max_rank || chosen == count) {
    fprintf(stderr,
            "usage: grid_programs PROGRAM linear|tree|doubling free|together MACHINE N1[xN2[xN3]] "
            "ITERATIONS POINT P1 [P2 [P3]]\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  struct grid grid = {0};
  grid.reductions = strcmp(argv[2], "tree") == 0       ? tree
                    : strcmp(argv[2], "doubling") == 0 ? doubling
                                                       : linear;
  grid.together = strcmp(argv[3], "together") == 0;
  read_machine(argv[4], &grid);
  read_extents(argv[5], &grid);
  const long iterations = atol(argv[6]);
  const double point = atof(argv[7]);
  for (grid.dims = 0; first_extent + grid.dims < argc; ++grid.dims)
    grid.extents[grid.dims] = atoi(argv[first_extent + grid.dims]);
  grid.stride = 1;
  grid.buffer = SMPI_SHARED_MALLOC(room);
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
  SMPI_SHARED_FREE(grid.buffer);
  MPI_Finalize();
  return 0;
}
