#include <stdlib.h>

#include "programs.h"
#include "transfers.h"

static void jacobi(const struct grid* grid, long iterations, double point, double second,
                   double print) {
  for (long i = 0; i < iterations; ++i) {
    compute(point * interior(grid));
    reduce(grid, element);
    exchange(grid, element, &faces);
    compute(second * point * interior(grid));
    if (grid->rank == 0) compute(print);
  }
}

void jacobi1d(const struct grid* grid, long iterations, double point) {
  jacobi(grid, iterations, point, 1.5, 0.0);
}

void jacobi2d(const struct grid* grid, long iterations, double point) {
  jacobi(grid, iterations, point, 1.8, 20e-6);
}

void stencil(const struct grid* grid, long iterations, double point) {
  for (long i = 0; i < iterations; ++i) {
    exchange(grid, element, &faces);
    compute(point * interior(grid));
  }
}

void reductions(const struct grid* grid, long iterations, double point) {
  for (long i = 0; i < iterations; ++i) {
    compute(point * interior(grid));
    reduce(grid, element);
  }
}

static double coloured(const struct grid* grid, long row, long column) {
  return (double)iterations_of(grid, 0, grid->coordinates[0], row, grid->n[0] - 2, 2) *
         (double)iterations_of(grid, 1, grid->coordinates[1], column, grid->n[1] - 2, 2);
}

void redblack(const struct grid* grid, long iterations, double point) {
  for (long i = 0; i < iterations; ++i) {
    compute(point * coloured(grid, 1, 1));
    compute(point * coloured(grid, 2, 2));
    reduce(grid, 4);
    exchange(grid, element, &faces);
    compute(point * coloured(grid, 1, 2));
    compute(point * coloured(grid, 2, 1));
    exchange(grid, element, &faces);
  }
}

/* Both loops run in two halves. The edges are done with the first half of the first one and under
 * way until the first half of the second one is done. */
void jacobi3d(const struct grid* grid, long iterations, double point) {
  const double half = point * interior(grid) / 2;
  for (long i = 0; i < iterations; ++i) {
    compute(half);
    struct exchange edges = start_exchange(grid, element, &faces);
    compute(half);
    reduce(grid, element);
    compute(2 * half);
    finish_exchange(&edges);
    compute(2 * half);
  }
}

void nine(const struct grid* grid, long iterations, double point) {
  const struct shadow wide = {{2, 2}, {2, 2}, 1, 0};
  for (long i = 0; i < iterations; ++i) {
    exchange(grid, element, &wide);
    compute(point * inside(grid, 2));
  }
}

void upwind(const struct grid* grid, long iterations, double point) {
  const struct shadow uneven = {{3, 1}, {1, 0}, 0, 0};
  for (long i = 0; i < iterations; ++i) {
    exchange(grid, element, &uneven);
    compute(point * inside(grid, 3));
    reduce(grid, element);
  }
}

void overlap3d(const struct grid* grid, long iterations, double point) {
  for (long i = 0; i < iterations; ++i) {
    struct exchange edges = start_exchange(grid, element, &faces);
    compute(point * interior(grid));
    finish_exchange(&edges);
    compute(point / 8 * interior(grid));
  }
}

/* A point is one vector operation; the product of matrix and vector takes three. */
void cg(const struct grid* grid, long iterations, double point) {
  for (long i = 0; i < iterations; ++i) {
    exchange(grid, element, &faces);
    compute(4 * point * interior(grid));
    reduce(grid, element);
    compute(3 * point * interior(grid));
    reduce(grid, element);
    compute(point * interior(grid));
  }
}

/* All processes with elements have iterations. */
void torus(const struct grid* grid, long iterations, double point) {
  const struct shadow edges = {{1, 1}, {1, 1}, 1, 1};
  const struct box own = own_block(grid, grid->rank);
  const double points = (double)((own.end[0] - own.begin[0]) * (own.end[1] - own.begin[1]));
  int* members = malloc((size_t)grid->size * sizeof *members);
  int count = 0;
  for (int process = 0; process < grid->size; ++process) {
    const struct box held = own_block(grid, process);
    if (held.begin[0] < held.end[0] && held.begin[1] < held.end[1]) members[count++] = process;
  }
  for (long i = 0; i < iterations; ++i) {
    exchange(grid, element, &edges);
    compute(2.5 * point * points);
    compute(point * points);
    reduce_among(grid, members, count, element);
  }
  free(members);
}

/* Where the elements of all processes are, with or without those of their neighbours. */
static struct box* boxes_of(const struct grid* grid,
                            struct box (*box_of)(const struct grid*, int process)) {
  struct box* boxes = malloc((size_t)grid->size * sizeof *boxes);
  for (int process = 0; process < grid->size; ++process) boxes[process] = box_of(grid, process);
  return boxes;
}

/* The coarse array lies over every second point of the fine one, then over blocks of its own. */
void multigrid(const struct grid* grid, long iterations, double point) {
  enum { smoothings = 3 };
  struct grid over = *grid;
  struct grid alone = *grid;
  for (int dim = 0; dim < grid->dims; ++dim) over.n[dim] = alone.n[dim] = grid->n[dim] / 2;
  over.stride = 2;
  struct box* fine = boxes_of(grid, own_block);
  struct box* grown = boxes_of(grid, grown_block);
  struct box* aligned = boxes_of(&over, own_block);
  struct box* balanced = boxes_of(&alone, own_block);
  for (long i = 0; i < iterations; ++i) {
    for (int smoothing = 0; smoothing < smoothings; ++smoothing) {
      move(grid, fine, grown, element);
      compute(2 * point * interior(grid));
    }
    if (grid->together) meet(grid); /* realigned without values */
    exchange(grid, element, &faces);
    compute(2 * point * interior(&over));
    move(grid, aligned, balanced, element);
    for (int smoothing = 0; smoothing < smoothings; ++smoothing) {
      exchange(&alone, element, &faces);
      compute(2 * point * interior(&alone));
    }
    move(grid, balanced, aligned, element);
    exchange(&over, element, &faces);
    compute(4 * point * interior(&over));
    reduce(&over, element);
  }
  free(fine);
  free(grown);
  free(aligned);
  free(balanced);
}

/* A row of a task's half goes to the other half, as an array of one dimension. */
static void copy_row(const struct grid* grid, int from) {
  struct box* held = malloc((size_t)grid->size * sizeof *held);
  struct box* needed = malloc((size_t)grid->size * sizeof *needed);
  const int half = grid->size / 2;
  for (int process = 0; process < grid->size; ++process) {
    const struct box block = own_block(grid->task, process % half);
    held[process] = process / half == from ? block : empty_box();
    needed[process] = process / half == from ? empty_box() : block;
  }
  move(grid, held, needed, element);
  free(held);
  free(needed);
}

void taskjacobi(const struct grid* grid, long iterations, double point) {
  const long rows = grid->n[0] / 2;
  const double work = point * (double)(rows - 1) * interior(grid->task);
  for (long i = 0; i < iterations; ++i) {
    copy_row(grid, 0);
    copy_row(grid, 1);
    exchange(grid->task, (int)(rows + 1) * element, &faces);
    compute(1.8 * work);
    compute(work);
    reduce(grid->task, element);
  }
}
