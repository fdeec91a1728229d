/* The file of a rank: mapped window by window, so that what was committed survives the process. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "recorder.h"

enum { window_bytes = 1 << 20 };
static const uint64_t largest_file = (uint64_t)1 << 28;

static int file = -1;
static unsigned char* window;
static uint64_t window_begin;
static uint64_t written;
static uint64_t file_limit;

struct recording_clock read_clocks(void) {
  struct timespec now;
  struct recording_clock clock;
  clock.ticks = read_ticks();
  clock_gettime(CLOCK_MONOTONIC, &now);
  clock.nanoseconds = (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
  return clock;
}

void keep_clocks(void) {
  const uint32_t next = 1 - recorder.header->latest;
  recorder.header->clocks[next] = read_clocks();
  __atomic_store_n(&recorder.header->latest, next, __ATOMIC_RELEASE);
}

static void stop_with(uint32_t flag) {
  recorder.header->flags |= flag;
  recorder.on = 0;
}

/* Maps the window in which the next byte lies; blocks of the disk are taken now, because a full one
   would end the program at a later write. */
static int move_window(void) {
  const uint64_t begin = written / recording_header_bytes * recording_header_bytes;
  if (begin + window_bytes > file_limit) {
    stop_with(recording_limit);
    return 0;
  }
  if (window != NULL) {
    munmap(window, window_bytes);
    window = NULL;
  }
  void* mapped = MAP_FAILED;
  if (posix_fallocate(file, (off_t)begin, window_bytes) == 0) {
    mapped = mmap(NULL, window_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)begin);
  }
  if (mapped == MAP_FAILED) {
    stop_with(recording_disk);
    return 0;
  }
  madvise(mapped, window_bytes, MADV_DONTFORK);
  window = mapped;
  window_begin = begin;
  if (recorder.header->state == recording_running && recorder.events > 0) {
    keep_clocks();
  }
  return 1;
}

int open_file(int rank, int ranks, struct recording_clock begin) {
  const char* folder = getenv("GRIDCAST_RECORD_DIR");
  const char* run = getenv("GRIDCAST_RECORD_RUN");
  const char* limit = getenv("GRIDCAST_RECORD_LIMIT");
  char path[4096];
  if (folder == NULL || run == NULL ||
      snprintf(path, sizeof path, "%s/rank-%d.gcr", folder, rank) >= (int)sizeof path) {
    return 0;
  }
  file_limit = limit != NULL ? strtoull(limit, NULL, 10) : largest_file;
  file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) {
    complain(errno == EEXIST ? "another process has recorded this rank in" : "cannot write", path);
    return 0;
  }
  void* mapped = MAP_FAILED;
  if (posix_fallocate(file, 0, recording_header_bytes) == 0) {
    mapped = mmap(NULL, recording_header_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  }
  if (mapped == MAP_FAILED) {
    complain("no room for", path);
    close(file);
    return 0;
  }
  madvise(mapped, recording_header_bytes, MADV_DONTFORK);
  struct recording_header* header = mapped;
  memcpy(header->magic, RECORDING_MAGIC, sizeof header->magic);
  header->version = recording_version;
  header->header_bytes = recording_header_bytes;
  header->run = strtoull(run, NULL, 16);
  header->rank = (uint32_t)rank;
  header->ranks = (uint32_t)ranks;
  header->committed = written = recording_header_bytes;
  header->begin = begin;
  header->clocks[0] = read_clocks();
  recorder.header = header;
  recorder.on = 1;
  return 1;
}

void append_bytes(const void* bytes, size_t length) {
  if (!recorder.on ||
      ((window == NULL || written + length > window_begin + window_bytes) && !move_window())) {
    return;
  }
  memcpy(window + (written - window_begin), bytes, length);
  written += length;
  __atomic_store_n(&recorder.header->committed, written, __ATOMIC_RELEASE);
}

void close_file(uint32_t state) {
  keep_clocks();
  recorder.header->state = state;
  /* The rest of the window was only reserved; if it cannot be given back the file is longer, not
   * wrong. */
  if (window != NULL) {
    munmap(window, window_bytes);
    window = NULL;
  }
  if (ftruncate(file, (off_t)written) != 0) {
    recorder.header->state = state;
  }
  munmap(recorder.header, recording_header_bytes);
  recorder.header = NULL;
  recorder.on = 0;
  close(file);
  file = -1;
}

void leave_file(void) {
  recorder.on = 0;
  recorder.busy = 0;
  recorder.header = NULL;
  window = NULL;
  if (file >= 0) {
    close(file);
    file = -1;
  }
}
