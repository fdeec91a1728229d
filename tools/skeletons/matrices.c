#include <stdlib.h>

#include "programs.h"
#include "transfers.h"

/* What each process holds and needs of something that one of them sends to others. */
struct access {
  struct box* held;
  struct box* needed;
};

static struct access accesses(const struct grid* grid) {
  const struct access result = {malloc((size_t)grid->size * sizeof(struct box)),
                                malloc((size_t)grid->size * sizeof(struct box))};
  return result;
}

static void release(struct access* access) {
  free(access->held);
  free(access->needed);
}

/* Element k of a line goes to all processes with iterations first ... last. */
static void send_element(const struct grid* grid, struct access* access, long k, long first,
                         long last, int bytes) {
  for (int process = 0; process < grid->size; ++process) {
    const int has = iterations_of(grid, 0, process, k, k, 1) > 0;
    const int needs = iterations_of(grid, 0, process, first, last, 1) > 0;
    access->held[process] = has ? cube(0, 1) : empty_box();
    access->needed[process] = needs ? cube(0, 1) : empty_box();
  }
  move(grid, access->held, access->needed, bytes);
}

/* A point is one multiplication and subtraction; there is nothing to repeat. */
void gauss(const struct grid* grid, long iterations, double point) {
  struct access access = accesses(grid);
  const long n = grid->n[0];
  (void)iterations;
  for (long k = 0; k <= n - 2; ++k) {
    send_element(grid, &access, k, k + 1, n - 1, (int)(4 * (n + 1)));
    compute(point * (double)((n - k) * iterations_of(grid, 0, grid->rank, k + 1, n - 1, 1)));
  }
  for (long k = n - 1; k >= 1; --k) {
    send_element(grid, &access, k, 0, k - 1, 4);
    compute(point * (double)iterations_of(grid, 0, grid->rank, 0, k - 1, 1));
  }
  release(&access);
}

enum { follows = -1 };

/* Iterations in the rows and columns from the first to the last ones. */
struct loop {
  long first_row, last_row, first_column, last_column;
};

static struct box iterations_in(const struct grid* grid, int process, const struct loop* loop) {
  struct box box = own_block(grid, process);
  const long first[] = {loop->first_row, loop->first_column};
  const long last[] = {loop->last_row, loop->last_column};
  for (int dim = 0; dim < 2; ++dim) {
    if (box.begin[dim] < first[dim]) box.begin[dim] = first[dim];
    if (box.end[dim] > last[dim] + 1) box.end[dim] = last[dim] + 1;
    if (box.begin[dim] >= box.end[dim]) return empty_box();
  }
  return box;
}

static double count_of(const struct box* box) {
  return (double)((box->end[0] - box->begin[0]) * (box->end[1] - box->begin[1]));
}

/* Each iteration reads the element in a row and a column, which may follow those of the iteration.
 */
static void read_remote(const struct grid* grid, struct access* access, const struct loop* loop,
                        long row, long column, int bytes) {
  for (int process = 0; process < grid->size; ++process) {
    struct box needed = iterations_in(grid, process, loop);
    if (count_of(&needed) > 0.0 && row != follows) {
      needed.begin[0] = row;
      needed.end[0] = row + 1;
    }
    if (count_of(&needed) > 0.0 && column != follows) {
      needed.begin[1] = column;
      needed.end[1] = column + 1;
    }
    access->held[process] = own_block(grid, process);
    access->needed[process] = needed;
  }
  move(grid, access->held, access->needed, bytes);
}

static void compute_loop(const struct grid* grid, const struct loop* loop, double point) {
  const struct box own = iterations_in(grid, grid->rank, loop);
  compute(point * count_of(&own));
}

/* The largest numbers of a column, with where they are, for all. */
static void find_pivots(const struct grid* grid, const struct loop* column, int bytes) {
  int* members = malloc((size_t)grid->size * sizeof *members);
  int count = 0;
  for (int process = 0; process < grid->size; ++process) {
    const struct box box = iterations_in(grid, process, column);
    if (count_of(&box) > 0.0) members[count++] = process;
  }
  reduce_among(grid, members, count, bytes);
  free(members);
}

/* Elements are blocks of numbers; a point is one multiplication and addition. */
void panels(const struct grid* grid, long iterations, double point) {
  enum { side = 64, place_bytes = 4 };
  const int bytes = element * side * side;
  const double product = (double)side * side * side * point;
  const long last = grid->n[0] - 1;
  struct access access = accesses(grid);
  (void)iterations;
  for (long k = 0; k < last; ++k) {
    const struct loop panel = {k, last, k, k};
    const struct loop row = {k, k, k + 1, last};
    const struct loop rest = {k + 1, last, k + 1, last};
    compute_loop(grid, &panel, product / 2);
    find_pivots(grid, &panel, side * (element + place_bytes));
    read_remote(grid, &access, &row, k, k, bytes);
    compute_loop(grid, &row, product / 2);
    read_remote(grid, &access, &rest, follows, k, bytes);
    read_remote(grid, &access, &rest, k, follows, bytes);
    compute_loop(grid, &rest, product);
  }
  release(&access);
}

/* Pencils along dimension `whole`; the two others are cut by the dimensions of the grid in order.
 */
static struct box pencil(const struct grid* grid, int process, int whole) {
  struct box box;
  int place[max_rank];
  coordinates_of(grid, process, place);
  for (int dim = 0, cut_by = 0; dim < max_rank; ++dim) {
    const int parts = dim == whole ? 1 : grid->extents[cut_by];
    const int part = dim == whole ? 0 : place[cut_by++];
    box.begin[dim] = cut(grid->n[dim], parts, part);
    box.end[dim] = cut(grid->n[dim], parts, part + 1);
  }
  return box;
}

static double volume(const struct box* box) {
  return count_of(box) * (double)(box->end[2] - box->begin[2]);
}

/* From pencils along one dimension to pencils along another. */
static void transpose(const struct grid* grid, struct access* access, int from, int to) {
  enum { complex_element = 16 };
  for (int process = 0; process < grid->size; ++process) {
    access->held[process] = pencil(grid, process, from);
    access->needed[process] = pencil(grid, process, to);
  }
  move(grid, access->held, access->needed, complex_element);
}

/* To pencils along the last dimension and back. */
void pencils(const struct grid* grid, long iterations, double point) {
  static const int along[] = {0, 1, 2, 1, 0};
  enum { steps = sizeof along / sizeof *along - 1 };
  struct access access = accesses(grid);
  for (long i = 0; i < iterations; ++i) {
    for (int step = 0; step < steps; ++step) {
      const struct box own = pencil(grid, grid->rank, along[step]);
      compute(point * volume(&own));
      transpose(grid, &access, along[step], along[step + 1]);
    }
  }
  release(&access);
}

/* A point is one operation, of which an element takes 5 log2 n per dimension. */
void fft3d(const struct grid* grid, long iterations, double point) {
  struct access access = accesses(grid);
  int log = 0;
  while (1L << log < grid->n[0]) ++log;
  for (long i = 0; i < iterations; ++i) {
    for (int whole = 0; whole < max_rank; ++whole) {
      const struct box own = pencil(grid, grid->rank, whole);
      compute(5 * log * point * volume(&own));
      if (whole == max_rank - 1) break;
      transpose(grid, &access, whole, whole + 1);
    }
    if (grid->together) meet(grid); /* redistributed without values */
  }
  release(&access);
}
