/* Programs of configs/programs without their data: what is computed takes the time that the
 * descriptions say, what is sent has the lengths that the blocks give. A function runs so many
 * iterations with so many seconds per point, or whatever the description calls the unit of work. */
#ifndef GRIDCAST_SKELETONS_PROGRAMS_H
#define GRIDCAST_SKELETONS_PROGRAMS_H

#include "grid.h"

enum { element = 8 };

/* meshes.c: exchanges of edges, and reductions. */
void stencil(const struct grid* grid, long iterations, double point);    /* only exchanges */
void reductions(const struct grid* grid, long iterations, double point); /* only reductions */
void nine(const struct grid* grid, long iterations, double point);       /* edges 2 wide, corners */
void upwind(const struct grid* grid, long iterations, double point); /* widths of sides differ */
void overlap3d(const struct grid* grid, long iterations, double point);
void jacobi1d(const struct grid* grid, long iterations, double point);
void jacobi2d(const struct grid* grid, long iterations, double point);
void jacobi3d(const struct grid* grid, long iterations, double point);
void redblack(const struct grid* grid, long iterations, double point);
void cg(const struct grid* grid, long iterations, double point);
void torus(const struct grid* grid, long iterations, double point);
void multigrid(const struct grid* grid, long iterations, double point);
void taskjacobi(const struct grid* grid, long iterations, double point);

/* sweeps.c: pipelines. */
void sor(const struct grid* grid, long iterations, double point);
void adi(const struct grid* grid, long iterations, double point);
void heat3d(const struct grid* grid, long iterations, double point);

/* matrices.c: remote access and redistribution. */
void gauss(const struct grid* grid, long iterations, double point);
void panels(const struct grid* grid, long iterations, double point);
void fft3d(const struct grid* grid, long iterations, double point);
void pencils(const struct grid* grid, long iterations, double point); /* only transpositions */

/* messages.c: programs of configs/messages, whose processes always run free. */
void halo(const struct grid* grid, long iterations, double point);
void cg_doubling(const struct grid* grid, long iterations, double point);
void sendrecv_heat(const struct grid* grid, long iterations,
                   double point); /* measured times, no point */
void wavefront(const struct grid* grid, long iterations, double point);
void fft_pencils(const struct grid* grid, long iterations, double point);
void particles(const struct grid* grid, long iterations, double point);

#endif
