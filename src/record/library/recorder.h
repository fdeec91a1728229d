#pragma once
/* The library that records the MPI calls of a rank: what its files share. */

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "../calls.h"
#include "../format.h"

#define OPERATION(Name, name, kind, ...) operation_##Name,
enum operation { RECORD_CALLS(OPERATION) operations };
#undef OPERATION

enum kind {
  kind_send,
  kind_receive,
  kind_exchange,
  kind_probe,
  kind_start,
  kind_complete,
  kind_release,
  kind_collective,
  kind_neighbours,
  kind_communicator,
  kind_one_sided,
  kind_other
};

enum language { language_c, language_fortran };

enum { short_list = 64, list_limit = 4096 };

/* A call of MPI while it runs. Sides: 0 is what is sent or all there is, 1 what is received. */
struct call {
  uint64_t entered, began, ended;
  const void* site; /* at first the address that the call returns to */
  enum operation operation;
  enum kind kind;
  enum language language;
  MPI_Comm comm;
  MPI_Comm made;
  MPI_Datatype type[2];
  MPI_Datatype freed;
  const void* types[2];
  const int* counts[2];
  int count[2], peer[2], tag[2];
  int communicator, root_side, result, slot;
  int left_out[2];     /* this side of the arguments means nothing here */
  int has_made, opens; /* opens: 1 a request, 2 a persistent one */
  MPI_Request opened;
  void* requests;                     /* one or an array, in the language's form */
  int length;                         /* of the array; -1: one request */
  int* slots;                         /* of the requests */
  int by_flag, by_index, done, first; /* the first index of the language */
  int ended_comm;
  const int* indices;
  MPI_Request* handles; /* the requests, as they were before the call */
  int some[short_list];
  MPI_Request some_handles[short_list];
};

/* What all calls with the same arguments from the same place share. */
struct shape {
  const void* site;
  int64_t bytes[2];
  int32_t operation, communicator;
  int32_t peer[2], tag[2], type[2], list[2];
  int32_t slot, result;
};

/* From addresses to numbers; linear probing. */
struct map {
  const void** keys;
  int32_t* values;
  uint32_t mask;
};

static inline uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
  return hash ^ (hash >> 29U);
}

/* Handles of Open MPI are addresses, those of MPICH numbers. */
#define HANDLE_KEY(handle) ((const void*)(uintptr_t)(handle))

int32_t map_find(const struct map* map, const void* key); /* -1: none */
void map_put(struct map* map, const void* key, int32_t value);
void map_remove(struct map* map, const void* key);

/* The only state of the library. */
struct recorder {
  int on;
  int locked; /* all ranks' threads may call: states are changed under `busy` */
  int busy;
  const void* thread;
  struct recording_header* header;
  int32_t previous; /* shape of the event before */
  uint64_t left;    /* when the call before was left */
  uint64_t events;
};
extern struct recorder recorder;
extern __thread int inside_call;

static inline uint64_t read_ticks(void) {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  uint64_t ticks;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#else
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
#endif
}

/* file.c */
struct recording_clock read_clocks(void);
int open_file(int rank, int ranks, struct recording_clock begin);
void append_bytes(const void* bytes, size_t length); /* committed at once */
void keep_clocks(void);
void close_file(uint32_t state);
void leave_file(void); /* in a child process: the file is the parent's */

/* definitions.c: text of a definition */
void define_begin(int kind);
void define_number(int64_t value);
void define_text(const char* text);
void define_end(void);
size_t put_number(unsigned char* out, uint64_t value);

/* tables: numbers of things, defined when first met */
void find_program(void); /* first: where the code of the program is */
/* The site of a call that returns to this address. */
const void* site_of(const void* address);
int32_t site_number(const void* site);
int32_t communicator_number(MPI_Comm comm, int32_t parent, int operation);
int communicator_partners(int32_t number, int side); /* entries of arguments with one per partner */
int communicator_rank(int32_t number);
int communicator_size(int32_t number);
void forget_communicator(MPI_Comm comm);
int32_t datatype_number(MPI_Datatype type);
int64_t datatype_bytes(int32_t number);
void forget_datatype(MPI_Datatype type);
/* 0: no list, or one that is not told because it is longer than list_limit or the table is full. Of
   a longer one the values are not read. */
int32_t list_number(const int64_t* values, int length);
int32_t open_request(MPI_Request request, int persistent);
int32_t take_request(MPI_Request request);
void return_request(MPI_Request request, int32_t slot);
void end_request(MPI_Request request, int32_t slot, int for_good);

/* events.c */
void begin_call(struct call* call, enum operation operation, enum kind kind, enum language language,
                const void* site);
void lock_recorder(void);
void unlock_recorder(void);
void prepare_call(struct call* call);
void finish_call(struct call* call, int succeeded);
void record_event(const struct shape* shape, uint64_t gap, uint64_t duration);

/* session.c */
void begin_recording(struct recording_clock begin, int operation, const void* site);
void end_recording(uint32_t state, int operation, const void* site);
void complain(const char* problem, const char* subject);
