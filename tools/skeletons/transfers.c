#include "transfers.h"

#include <stdlib.h>
#include <string.h>

enum { reduction_tag = 1, shadow_tag = 2, move_tag = 3 };

static void send(const struct grid* grid, int to, int bytes) {
  MPI_Send(grid->buffer, payload(bytes), MPI_BYTE, to, reduction_tag, grid->processes);
}

static void receive(const struct grid* grid, int from, int bytes) {
  MPI_Recv(grid->buffer, payload(bytes), MPI_BYTE, from, reduction_tag, grid->processes,
           MPI_STATUS_IGNORE);
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
  for (int i = 1; i < count; ++i)
    receive(grid, members[grid->together ? i : count - i], bytes); /* free: the last one first */
  for (int process = 0; process < grid->size; ++process)
    if (process != grid->rank) send(grid, process, bytes);
}

/* All take part: pairs exchange what they have. Those beyond a power of two hand theirs to the next
 * one before and get the result from it. */
static void reduce_by_doubling(const struct grid* grid, int bytes) {
  int even = 1;
  while (2 * even <= grid->size) even *= 2;
  const int rest = grid->size - even;
  const int own = grid->rank;
  if (own < 2 * rest && own % 2 == 0) {
    send(grid, own + 1, bytes);
    receive(grid, own + 1, bytes);
    return;
  }
  if (own < 2 * rest) receive(grid, own - 1, bytes);
  const int number = own < 2 * rest ? own / 2 : own - rest;
  for (int mask = 1; mask < even; mask *= 2) {
    const int beside = number ^ mask;
    const int other = beside < rest ? 2 * beside + 1 : beside + rest;
    MPI_Sendrecv(grid->buffer, payload(bytes), MPI_BYTE, other, reduction_tag, grid->buffer,
                 payload(bytes), MPI_BYTE, other, reduction_tag, grid->processes,
                 MPI_STATUS_IGNORE);
  }
  if (own < 2 * rest) send(grid, own - 1, bytes);
}

void reduce_among(const struct grid* grid, const int* members, int count, int bytes) {
  int own = -1;
  for (int i = 0; i < count; ++i)
    if (members[i] == grid->rank) own = i;
  if (grid->together) meet(grid);
  if (grid->reductions == doubling) {
    reduce_by_doubling(grid, bytes);
  } else if (grid->reductions == tree) {
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

const struct shadow faces = {{1, 1, 1}, {1, 1, 1}, 0, 0};

struct neighbour {
  int process;
  long bytes;
};

/* Coordinates of a dimension that have elements: the first ones. */
static int filled(const struct grid* grid, int dim) {
  int count = 0;
  while (count < grid->extents[dim] && block(grid, dim, count) > 0) ++count;
  return count;
}

/* Puts the place so far away in every dimension, 1 or -1 or 0, around a torus if so; 0: none. */
static int place_beside(const struct grid* grid, const int* away, int around, int* place) {
  for (int dim = 0; dim < grid->dims; ++dim) {
    const int count = filled(grid, dim);
    place[dim] = grid->coordinates[dim] + away[dim];
    if (grid->coordinates[dim] >= count || (away[dim] != 0 && count == 1)) return 0;
    if (around) place[dim] = (place[dim] + count) % count;
    if (place[dim] < 0 || place[dim] >= count) return 0;
  }
  return 1;
}

/* Puts what is for a process among the others, by ascending number; it may be there already. */
static int insert(struct neighbour* result, int count, struct neighbour found) {
  int at = 0;
  while (at < count && result[at].process < found.process) ++at;
  if (at < count && result[at].process == found.process) {
    result[at].bytes += found.bytes;
    return count;
  }
  for (int i = count; i > at; --i) result[i] = result[i - 1];
  result[at] = found;
  return count + 1;
}

/* Elements that go so far away in every dimension from the block at a place. */
static long edge(const struct grid* grid, const struct shadow* shadow, const int* place,
                 const int* away) {
  long count = 1;
  for (int dim = 0; dim < grid->dims; ++dim) {
    const long width = away[dim] < 0 ? shadow->high[dim] : shadow->low[dim];
    const long held = block(grid, dim, place[dim]);
    count *= away[dim] != 0 && width < held ? width : held;
  }
  return count;
}

/* What this process sends, or receives, in the order of the other processes' numbers. */
static int neighbours(const struct grid* grid, int element, const struct shadow* shadow,
                      int receiving, struct neighbour* result) {
  int count = 0;
  int places = 1;
  for (int dim = 0; dim < grid->dims; ++dim) places *= 3;
  for (int number = 0; number < places; ++number) {
    int away[max_rank] = {0};
    int back[max_rank] = {0};
    int place[max_rank];
    int moved = 0;
    for (int dim = 0, rest = number; dim < grid->dims; ++dim, rest /= 3) {
      away[dim] = rest % 3 - 1;
      back[dim] = -away[dim];
      moved += away[dim] != 0;
    }
    if (moved == 0 || (moved > 1 && !shadow->corners)) continue;
    if (!place_beside(grid, away, shadow->around, place)) continue;
    const long elements =
        receiving ? edge(grid, shadow, place, back) : edge(grid, shadow, grid->coordinates, away);
    if (elements == 0) continue;
    const struct neighbour found = {process_at(grid, place), elements * element};
    count = insert(result, count, found);
  }
  return count;
}

struct exchange start_exchange(const struct grid* grid, int element, const struct shadow* shadow) {
  struct neighbour others[max_neighbours];
  struct exchange exchange = {0};
  if (grid->together) meet(grid);
  int count = neighbours(grid, element, shadow, 1, others);
  for (int i = 0; i < count; ++i)
    MPI_Irecv(grid->buffer, payload(others[i].bytes), MPI_BYTE, others[i].process, shadow_tag,
              grid->processes, &exchange.requests[exchange.count++]);
  count = neighbours(grid, element, shadow, 0, others);
  for (int i = 0; i < count; ++i)
    MPI_Isend(grid->buffer, payload(others[i].bytes), MPI_BYTE, others[i].process, shadow_tag,
              grid->processes, &exchange.requests[exchange.count++]);
  return exchange;
}

void finish_exchange(struct exchange* exchange) {
  MPI_Waitall(exchange->count, exchange->requests, MPI_STATUSES_IGNORE);
}

void exchange(const struct grid* grid, int element, const struct shadow* shadow) {
  struct exchange edges = start_exchange(grid, element, shadow);
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
    if (result.end[dim] < grid->n[dim]) ++result.end[dim];
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
      MPI_Irecv(buffer, payload(elements * element), MPI_BYTE, other, move_tag, grid->processes,
                &requests[count++]);
  }
  for (int other = 0; other < grid->size; ++other) {
    const long elements = other == own ? 0 : common(&held[own], &needed[other]);
    if (elements > 0)
      MPI_Isend(buffer, payload(elements * element), MPI_BYTE, other, move_tag, grid->processes,
                &requests[count++]);
  }
  MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  free(buffer);
  free(requests);
}
