/* The communication that the run-time library of the programs does for them. */
#ifndef GRIDCAST_SKELETONS_TRANSFERS_H
#define GRIDCAST_SKELETONS_TRANSFERS_H

#include "grid.h"

enum { max_neighbours = 26 }; /* of a block of three dimensions, with those across its corners */

/* Values to the lowest process with iterations and back to all (docs/model.md, section 5): with
 * iterations 1 ... n - 2 of all dimensions, or the members, ascending. */
void reduce(const struct grid* grid, int bytes);
void reduce_among(const struct grid* grid, const int* members, int count, int bytes);

/* Transfers under way. */
struct exchange {
  int count;
  MPI_Request requests[2 * max_neighbours];
};

/* What processes keep of their neighbours' blocks: elements before and behind their own, per
 * dimension; with corners; around a torus. */
struct shadow {
  int low[max_rank], high[max_rank];
  int corners, around;
};

extern const struct shadow faces; /* one element on each side, no corners */

/* Edges to the neighbours in every dimension that is split; one message for each process, whatever
 * is for it. */
struct exchange start_exchange(const struct grid* grid, int element, const struct shadow* shadow);
void finish_exchange(struct exchange* exchange);
void exchange(const struct grid* grid, int element, const struct shadow* shadow);

/* A part of an array: elements begin ... end - 1 per dimension; those that it does not have are 0
 * : 1. */
struct box {
  long begin[max_rank], end[max_rank];
};

struct box empty_box(void);

/* Elements begin ... end - 1 of every dimension. */
struct box cube(long begin, long end);

/* The block of a process, and with one element more on each side that has a neighbour. */
struct box own_block(const struct grid* grid, int process);
struct box grown_block(const struct grid* grid, int process);

/* Sends what processes need and do not hold: a box per process of what it holds, no element twice,
 * and of what it needs. One message per pair of processes, by ascending receiver. */
void move(const struct grid* grid, const struct box* held, const struct box* needed, int element);

#endif
