/* Loops that read what they compute themselves: pipelines of processes. */
#ifndef GRIDCAST_SKELETONS_SWEEP_H
#define GRIDCAST_SKELETONS_SWEEP_H

#include "grid.h"

/* What a message costs besides its way, in seconds: sender and receiver together. */
extern const double message_overhead;

/* A loop over all dimensions of the grid. */
struct sweep {
  long first[max_rank], last[max_rank]; /* iterations, both included */
  int across[max_rank]; /* reads the element before (1), after (-1) in this dimension, or none */
  double point;         /* seconds per iteration */
  int element;          /* bytes */
};

/* Runs it in the portions that a run-time library which knows the machine cuts it into
 * (docs/model.md, section 6). */
void run_sweep(const struct grid* grid, const struct sweep* sweep);

#endif
