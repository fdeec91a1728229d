/* Neighbour collectives of a Cartesian grid, which SimGrid does not have: all receives, all sends,
 * wait. */
#ifndef GRIDCAST_RECORDED_NEIGHBOURS_H
#define GRIDCAST_RECORDED_NEIGHBOURS_H

#include <mpi.h>

enum { most_dimensions = 4 };

/* From places of `out`, elements of this size apart, to those of `in`; equal counts if `counts` is
 * null. */
static int to_neighbours(const char* out, const int* counts, const int* places, int count, int step,
                         char* in, MPI_Datatype type, MPI_Comm grid) {
  MPI_Request requests[4 * most_dimensions];
  int partners[2 * most_dimensions];
  int dimensions;
  int size;
  MPI_Cartdim_get(grid, &dimensions);
  MPI_Type_size(type, &size);
  for (int dim = 0; dim < dimensions; ++dim)
    MPI_Cart_shift(grid, dim, 1, &partners[2 * dim], &partners[2 * dim + 1]);
  int open = 0;
  for (int i = 0; i < 2 * dimensions; ++i)
    MPI_Irecv(in + size * (counts ? places[i] : count * i), counts ? counts[i] : count, type,
              partners[i], i, grid, &requests[open++]);
  for (int i = 0; i < 2 * dimensions; ++i) /* it comes from the other side there */
    MPI_Isend(out + size * (counts ? places[i] : step * i), counts ? counts[i] : count, type,
              partners[i], i ^ 1, grid, &requests[open++]);
  return MPI_Waitall(open, requests, MPI_STATUSES_IGNORE);
}

#define MPI_Neighbor_alltoall(out, count, type, in, count_in, type_in, grid) \
  to_neighbours((const char*)(out), 0, 0, count, count, (char*)(in), type, grid)
#define MPI_Neighbor_alltoallv(out, counts, places, type, in, counts_in, places_in, type_in, grid) \
  to_neighbours((const char*)(out), counts, places, 0, 0, (char*)(in), type, grid)
#define MPI_Ineighbor_allgather(out, count, type, in, count_in, type_in, grid, request) \
  (*(request) = MPI_REQUEST_NULL,                                                       \
   to_neighbours((const char*)(out), 0, 0, count, 0, (char*)(in), type, grid))

#endif
