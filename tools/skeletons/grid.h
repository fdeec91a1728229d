/* What the skeletons of tools/skeletons share: blocks of a grid of processes, simulated computing,
 * and the communication that the run-time library of the programs does for them.
 */
#ifndef GRIDCAST_SKELETONS_GRID_H
#define GRIDCAST_SKELETONS_GRID_H

#include <mpi.h>

enum { max_rank = 3, max_neighbours = 2 * max_rank };

/* This process and the grid that it is in; dimension 0 is the outermost one. */
struct grid {
  int dims, extents[max_rank], coordinates[max_rank];
  int rank, size;
  long n;       /* extent of every dimension of the arrays */
  int tree;     /* reductions along binomial trees instead of one message per process and way */
  int together; /* all wait for each other, at no cost, before they communicate */
  char* buffer; /* room for the largest message */
};

/* Transfers under way. */
struct exchange {
  int count;
  MPI_Request requests[2 * max_neighbours];
};

/* First element of the block of a coordinate, and its length (docs/model.md, section 3.1). */
long block_begin(const struct grid* grid, int dim, int coordinate);
long block(const struct grid* grid, int dim, int coordinate);

/* Iterations first, first + step ... up to last that fall into the block of a coordinate. */
long iterations_of(const struct grid* grid, int dim, int coordinate, long first, long last,
                   long step);

/* Iterations 1 ... n - 2 of all dimensions in the block of this process. */
double interior(const struct grid* grid);

/* Lets simulated time pass. */
void compute(double seconds);

/* Values to the lowest process with iterations and back to all (docs/model.md, section 5). */
void reduce(const struct grid* grid, int bytes);

/* Edges one element wide to the neighbours in every dimension that is split. */
struct exchange start_exchange(const struct grid* grid, int element);
void finish_exchange(struct exchange* exchange);
void exchange(const struct grid* grid, int element);

/* Puts this process into its grid. */
void enter(struct grid* grid);

/* Waits for all, which takes no time: an MPI_Barrier is left by one process after the other. */
void meet(void);

#endif
