#pragma once
/* A file of a recording as bytes: what the library that writes it and the reader share. Meaning:
 * docs/recordings.md. */

#include <stdint.h>

#define RECORDING_MAGIC "GCRECORD"
enum { recording_version = 1, recording_header_bytes = 4096, recording_definition_limit = 1 << 20 };

/* How a rank ended. A process that is killed leaves its file as it is: running. */
enum { recording_running = 0, recording_finished = 1, recording_aborted = 2 };

/* What a reader has to know before it believes the recording. */
enum {
  recording_threads = 1,    /* more than one thread called MPI: gaps are not those of one thread */
  recording_tables = 2,     /* a table was full: later events have coarser shapes */
  recording_limit = 4,      /* the file reached its largest size: later calls are missing */
  recording_disk = 8,       /* the disk was full: later calls are missing */
  recording_one_sided = 16, /* one-sided communication: not described */
  recording_known_flags = 31
};

/* A moment on both clocks. */
struct recording_clock {
  uint64_t ticks;
  uint64_t nanoseconds;
};

/* The first bytes of the file; little-endian, zeros up to recording_header_bytes. */
struct recording_header {
  char magic[8];
  uint32_t version;
  uint32_t header_bytes;
  uint64_t run; /* the same number in all ranks' files and in the manifest */
  uint32_t rank;
  uint32_t ranks;
  uint32_t state;
  uint32_t flags;
  uint32_t thread_level; /* 0: single ... 3: multiple */
  uint32_t latest;       /* which of `clocks` was written last */
  uint64_t committed;    /* bytes of the file that count, this header included */
  struct recording_clock begin;
  struct recording_clock clocks[2];
};

/* An event is a word of 24 bits: bit 0: the shape is the successor that the previous shape had last
   time; bits 1 to 11 the duration; bits 12 to 23 the gap before it. Both are codes of
   `recording_code`; the code of ones is followed by the ticks as a number. Unless bit 0 is set the
   number of the shape follows; 0: a definition follows. */
enum { recording_duration_bits = 6, recording_gap_bits = 7, recording_exponents = 31 };

enum {
  recording_operation = 1,
  recording_module = 2,
  recording_site = 3,
  recording_communicator = 4,
  recording_datatype = 5,
  recording_list = 6,
  recording_shape = 7,
  recording_library = 8
};

/* Kinds of topologies of communicators. */
enum { recording_flat = 0, recording_cartesian = 1, recording_graph = 2, recording_inter = 3 };

/* Instead of the rank of a partner or a tag. */
enum { recording_none = -1, recording_any = -2 };
