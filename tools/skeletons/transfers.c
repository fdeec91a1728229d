#include "transfers.h"

#include <stdlib.h>
#include <string.h>

enum { reduction_tag = 1, shadow_tag = 2, move_tag = 3 };

static void send(const struct grid* grid, int to, int bytes) {
  MPI_Send(grid->buffer, bytes, MPI_BYTE, to, reduction_tag, grid->processes);
}

static void receive(const struct grid* grid, int from, int bytes) {
  MPI_Recv(grid->buffer, bytes, MPI_BYTE, from, reduction_tag, grid->processes, MPI_STATUS_IGNORE);
}

/* Processes with iterations, ascending; the first is the root. */
static int participants(const struct grid* grid, int* result) {
  int count = 0;
  int place[max_rank];
  for (int process = 0; process < grid->size; ++process) {
    coordinates_of(grid, process, place);
    if (interior_at(grid, place) == 0.0) continue;
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

void reduce_among(const struct grid* grid, const int* members, int count, int bytes) {
  int own = -1;
  for (int i = 0; i < count; ++i)
    if (members[i] == grid->rank) own = i;
  if (grid->together) meet(grid);
  if (grid->tree) {
    if (own >= 0) gather_along_tree(grid, members, count, own, bytes);
    hand_out_along_tree(grid, members[0], bytes);
  } else {
    reduce_linearly(grid, members, count, own, bytes);
  }
}

void reduce(const struct grid* grid, int bytes) {
  int* members = malloc((size_t)grid->size * sizeof *members);
  reduce_among(grid, members, participants(grid, members), bytes);
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
  if (grid->together) meet(grid);
  for (int i = 0; i < count; ++i)
    MPI_Irecv(grid->buffer, to[i].bytes, MPI_BYTE, to[i].process, shadow_tag, grid->processes,
              &exchange.requests[exchange.count++]);
  for (int i = 0; i < count; ++i)
    MPI_Isend(grid->buffer, to[i].bytes, MPI_BYTE, to[i].process, shadow_tag, grid->processes,
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

struct box empty_box(void) {
  return cube(0, 0);
}

struct box cube(long begin, long end) {
  struct box result;
  for (int dim = 0; dim < max_rank; ++dim) {
    result.begin[dim] = begin;
    result.end[dim] = end;
  }
  return result;
}

struct box own_block(const struct grid* grid, int process) {
  struct box result = cube(0, 1);
  int place[max_rank];
  coordinates_of(grid, process, place);
  for (int dim = 0; dim < grid->dims; ++dim) {
    result.begin[dim] = block_begin(grid, dim, place[dim]);
    result.end[dim] = block_begin(grid, dim, place[dim] + 1);
  }
  return result;
}

static long common(const struct box* a, const struct box* b) {
  long count = 1;
  for (int dim = 0; dim < max_rank; ++dim) {
    const long begin = a->begin[dim] > b->begin[dim] ? a->begin[dim] : b->begin[dim];
    const long end = a->end[dim] < b->end[dim] ? a->end[dim] : b->end[dim];
    count *= begin < end ? end - begin : 0;
  }
  return count;
}

struct box grown_block(const struct grid* grid, int process) {
  struct box result = own_block(grid, process);
  if (common(&result, &result) == 0) return empty_box();
  for (int dim = 0; dim < grid->dims; ++dim) {
    if (result.begin[dim] > 0) --result.begin[dim];
    if (result.end[dim] < grid->n) ++result.end[dim];
  }
  return result;
}

void move(const struct grid* grid, const struct box* held, const struct box* needed, int element) {
  const int own = grid->rank;
  const size_t size = (size_t)grid->size;
  MPI_Request* requests = malloc(2 * size * sizeof *requests);
  long largest = 1;
  int count = 0;
  if (grid->together) meet(grid);
  for (int other = 0; other < grid->size; ++other) {
    const long in = common(&held[other], &needed[own]);
    const long out = common(&held[own], &needed[other]);
    largest = in > largest ? in : largest;
    largest = out > largest ? out : largest;
  }
  char* buffer = malloc((size_t)(largest * element));
  for (int other = 0; other < grid->size; ++other) {
    const long elements = other == own ? 0 : common(&held[other], &needed[own]);
    if (elements > 0)
      MPI_Irecv(buffer, (int)(elements * element), MPI_BYTE, other, move_tag, grid->processes,
                &requests[count++]);
  }
  for (int other = 0; other < grid->size; ++other) {
    const long elements = other == own ? 0 : common(&held[own], &needed[other]);
    if (elements > 0)
      MPI_Isend(buffer, (int)(elements * element), MPI_BYTE, other, move_tag, grid->processes,
                &requests[count++]);
  }
  MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  free(buffer);
  free(requests);
}
