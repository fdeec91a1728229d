/* Linked with the simulated programs: where they make a communicator all processes go on at the
 * same time, as predicted ones begin. Making it sends messages that no description has, after which
 * they would go on one after the other, some of them through their first iterations without
 * waiting. */
#include <math.h>
#include <mpi.h>
#include <smpi/smpi.h>

/* At the next multiple of a time in which any communicator is made. */
static int together(int code) {
  const double step = 0.001;
  const double now = MPI_Wtime();
  smpi_execute_flops(1e9 * (step * ceil(now / step) - now));
  return code;
}

int MPI_Cart_create(MPI_Comm from, int dimensions, const int* extents, const int* periods,
                    int reorder, MPI_Comm* made) {
  return together(PMPI_Cart_create(from, dimensions, extents, periods, reorder, made));
}

int MPI_Cart_sub(MPI_Comm from, const int* kept, MPI_Comm* made) {
  return together(PMPI_Cart_sub(from, kept, made));
}

int MPI_Comm_split(MPI_Comm from, int color, int key, MPI_Comm* made) {
  return together(PMPI_Comm_split(from, color, key, made));
}

/* The same of Fortran. */
void mpi_comm_split_(int* from, int* color, int* key, int* made, int* code) {
  MPI_Comm found;
  *code = MPI_Comm_split(MPI_Comm_f2c(*from), *color, *key, &found);
  *made = MPI_Comm_c2f(found);
}
