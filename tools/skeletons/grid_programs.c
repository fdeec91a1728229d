/* Programs of configs/programs as MPI programs, without their data: what is computed takes the time that
 * the descriptions say, what is sent has the lengths that the blocks give. Run by tools/accuracy under
 * SimGrid's smpirun.
 *
 * usage: grid_programs PROGRAM N ITERATIONS POINT P1 [P2 [P3]]
 * prints the simulated seconds from the start to the end of the last process
 */
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { max_rank = 3, element = 8, reduction_tag = 1, shadow_tag = 2 };

static int dims, extents[max_rank], coordinates[max_rank], rank, size;
static long n;
static char *buffer;
static const double host_speed = 1e9; /* of the platform */

/* First element and length of the block of coordinate q among p (docs/model.md, section 3.1). */
static long block_begin(int p, int q) {
  const long length = (n + p - 1) / p;
  return length * q < n ? length * q : n;
}
static long block(int dim, int coordinate) {
  return block_begin(extents[dim], coordinate + 1) - block_begin(extents[dim], coordinate);
}

/* Iterations first, first + step, ... n - 2 that fall into the block. */
static long iterations_of(int dim, int coordinate, long first, long step) {
  const long begin = block_begin(extents[dim], coordinate);
  long end = block_begin(extents[dim], coordinate + 1);
  if (end > n - 1) end = n - 1;
  long from = first;
  if (from < begin) from += (begin - from + step - 1) / step * step;
  return from < end ? (end - from + step - 1) / step : 0;
}

static void coordinates_of(int process, int *result) {
  for (int dim = dims - 1; dim >= 0; --dim) {
    result[dim] = process % extents[dim];
    process /= extents[dim];
  }
}

static int process_at(const int *place) {
  int process = 0;
  for (int dim = 0; dim < dims; ++dim) process = process * extents[dim] + place[dim];
  return process;
}

static double local_iterations(const int *place, long first, long step) {
  double count = 1.0;
  for (int dim = 0; dim < dims; ++dim) count *= (double)iterations_of(dim, place[dim], first, step);
  return count;
}

static void compute(double seconds) {
  if (seconds > 0.0) smpi_execute_flops(seconds * host_speed);
}

/* Values to the first process and back, one message per process. */
static void reduce(int bytes) {
  int place[max_rank];
  if (rank == 0) {
    for (int process = 1; process < size; ++process) {
      coordinates_of(process, place);
      if (local_iterations(place, 1, 1) > 0.0)
        MPI_Recv(buffer, bytes, MPI_BYTE, process, reduction_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    for (int process = 1; process < size; ++process)
      MPI_Send(buffer, bytes, MPI_BYTE, process, reduction_tag, MPI_COMM_WORLD);
    return;
  }
  if (local_iterations(coordinates, 1, 1) > 0.0)
    MPI_Send(buffer, bytes, MPI_BYTE, 0, reduction_tag, MPI_COMM_WORLD);
  MPI_Recv(buffer, bytes, MPI_BYTE, 0, reduction_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* One element wide edges to the neighbours in every dimension that is split. */
static int start_exchange(MPI_Request *requests) {
  int count = 0;
  for (int pass = 0; pass < 2; ++pass) {
    for (int dim = 0; dim < dims; ++dim) {
      for (int side = -1; side <= 1; side += 2) {
        int place[max_rank];
        memcpy(place, coordinates, sizeof place);
        place[dim] += side;
        if (place[dim] < 0 || place[dim] >= extents[dim]) continue;
        if (block(dim, place[dim]) == 0) continue;
        long bytes = element;
        for (int other = 0; other < dims; ++other)
          bytes *= other == dim ? 1 : block(other, coordinates[other]);
        if (bytes == 0 || block(dim, coordinates[dim]) == 0) continue;
        const int to = process_at(place);
        if (pass == 0)
          MPI_Irecv(buffer, (int)bytes, MPI_BYTE, to, shadow_tag, MPI_COMM_WORLD, &requests[count++]);
        else
          MPI_Isend(buffer, (int)bytes, MPI_BYTE, to, shadow_tag, MPI_COMM_WORLD, &requests[count++]);
      }
    }
  }
  return count;
}

static void exchange(void) {
  MPI_Request requests[4 * max_rank];
  const int count = start_exchange(requests);
  MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
}

static void jacobi(long iterations, double point, double second, double print) {
  for (long i = 0; i < iterations; ++i) {
    compute(point * local_iterations(coordinates, 1, 1));
    reduce(element);
    exchange();
    compute(second * point * local_iterations(coordinates, 1, 1));
    if (rank == 0) compute(print);
  }
}

static double coloured(long first_row, long first_column) {
  return (double)iterations_of(0, coordinates[0], first_row, 2) *
         (double)iterations_of(1, coordinates[1], first_column, 2);
}

/* Only reductions, one after the other. */
static void reductions(long iterations, double point) {
  for (long i = 0; i < iterations; ++i) {
    compute(point * local_iterations(coordinates, 1, 1));
    reduce(element);
  }
}

static void redblack(long iterations, double point) {
  for (long i = 0; i < iterations; ++i) {
    compute(point * coloured(1, 1));
    compute(point * coloured(2, 2));
    reduce(4);
    exchange();
    compute(point * coloured(1, 2));
    compute(point * coloured(2, 1));
    exchange();
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc < 6) {
    fprintf(stderr, "usage: grid_programs PROGRAM N ITERATIONS POINT P1 [P2 [P3]]\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const char *program = argv[1];
  n = atol(argv[2]);
  const long iterations = atol(argv[3]);
  const double point = atof(argv[4]);
  for (dims = 0; dims < max_rank && 5 + dims < argc; ++dims) extents[dims] = atoi(argv[5 + dims]);
  coordinates_of(rank, coordinates);
  buffer = malloc((size_t)(element * n * (dims > 2 ? n : 1)));
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  if (strcmp(program, "jacobi1d") == 0)
    jacobi(iterations, point, 1.5, 0.0);
  else if (strcmp(program, "jacobi2d") == 0)
    jacobi(iterations, point, 1.8, 20e-6);
  else if (strcmp(program, "reductions") == 0)
    reductions(iterations, point);
  else if (strcmp(program, "redblack") == 0)
    redblack(iterations, point);
  else {
    fprintf(stderr, "grid_programs: unknown program %s\n", program);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  double seconds = MPI_Wtime() - begin;
  double longest = 0.0;
  MPI_Reduce(&seconds, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%.9e\n", longest);
  free(buffer);
  MPI_Finalize();
  return 0;
}
