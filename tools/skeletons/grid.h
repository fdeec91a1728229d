/* Blocks of a grid of processes and simulated computing: what all skeletons of tools/skeletons
 * share.
 */
#ifndef GRIDCAST_SKELETONS_GRID_H
#define GRIDCAST_SKELETONS_GRID_H

#include <mpi.h>
#include <simgrid/barrier.h>

enum { max_rank = 3, max_tiers = 3 };

/* A network of the machine: processes with neighbouring numbers that it joins, seconds per byte. */
struct tier {
  int processes;
  double per_byte;
};

/* This process and the grid that it is in; dimension 0 is the outermost one. */
struct grid {
  int dims, extents[max_rank], coordinates[max_rank];
  int rank, size;
  MPI_Comm processes;
  MPI_Comm lines[max_rank]; /* of processes that differ in this dimension only */
  sg_bar_t barrier;         /* of all processes of the grid; they share their heap */
  const struct grid* task;  /* processes of the task that this process runs, if there are tasks */
  int number;               /* of the task */
  long n[max_rank];         /* extents of the arrays */
  int stride;               /* elements lie over every stride-th one of what is cut into blocks */
  enum { linear, tree, doubling } reductions; /* docs/model.md, sections 5 and 10 */
  int together;                 /* all wait for each other, at no cost, before they communicate */
  struct tier tiers[max_tiers]; /* from that of all processes to the innermost one */
  int tier_count;
  char* buffer; /* room for any message but those of move() */
};

/* First of n elements that coordinate of parts has (docs/model.md, section 3.1). */
long cut(long n, int parts, int coordinate);

/* First element of the block of a coordinate, and its length. */
long block_begin(const struct grid* grid, int dim, int coordinate);
long block(const struct grid* grid, int dim, int coordinate);

/* Iterations first, first + step ... up to last that fall into the block of a coordinate. */
long iterations_of(const struct grid* grid, int dim, int coordinate, long first, long last,
                   long step);

/* Iterations in the block of this process, or of that at a place, that lie so far inside the array
 * in all dimensions; 1 inside: 1 ... n - 2. */
double inside(const struct grid* grid, long margin);
double interior(const struct grid* grid); /* 1 inside */
double interior_at(const struct grid* grid, const int* place);

void coordinates_of(const struct grid* grid, int process, int* place);
int process_at(const struct grid* grid, const int* place);

/* Seconds per byte between two processes: of the innermost network that joins them. */
double per_byte(const struct grid* grid, int one, int other);

/* What is to be handed to MPI so that the simulator, which adds a header, sends so many bytes. */
int payload(long bytes);

/* Lets simulated time pass. */
void compute(double seconds);

/* Puts this process into its grid, and into the task that runs on its part of one. */
void enter(struct grid* grid, MPI_Comm processes);
void enter_task(struct grid* grid, int tasks, struct grid* task);

/* Waits for all, which takes no time: an MPI_Barrier is left by one process after the other. */
void meet(const struct grid* grid);

#endif
