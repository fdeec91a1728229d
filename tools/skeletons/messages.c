#include <math.h>
#include <stdlib.h>

#include "programs.h"

/* The programs of configs/messages as people write them. Messages have the lengths that the
 * descriptions say; buffers are shared by all messages of a process. */

enum { double_bytes = 8, complex_bytes = 16 };
enum cut { balanced, first }; /* where the elements go that no block of equal length takes */

/* A block of a domain: its extents, and where its process is. */
struct part {
  const struct grid* grid;
  long b[max_rank];
  int periodic;
};

static long length(long n, int parts, int coordinate, enum cut cut) {
  if (cut == first) return n / parts + (coordinate < n % parts);
  return (coordinate + 1) * n / parts - coordinate * n / parts;
}

static struct part part_of(const struct grid* grid, enum cut cut, int periodic) {
  struct part part = {grid, {1, 1, 1}, periodic};
  for (int dim = 0; dim < grid->dims; ++dim)
    part.b[dim] = length(grid->n[dim], grid->extents[dim], grid->coordinates[dim], cut);
  return part;
}

static double points_of(const struct part* part) {
  return (double)(part->b[0] * part->b[1] * part->b[2]);
}

/* The neighbour so far away along one dimension, or MPI_PROC_NULL. */
static int neighbour(const struct part* part, int dim, int away) {
  const struct grid* grid = part->grid;
  int place[max_rank];
  for (int other = 0; other < grid->dims; ++other) place[other] = grid->coordinates[other];
  place[dim] += away;
  if (part->periodic) place[dim] = (place[dim] + grid->extents[dim]) % grid->extents[dim];
  if (place[dim] < 0 || place[dim] >= grid->extents[dim]) return MPI_PROC_NULL;
  const int process = process_at(grid, place);
  return process == grid->rank ? MPI_PROC_NULL : process;
}

/* To the neighbours before and behind along the dimensions from `begin` to `end`: all receives, all
 * sends. Returns the number of requests. */
static int start_faces(const struct part* part, int begin, int end, const long* bytes,
                       MPI_Request* requests) {
  int count = 0;
  for (int sends = 0; sends < 2; ++sends) {
    for (int dim = begin; dim < end; ++dim) {
      for (int away = -1; away <= 1; away += 2) {
        const int tag = 2 * dim + (away > 0);
        const int size = (int)bytes[dim];
        if (sends)
          MPI_Isend(part->grid->buffer, size, MPI_BYTE, neighbour(part, dim, away), tag,
                    part->grid->processes, &requests[count++]);
        else /* the other side sends this way */
          MPI_Irecv(part->grid->buffer, size, MPI_BYTE, neighbour(part, dim, -away), tag,
                    part->grid->processes, &requests[count++]);
      }
    }
  }
  return count;
}

static void exchange_faces(const struct part* part, int begin, int end, const long* bytes) {
  MPI_Request requests[4 * max_rank];
  const int count = start_faces(part, begin, end, bytes, requests);
  MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
}

static void sum_up(const struct grid* grid) {
  double own = 0.0;
  double sum = 0.0;
  MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, grid->processes);
}

void halo(const struct grid* grid, long iterations, double point) {
  enum { between_sums = 10 };
  const struct part part = part_of(grid, balanced, 0);
  const long bytes[] = {double_bytes * part.b[1], double_bytes * part.b[0]};
  for (long i = 1; i <= iterations; ++i) {
    exchange_faces(&part, 0, 2, bytes);
    compute(point * points_of(&part) + 1e-8 * (double)(part.b[0] + part.b[1]));
    if (i % between_sums == 0) sum_up(grid);
  }
}

void cg_doubling(const struct grid* grid, long iterations, double point) {
  const struct part part = part_of(grid, balanced, 0);
  const long bytes[] = {double_bytes * part.b[1], double_bytes * part.b[0]};
  const double all = points_of(&part);
  const double inner = fmax((double)part.b[0] - 2, 0) * fmax((double)part.b[1] - 2, 0);
  for (long i = 0; i < iterations; ++i) {
    MPI_Request requests[4 * max_rank];
    const int count = start_faces(&part, 0, 2, bytes, requests);
    compute(5 * point * inner);
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    compute(5 * point * (all - inner) + 2 * point * all);
    sum_up(grid);
    compute(6 * point * all);
    sum_up(grid);
  }
}

/* Measured seconds of a block, on the lines between these numbers of points. */
static double step_seconds(double points) {
  static const double sizes[] = {8e3, 125e3, 1e6, 8e6};
  static const double seconds[] = {8.8e-6, 2.0e-4, 2.9e-3, 2.5e-2};
  enum { last = sizeof sizes / sizeof *sizes - 1 };
  if (points <= sizes[0]) return seconds[0] * points / sizes[0];
  if (points >= sizes[last]) return seconds[last] * points / sizes[last];
  int at = 0;
  while (sizes[at + 1] < points) ++at;
  const double part = (points - sizes[at]) / (sizes[at + 1] - sizes[at]);
  return seconds[at] + part * (seconds[at + 1] - seconds[at]);
}

void sendrecv_heat(const struct grid* grid, long iterations, double point) {
  const struct part part = part_of(grid, first, 0);
  const long* b = part.b;
  const long faces[] = {b[1] * b[2], (b[0] + 2) * b[2], (b[0] + 2) * (b[1] + 2)};
  (void)point;
  for (long i = 0; i < iterations; ++i) {
    for (int dim = 0; dim < grid->dims; ++dim) {
      const int size = (int)(double_bytes * faces[dim]);
      for (int away = 1; away >= -1; away -= 2)
        MPI_Sendrecv(grid->buffer, size, MPI_BYTE, neighbour(&part, dim, away), dim, grid->buffer,
                     size, MPI_BYTE, neighbour(&part, dim, -away), dim, grid->processes,
                     MPI_STATUS_IGNORE);
    }
    compute(step_seconds(points_of(&part)));
  }
}

void wavefront(const struct grid* grid, long iterations, double point) {
  enum { planes = 100, portions = 10 };
  const struct part part = part_of(grid, balanced, 0);
  const long bytes[] = {double_bytes * part.b[1] * planes / portions,
                        double_bytes * part.b[0] * planes / portions};
  for (long i = 0; i < iterations * portions; ++i) {
    for (int dim = 0; dim < 2; ++dim)
      MPI_Recv(grid->buffer, (int)bytes[dim], MPI_BYTE, neighbour(&part, dim, -1), dim,
               grid->processes, MPI_STATUS_IGNORE);
    compute(point * points_of(&part) * planes / portions);
    for (int dim = 0; dim < 2; ++dim)
      MPI_Send(grid->buffer, (int)bytes[dim], MPI_BYTE, neighbour(&part, dim, 1), dim,
               grid->processes);
  }
}

/* Lines along one dimension become lines along another one within a line of processes: each sends
 * `area` elements for every plane that the others will have. */
static void turn_lines(const struct grid* grid, MPI_Comm line, long area_out, long extent_out,
                       long area_in, long extent_in) {
  int size;
  int rank;
  MPI_Comm_size(line, &size);
  MPI_Comm_rank(line, &rank);
  int* numbers = calloc(4 * (size_t)size, sizeof *numbers);
  int* counts[] = {numbers, numbers + size};
  int* zeros = numbers + 2 * size;
  for (int other = 0; other < size; ++other) {
    counts[0][other] = (int)(complex_bytes * area_out * length(extent_out, size, other, balanced));
    counts[1][other] = (int)(complex_bytes * area_in * length(extent_in, size, other, balanced));
  }
  MPI_Alltoallv(grid->buffer, counts[0], zeros, MPI_BYTE, grid->buffer, counts[1], zeros, MPI_BYTE,
                line);
  free(numbers);
}

void fft_pencils(const struct grid* grid, long iterations, double point) {
  const long* n = grid->n;
  const int* at = grid->coordinates;
  const long x = length(n[0], grid->extents[0], at[0], balanced);
  const long y = length(n[1], grid->extents[1], at[1], balanced);
  const long z = length(n[2], grid->extents[1], at[1], balanced);
  const long y_by_columns = length(n[1], grid->extents[0], at[0], balanced);
  for (long i = 0; i < iterations; ++i) {
    compute(point * (double)(x * y * n[2]) * log2((double)n[2]));
    turn_lines(grid, grid->lines[1], x * y, n[2], x * z, n[1]);
    compute(point * (double)(x * n[1] * z) * log2((double)n[1]));
    turn_lines(grid, grid->lines[0], x * z, n[1], y_by_columns * z, n[0]);
    compute(point * (double)(n[0] * y_by_columns * z) * log2((double)n[0]));
  }
}

void particles(const struct grid* grid, long iterations, double point) {
  enum { between_balances = 20, density = 4, position = 3 * double_bytes };
  const struct part part = part_of(grid, balanced, 1);
  const long* b = part.b;
  const long each = position * density;
  const long bytes[] = {each * b[1] * b[2], each * (b[0] + 2) * b[2],
                        each * (b[0] + 2) * (b[1] + 2)};
  const int cell = (int)(complex_bytes * b[0] * b[1]);
  char* all = malloc((size_t)(cell * grid->size));
  for (long i = 1; i <= iterations; ++i) {
    for (int dim = 0; dim < grid->dims; ++dim) exchange_faces(&part, dim, dim + 1, bytes);
    compute(13.5 * point * density * density * points_of(&part));
    if (i % between_balances != 0) continue;
    for (int span = 1; span < grid->size; span *= 2) sum_up(grid);
    MPI_Gather(grid->buffer, cell, MPI_BYTE, all, cell, MPI_BYTE, 0, grid->processes);
  }
  free(all);
}
