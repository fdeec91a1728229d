#include "programs.h"
#include "sweep.h"
#include "transfers.h"

enum { old_values_tag = 5 };

/* The process beside this one, or MPI_PROC_NULL where there is none with elements. */
static int beside(const struct grid* grid, int dim, int side) {
  int place[max_rank];
  for (int other = 0; other < grid->dims; ++other) place[other] = grid->coordinates[other];
  place[dim] += side;
  if (place[dim] < 0 || place[dim] >= grid->extents[dim]) return MPI_PROC_NULL;
  for (int other = 0; other < grid->dims; ++other)
    if (block(grid, other, place[other]) == 0) return MPI_PROC_NULL;
  return process_at(grid, place);
}

/* The first rows and columns of blocks, before they change, go to the processes before. */
static void send_old_values(const struct grid* grid, int bytes_of_element) {
  MPI_Request edges[2 * max_rank];
  const int own = process_at(grid, grid->coordinates);
  const struct box held = own_block(grid, own);
  if (grid->together) meet(grid);
  for (int dim = 0; dim < grid->dims; ++dim) {
    long bytes = bytes_of_element;
    for (int other = 0; other < grid->dims; ++other)
      bytes *= other == dim ? 1 : held.end[other] - held.begin[other];
    const int empty = bytes == 0 || held.begin[dim] == held.end[dim];
    MPI_Irecv(grid->buffer, payload(bytes), MPI_BYTE, empty ? MPI_PROC_NULL : beside(grid, dim, 1),
              old_values_tag, grid->processes, &edges[2 * dim]);
    MPI_Isend(grid->buffer, payload(bytes), MPI_BYTE, empty ? MPI_PROC_NULL : beside(grid, dim, -1),
              old_values_tag, grid->processes, &edges[2 * dim + 1]);
  }
  MPI_Waitall(2 * grid->dims, edges, MPI_STATUSES_IGNORE);
}

void sor(const struct grid* grid, long iterations, double point) {
  const struct sweep sweep = {{1, 1}, {grid->n[0] - 2, grid->n[1] - 2}, {1, 1}, point, 4};
  for (long i = 0; i < iterations; ++i) {
    if (grid->together) meet(grid);
    send_old_values(grid, sweep.element);
    run_sweep(grid, &sweep);
    reduce(grid, 4);
  }
}

void adi(const struct grid* grid, long iterations, double point) {
  const long rows = grid->n[0] - 1;
  const long columns = grid->n[1] - 1;
  const struct sweep sweeps[] = {{{1, 0}, {rows - 1, columns}, {1, 0}, point, element},
                                 {{1, 0}, {rows - 1, columns}, {-1, 0}, point, element},
                                 {{0, 1}, {rows, columns - 1}, {0, 1}, point, element},
                                 {{0, 1}, {rows, columns - 1}, {0, -1}, point, element}};
  int members[grid->size];
  int count = 0;
  for (int process = 0; process < grid->size; ++process) {
    int place[max_rank];
    coordinates_of(grid, process, place);
    if (block(grid, 0, place[0]) > 0 && iterations_of(grid, 1, place[1], 1, columns - 1, 1) > 0)
      members[count++] = process;
  }
  for (long i = 0; i < iterations; ++i) {
    for (int sweep = 0; sweep < 4; ++sweep) {
      if (grid->together) meet(grid);
      run_sweep(grid, &sweeps[sweep]);
    }
    reduce_among(grid, members, count, element);
  }
}

void heat3d(const struct grid* grid, long iterations, double point) {
  const struct sweep sweep = {
      {1, 1, 1}, {grid->n[0] - 2, grid->n[1] - 2, grid->n[2] - 2}, {0, 0, 1}, point / 2, element};
  for (long i = 0; i < iterations; ++i) {
    exchange(grid, element, &faces);
    compute(point * interior(grid));
    if (grid->together) meet(grid);
    run_sweep(grid, &sweep);
    reduce(grid, element);
  }
}
