#include "sweep.h"

#include <math.h>

enum { edge_tag = 4 };

const double message_overhead = 1e-6;

/* A pipeline of `processes`, in the letters of docs/model.md, section 6. */
struct line {
  double pipelined;  /* M: iterations along the dimensions of the pipeline */
  double cuttable;   /* N: iterations along those that may be cut into portions */
  double processes;  /* P */
  double iteration;  /* Tc: seconds, of all parallel lines of a process */
  double edge_bytes; /* W Tm, as seconds */
};

static int pipelined(const struct grid* grid, const struct sweep* sweep, int dim) {
  return grid->extents[dim] > 1 && sweep->across[dim] != 0;
}

static long extent(const struct sweep* sweep, int dim) {
  return sweep->last[dim] - sweep->first[dim] + 1;
}

/* Seconds per byte between neighbours of the pipeline, the most. */
static double slowest(const struct grid* grid, const struct sweep* sweep) {
  double result = 0.0;
  for (int process = 0; process < grid->size; ++process) {
    for (int dim = 0; dim < grid->dims; ++dim) {
      int place[max_rank];
      coordinates_of(grid, process, place);
      if (!pipelined(grid, sweep, dim) || ++place[dim] == grid->extents[dim]) continue;
      result = fmax(result, per_byte(grid, process, process_at(grid, place)));
    }
  }
  return result;
}

static long own_iterations(const struct grid* grid, const struct sweep* sweep, int dim,
                           int coordinate) {
  return iterations_of(grid, dim, coordinate, sweep->first[dim], sweep->last[dim], 1);
}

static long largest_block(const struct grid* grid, const struct sweep* sweep, int dim) {
  long largest = 0;
  for (int coordinate = 0; coordinate < grid->extents[dim]; ++coordinate) {
    const long count = own_iterations(grid, sweep, dim, coordinate);
    largest = count > largest ? count : largest;
  }
  return largest;
}

static struct line line_of(const struct grid* grid, const struct sweep* sweep) {
  struct line line = {1.0, 1.0, 1.0, sweep->point, 0.0};
  double edges = 0.0;
  double parallel = 1.0;
  for (int dim = 0; dim < grid->dims; ++dim) {
    if (grid->extents[dim] == 1) {
      line.cuttable *= (double)extent(sweep, dim);
    } else if (!pipelined(grid, sweep, dim)) {
      parallel *= (double)largest_block(grid, sweep, dim);
    } else {
      line.pipelined *= (double)extent(sweep, dim);
      line.processes *= grid->extents[dim];
      double edge = 1.0;
      for (int other = 0; other < grid->dims; ++other)
        if (other != dim && pipelined(grid, sweep, other))
          edge *= (double)largest_block(grid, sweep, other);
      edges += edge;
    }
  }
  line.iteration *= parallel;
  line.edge_bytes = edges * parallel * sweep->element * slowest(grid, sweep);
  return line;
}

static double seconds_in_portions(const struct line* line, double portions) {
  const double computing =
      line->iteration * line->pipelined / line->processes * line->cuttable / portions;
  const double sending = line->edge_bytes * line->cuttable / portions;
  const double start = portions * message_overhead; /* what does not depend on them left out */
  return computing >= sending
             ? start + (line->processes - 1 + portions) * computing +
                   (line->processes - 1) * sending
             : start + (line->processes - 2) * computing + (line->processes + portions) * sending;
}

static long portions_of(const struct grid* grid, const struct sweep* sweep) {
  const struct line line = line_of(grid, sweep);
  if (line.processes == 1.0 || line.cuttable == 1.0) return 1;
  const double all = line.pipelined * line.iteration;
  const double both = all + line.processes * line.edge_bytes;
  const double work = all / line.processes >= line.edge_bytes ? (line.processes - 1) * both
                                                              : line.processes * both - 2 * all;
  const double best = floor(sqrt(line.cuttable * work / (line.processes * message_overhead)));
  const double low = fmin(fmax(best, 1.0), line.cuttable);
  const double high = fmin(low + 1.0, line.cuttable);
  return (long)(seconds_in_portions(&line, low) <= seconds_in_portions(&line, high) ? low : high);
}

/* The process before (-1) or behind (1) in the pipeline along a dimension, or MPI_PROC_NULL. */
static int beside(const struct grid* grid, const struct sweep* sweep, int dim, int side) {
  if (!pipelined(grid, sweep, dim)) return MPI_PROC_NULL;
  int place[max_rank];
  for (int other = 0; other < grid->dims; ++other) place[other] = grid->coordinates[other];
  place[dim] += side * sweep->across[dim];
  if (place[dim] < 0 || place[dim] >= grid->extents[dim]) return MPI_PROC_NULL;
  return own_iterations(grid, sweep, dim, place[dim]) > 0 ? process_at(grid, place) : MPI_PROC_NULL;
}

static void run_portion(const struct grid* grid, const struct sweep* sweep, const long* counts) {
  double iterations = 1.0;
  long bytes[max_rank];
  for (int dim = 0; dim < grid->dims; ++dim) iterations *= (double)counts[dim];
  for (int dim = 0; dim < grid->dims; ++dim) {
    bytes[dim] = (long)iterations / counts[dim] * sweep->element;
    MPI_Recv(grid->buffer, payload(bytes[dim]), MPI_BYTE, beside(grid, sweep, dim, -1), edge_tag,
             grid->processes, MPI_STATUS_IGNORE);
  }
  compute(sweep->point * iterations);
  for (int dim = 0; dim < grid->dims; ++dim) {
    const int to = beside(grid, sweep, dim, 1);
    if (to != MPI_PROC_NULL)
      MPI_Send(grid->buffer, payload(bytes[dim]), MPI_BYTE, to, edge_tag, grid->processes);
  }
}

/* Portions of dimensions from dim on; `portions` are left for them. */
static void run_portions(const struct grid* grid, const struct sweep* sweep, int dim, long portions,
                         long* counts) {
  if (dim == grid->dims) {
    run_portion(grid, sweep, counts);
    return;
  }
  const long all = counts[dim];
  const long parts = grid->extents[dim] > 1 ? 1 : portions < all ? portions : all;
  const long length = (all + parts - 1) / parts;
  const long rest = grid->extents[dim] > 1 || portions < parts ? portions : portions / parts;
  for (long begin = 0; begin < all; begin += length) {
    counts[dim] = all - begin < length ? all - begin : length;
    run_portions(grid, sweep, dim + 1, rest > 1 ? rest : 1, counts);
  }
  counts[dim] = all;
}

void run_sweep(const struct grid* grid, const struct sweep* sweep) {
  long counts[max_rank];
  for (int dim = 0; dim < grid->dims; ++dim) {
    counts[dim] = own_iterations(grid, sweep, dim, grid->coordinates[dim]);
    if (counts[dim] == 0) return;
  }
  run_portions(grid, sweep, 0, portions_of(grid, sweep), counts);
}
