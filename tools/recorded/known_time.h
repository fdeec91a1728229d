/* Computing of the programs of tests/apps that takes a known time in the recorded run, where a
 * process waits so long, and in the simulated one. Compilers include it before the program. */
#ifndef GRIDCAST_RECORDED_KNOWN_TIME_H
#define GRIDCAST_RECORDED_KNOWN_TIME_H

static double known_seconds(double points) { return 1e-6 + 5e-9 * points; }

#ifdef SIMULATED
#include <smpi/smpi.h>
#define COMPUTE(points) smpi_execute_flops(1e9 * known_seconds((double)(points)))
#else
#include <time.h>

static double known_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
static void known_wait(double seconds) {
  const double end = known_now() + seconds;
  while (known_now() < end) {
  }
}
#define COMPUTE(points) known_wait(known_seconds((double)(points)))
#endif

#endif
