#include "grid.h"

#include <smpi/smpi.h>

static const double host_speed = 1e9; /* of the platform */

static long least(long a, long b) { return a < b ? a : b; }

long cut(long n, int parts, int coordinate) {
  return least((n + parts - 1) / parts * coordinate, n);
}

long block_begin(const struct grid* grid, int dim, int coordinate) {
  const long under = cut(grid->n[dim] * grid->stride, grid->extents[dim], coordinate);
  return (under + grid->stride - 1) / grid->stride;
}

long block(const struct grid* grid, int dim, int coordinate) {
  return block_begin(grid, dim, coordinate + 1) - block_begin(grid, dim, coordinate);
}

long iterations_of(const struct grid* grid, int dim, int coordinate, long first, long last,
                   long step) {
  const long begin = block_begin(grid, dim, coordinate);
  const long end = least(block_begin(grid, dim, coordinate + 1), last + 1);
  const long from = first < begin ? first + (begin - first + step - 1) / step * step : first;
  return from < end ? (end - from + step - 1) / step : 0;
}

void coordinates_of(const struct grid* grid, int process, int* place) {
  for (int dim = grid->dims - 1; dim >= 0; --dim) {
    place[dim] = process % grid->extents[dim];
    process /= grid->extents[dim];
  }
}

int process_at(const struct grid* grid, const int* place) {
  int process = 0;
  for (int dim = 0; dim < grid->dims; ++dim) process = process * grid->extents[dim] + place[dim];
  return process;
}

static double inside_at(const struct grid* grid, const int* place, long margin) {
  double count = 1.0;
  for (int dim = 0; dim < grid->dims; ++dim)
    count *= (double)iterations_of(grid, dim, place[dim], margin, grid->n[dim] - 1 - margin, 1);
  return count;
}

double inside(const struct grid* grid, long margin) {
  return inside_at(grid, grid->coordinates, margin);
}

double interior_at(const struct grid* grid, const int* place) { return inside_at(grid, place, 1); }

double interior(const struct grid* grid) { return interior_at(grid, grid->coordinates); }

double per_byte(const struct grid* grid, int one, int other) {
  double result = grid->tiers[0].per_byte;
  for (int tier = 1; tier < grid->tier_count; ++tier)
    if (one / grid->tiers[tier].processes == other / grid->tiers[tier].processes)
      result = grid->tiers[tier].per_byte;
  return result;
}

int payload(long bytes) {
  enum { header = 16 };
  return bytes > header ? (int)(bytes - header) : 0;
}

void compute(double seconds) {
  if (seconds > 0.0) smpi_execute_flops(seconds * host_speed);
}

void enter(struct grid* grid, MPI_Comm processes) {
  grid->processes = processes;
  MPI_Comm_rank(processes, &grid->rank);
  MPI_Comm_size(processes, &grid->size);
  coordinates_of(grid, grid->rank, grid->coordinates);
  for (int dim = 0; dim < grid->dims; ++dim) {
    int place[max_rank] = {0};
    for (int other = 0; other < grid->dims; ++other)
      place[other] = other == dim ? 0 : grid->coordinates[other];
    MPI_Comm_split(processes, process_at(grid, place), grid->coordinates[dim], &grid->lines[dim]);
  }
  if (grid->rank == 0) grid->barrier = sg_barrier_init((unsigned int)grid->size);
  MPI_Bcast(&grid->barrier, sizeof grid->barrier, MPI_BYTE, 0, processes);
}

void enter_task(struct grid* grid, int tasks, struct grid* task) {
  MPI_Comm processes;
  grid->number = (int)((long)grid->rank * tasks / grid->size);
  MPI_Comm_split(grid->processes, grid->number, grid->rank, &processes);
  *task = *grid;
  task->extents[0] = grid->extents[0] / tasks;
  enter(task, processes);
  grid->task = task;
}

void meet(const struct grid* grid) { sg_barrier_wait(grid->barrier); }
