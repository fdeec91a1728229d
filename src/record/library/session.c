/* The recording of a process: from MPI_Init to MPI_Finalize or MPI_Abort. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "recorder.h"

/* Written at once, and past the buffers of the program. */
void complain(const char* problem, const char* subject) {
  char line[4400];
  const int length =
      snprintf(line, sizeof line, "libgridcast-record.so: %s %s\n", problem, subject);
  if (length > 0 && write(STDERR_FILENO, line,
                          (size_t)length < sizeof line ? (size_t)length : sizeof line - 1) < 0) {
    return;
  }
}

static void record_plain(int operation, const void* site, uint64_t gap, uint64_t duration) {
  struct shape shape;
  memset(&shape, 0, sizeof shape);
  shape.site = site;
  shape.operation = operation;
  shape.communicator = shape.type[0] = shape.type[1] = shape.slot = -1;
  shape.peer[0] = shape.peer[1] = shape.tag[0] = shape.tag[1] = recording_none;
  record_event(&shape, gap, duration);
}

static void define_library(void) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  PMPI_Get_library_version(version, &length);
  version[strcspn(version, "\n")] = '\0'; /* MPICH goes on with how it was configured */
  for (char* tab = version; (tab = strchr(tab, '\t')) != NULL;) {
    *tab = ' ';
  }
  define_begin(recording_library);
  define_text(version);
  define_end();
}

#if defined(MPICH_VERSION)
#define BUILT_FOR "MPICH"
#define OTHER_MPI "Open MPI"
#define OTHER_LIBRARIES "libmpi.so.40"
#else
#define BUILT_FOR "Open MPI"
#define OTHER_MPI "MPICH"
#define OTHER_LIBRARIES "libmpich.so.12", "libmpi.so.12"
#endif

/* The library was built for the handles of one MPI library. */
static int is_other_library(void) {
  static const char* const others[] = {OTHER_LIBRARIES};
  for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
    if (dlopen(others[i], RTLD_LAZY | RTLD_NOLOAD) != NULL) {
      complain("does not record programs of " OTHER_MPI ":",
               "it was built for " BUILT_FOR " (gridcast record --mpi)");
      return 1;
    }
  }
  return 0;
}

void begin_recording(struct recording_clock begin, int operation, const void* site) {
  int rank = 0;
  int ranks = 0;
  int level = MPI_THREAD_SINGLE;
  int running = 0;
  const uint64_t ended = read_ticks();
  if (recorder.header != NULL || is_other_library() || PMPI_Initialized(&running) != MPI_SUCCESS ||
      !running) {
    return;
  }
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  PMPI_Query_thread(&level);
  if (!open_file(rank, ranks, begin)) {
    return;
  }
  recorder.header->thread_level = level == MPI_THREAD_MULTIPLE     ? 3
                                  : level == MPI_THREAD_SERIALIZED ? 2
                                  : level == MPI_THREAD_FUNNELED   ? 1
                                                                   : 0;
  recorder.locked = level == MPI_THREAD_MULTIPLE;
  recorder.thread = &inside_call;
  pthread_atfork(NULL, NULL, leave_file);
  find_program();
  define_library();
  communicator_number(MPI_COMM_WORLD, -1, -1);
  record_plain(operation, site, 0, ended - begin.ticks);
  recorder.left = read_ticks();
}

void end_recording(uint32_t state, int operation, const void* site) {
  lock_recorder();
  if (recorder.header != NULL) {
    const uint64_t now = read_ticks();
    if (recorder.on) {
      record_plain(operation, site, now > recorder.left ? now - recorder.left : 0, 0);
    }
    close_file(state);
  }
  unlock_recorder();
}
