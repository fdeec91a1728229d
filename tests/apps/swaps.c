/* Particles in a periodic box as molecular dynamics has them: ghosts are swapped dimension by
   dimension, with those that came before, and forces come back in the reverse order; along a
   dimension of one process nothing is sent. Rank 0 hands out the input line by line.
   usage: swaps N1 N2 N3 P1 P2 P3 ITERATIONS */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int n[3], dims[3], rank;
static MPI_Comm grid;
static double *sent, *received;

static void hand_out_input(void) {
  static const char* const lines[] = {
      "units lj",           "lattice fcc 0.8442", "mass 1 1.0",     "cutoff 2.5",
      "velocity 1.44 seed", "neighbor 0.3 bin",   "timestep 0.001", "run"};
  for (size_t i = 0; i < sizeof lines / sizeof *lines; ++i) {
    char line[64] = "";
    strcpy(line, rank == 0 ? lines[i] : "");
    int bytes = (int)strlen(line) + 1;
    MPI_Bcast(&bytes, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(line, bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
  }
}

/* Doubles of the particles next to a face: three of each, four of each cell and 1.5 cells of
   ghosts on either side, within 2 %. */
static int doubles(int d, unsigned seed) {
  double cells = 1.0;
  for (int e = 0; e < 3; ++e) {
    cells *= e == d ? 1.0 : n[e] / dims[e] + (e < d ? 3.0 : 0.0);
  }
  return 3 * (int)(4.0 * cells * (0.98 + 0.04 * (seed * 2654435761u % 1000u) / 1000.0));
}

static void swap(int d, int sign, unsigned seed) {
  if (dims[d] == 1) {
    return;
  }
  int source, destination;
  MPI_Request request;
  MPI_Cart_shift(grid, d, sign, &source, &destination);
  MPI_Irecv(received, 2 * doubles(d, 0), MPI_DOUBLE, source, 0, grid, &request);
  MPI_Send(sent, doubles(d, seed), MPI_DOUBLE, destination, 0, grid);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  hand_out_input();
  int ghosts = 1;
  for (int d = 0; d < 3; ++d) {
    n[d] = atoi(argv[d + 1]);
    dims[d] = atoi(argv[d + 4]);
    ghosts *= n[d] + 3;
  }
  sent = calloc((size_t)ghosts, 24 * sizeof(double));
  received = calloc((size_t)ghosts, 24 * sizeof(double));
  MPI_Cart_create(MPI_COMM_WORLD, 3, dims, (int[]){1, 1, 1}, 0, &grid);
  double most = 0.0;
  for (int i = 0; i < atoi(argv[7]); ++i) {
    int moved = i;
    MPI_Allreduce(MPI_IN_PLACE, &moved, 1, MPI_INT, MPI_MAX, grid);
    for (int k = 0; k < 6; ++k) {
      swap(k / 2, k % 2 ? 1 : -1, (unsigned)(97 * rank + 7 * i + k));
    }
    for (int k = 0; k < 100 * n[0] * n[1] * n[2] / dims[0] / dims[1] / dims[2]; ++k) {
      most = 0.5 * (most + received[k % ghosts]) + 1.0;
    }
    for (int k = 5; k >= 0; --k) {
      swap(k / 2, k % 2 ? -1 : 1, (unsigned)(89 * rank + 5 * i + k));
    }
  }
  if (rank == 0) {
    printf("%g\n", most);
  }
  MPI_Finalize();
  return 0;
}
