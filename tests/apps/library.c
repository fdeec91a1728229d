/* A program whose calls of MPI are in a library that was compiled without debugging information:
   fields go round a ring, two of them at two lines. */
#include <mpi.h>

#if defined(LIBRARY)
void exchange(double* field, int length) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Sendrecv_replace(field, length, MPI_DOUBLE, (rank + 1) % ranks, 0, (rank + ranks - 1) % ranks,
                       0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  field[0] += 1.0;
}
#else
void exchange(double* field, int length);

static double wind[10], heat[10];

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  for (int step = 0; step < 3; ++step) {
    exchange(wind, 10);
    wind[0] += heat[0];
    exchange(heat, 10);
  }
  MPI_Finalize();
  return 0;
}
#endif
