#include "grid.h"

#include <simgrid/barrier.h>
#include <smpi/smpi.h>
#include <stdlib.h>
#include <string.h>

enum { reduction_tag = 1, shadow_tag = 2 };

static const double host_speed = 1e9; /* of the platform */
static sg_bar_t all;                  /* of all processes; they share their heap */

long block_begin(const struct grid* grid, int dim, int coordinate) {
  const long length = (grid->n + grid->extents[dim] - 1) / grid->extents[dim];
  return length * coordinate < grid->n ? length * coordinate : grid->n;
}

long block(const struct grid* grid, int dim, int coordinate) {
  return block_begin(grid, dim, coordinate + 1) - block_begin(grid, dim, coordinate);
}

long iterations_of(const struct grid* grid, int dim, int coordinate, long first, long last,
                   long step) {
  const long begin = block_begin(grid, dim, coordinate);
  const long next = block_begin(grid, dim, coordinate + 1);
  const long end = next < last + 1 ? next : last + 1;
  const long from = first < begin ? first + (begin - first + step - 1) / step * step : first;
  return from < end ? (end - from + step - 1) / step : 0;
}

static void coordinates_of(const struct grid* grid, int process, int* result) {
  for (int dim = grid->dims - 1; dim >= 0; --dim) {
    result[dim] = process % grid->extents[dim];
    process /= grid->extents[dim];
  }
}

static int process_at(const struct grid* grid, const int* place) {
  int process = 0;
  for (int dim = 0; dim < grid->dims; ++dim) process = process * grid->extents[dim] + place[dim];
  return process;
}

static double interior_at(const struct grid* grid, const int* place) {
  double count = 1.0;
  for (int dim = 0; dim < grid->dims; ++dim)
    count *= (double)iterations_of(grid, dim, place[dim], 1, grid->n - 2, 1);
  return count;
}

double interior(const struct grid* grid) { return interior_at(grid, grid->coordinates); }

void compute(double seconds) {
  if (seconds > 0.0) smpi_execute_flops(seconds * host_speed);
}

void meet(void) { sg_barrier_wait(all); }

static void send(const struct grid* grid, int to, int bytes) {
  MPI_Send(grid->buffer, bytes, MPI_BYTE, to, reduction_tag, MPI_COMM_WORLD);
}

static void receive(const struct grid* grid, int from, int bytes) {
  MPI_Recv(grid->buffer, bytes, MPI_BYTE, from, reduction_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Processes with iterations, ascending; the first is the root. */
static int participants(const struct grid* grid, int* result, int* own) {
  int count = 0;
  int place[max_rank];
  *own = -1;
  for (int process = 0; process < grid->size; ++process) {
    coordinates_of(grid, process, place);
    if (interior_at(grid, place) == 0.0) continue;
    if (process == grid->rank) *own = count;
    result[count++] = process;
  }
  return count;
}

static void gather_along_tree(const struct grid* grid, const int* members, int count, int own,
                              int bytes) {
  for (int step = 1; step < count; step *= 2) {
    if (own % (2 * step) == step) {
      send(grid, members[own - step], bytes);
      return;
    }
    if (own % (2 * step) == 0 && own + step < count) receive(grid, members[own + step], bytes);
  }
}

/* Processes are numbered cyclically from the root. */
static void hand_out_along_tree(const struct grid* grid, int root, int bytes) {
  const int own = (grid->rank - root + grid->size) % grid->size;
  int step = 1;
  while (step < grid->size) step *= 2;
  for (step /= 2; step > 0; step /= 2) {
    if (own % (2 * step) == step)
      receive(grid, (own - step + root) % grid->size, bytes);
    else if (own % (2 * step) == 0 && own + step < grid->size)
      send(grid, (own + step + root) % grid->size, bytes);
  }
}

static void reduce_linearly(const struct grid* grid, const int* members, int count, int own,
                            int bytes) {
  if (own != 0) {
    if (own > 0) send(grid, members[0], bytes);
    receive(grid, members[0], bytes);
    return;
  }
  for (int i = 1; i < count; ++i) receive(grid, members[i], bytes);
  for (int process = 0; process < grid->size; ++process)
    if (process != grid->rank) send(grid, process, bytes);
}

void reduce(const struct grid* grid, int bytes) {
  int own;
  int* members = malloc((size_t)grid->size * sizeof *members);
  const int count = participants(grid, members, &own);
  if (grid->together) meet();
  if (grid->tree) {
    if (own >= 0) gather_along_tree(grid, members, count, own, bytes);
    hand_out_along_tree(grid, members[0], bytes);
  } else {
    reduce_linearly(grid, members, count, own, bytes);
  }
  free(members);
}

struct neighbour {
  int process;
  int bytes;
};

/* In the order of their numbers, as messages of one process are sent. */
static int neighbours(const struct grid* grid, int element, struct neighbour* result) {
  int count = 0;
  for (int dim = 0; dim < grid->dims; ++dim) {
    for (int side = -1; side <= 1; side += 2) {
      int place[max_rank];
      memcpy(place, grid->coordinates, sizeof place);
      place[dim] += side;
      if (place[dim] < 0 || place[dim] >= grid->extents[dim]) continue;
      if (block(grid, dim, place[dim]) == 0 || block(grid, dim, grid->coordinates[dim]) == 0)
        continue;
      long bytes = element;
      for (int other = 0; other < grid->dims; ++other)
        bytes *= other == dim ? 1 : block(grid, other, grid->coordinates[other]);
      if (bytes == 0) continue;
      const struct neighbour found = {process_at(grid, place), (int)bytes};
      int at = count++;
      for (; at > 0 && result[at - 1].process > found.process; --at) result[at] = result[at - 1];
      result[at] = found;
    }
  }
  return count;
}

struct exchange start_exchange(const struct grid* grid, int element) {
  struct neighbour to[max_neighbours];
  struct exchange exchange = {0};
  const int count = neighbours(grid, element, to);
  if (grid->together) meet();
  for (int i = 0; i < count; ++i)
    MPI_Irecv(grid->buffer, to[i].bytes, MPI_BYTE, to[i].process, shadow_tag, MPI_COMM_WORLD,
              &exchange.requests[exchange.count++]);
  for (int i = 0; i < count; ++i)
    MPI_Isend(grid->buffer, to[i].bytes, MPI_BYTE, to[i].process, shadow_tag, MPI_COMM_WORLD,
              &exchange.requests[exchange.count++]);
  return exchange;
}

void finish_exchange(struct exchange* exchange) {
  MPI_Waitall(exchange->count, exchange->requests, MPI_STATUSES_IGNORE);
}

void exchange(const struct grid* grid, int element) {
  struct exchange edges = start_exchange(grid, element);
  finish_exchange(&edges);
}

void enter(struct grid* grid) {
  MPI_Comm_rank(MPI_COMM_WORLD, &grid->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &grid->size);
  coordinates_of(grid, grid->rank, grid->coordinates);
  if (grid->rank == 0) all = sg_barrier_init((unsigned int)grid->size);
  MPI_Bcast(&all, sizeof all, MPI_BYTE, 0, MPI_COMM_WORLD);
}
