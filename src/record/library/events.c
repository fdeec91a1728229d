/* A call becomes an event: its shape's number and two times. */
#include <stdlib.h>
#include <string.h>

#include "recorder.h"

enum {
  most_shapes = 1 << 16,
  coarse_shapes = 4096,
  all_shapes = most_shapes + coarse_shapes + operations + 1
};
enum { no_tag = INT32_MIN };
enum { clock_interval = 1024, word_bytes = 3 };

struct recorder recorder;
__thread int inside_call;

static struct shape shapes[all_shapes];
static int32_t successor[all_shapes];
static int32_t shape_count = 1; /* 0: a definition */
static int32_t shape_places[4 * most_shapes];
static unsigned char operation_defined[operations];

#define NAME(Name, name, kind, ...) #Name,
static const char* const operation_names[] = {RECORD_CALLS(NAME)};
#undef NAME

static int32_t add_shape(const struct shape* shape, uint32_t place) {
  for (int i = 0; i <= shape->operation; ++i) {
    /* Operations have numbers by the order of their definitions: that of calls.h up to the last
     * that was needed. */
    if (!operation_defined[i]) {
      operation_defined[i] = 1;
      define_begin(recording_operation);
      define_text(operation_names[i]);
      define_end();
    }
  }
  const int32_t site = shape->site != NULL ? site_number(shape->site) : -1;
  const int64_t numbers[] = {
      shape->operation, site,           shape->communicator, shape->peer[0], shape->peer[1],
      shape->tag[0],    shape->tag[1],  shape->type[0],      shape->type[1], shape->bytes[0],
      shape->bytes[1],  shape->list[0], shape->list[1],      shape->slot,    shape->result};
  define_begin(recording_shape);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
    define_number(numbers[i]);
  }
  define_end();
  shapes[shape_count] = *shape;
  shape_places[place] = shape_count;
  return shape_count++;
}

/* The number of the shape; with `limit` shapes there is none that is new: 0. */
static int32_t find_shape(const struct shape* shape, int32_t limit) {
  uint64_t words[sizeof *shape / sizeof(uint64_t)];
  uint64_t hash = 0;
  memcpy(words, shape, sizeof words);
  for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
    hash = mix(hash, words[i]);
  }
  uint32_t place = (uint32_t)hash % (4 * most_shapes);
  for (; shape_places[place] != 0; place = (place + 1) % (4 * most_shapes)) {
    if (memcmp(&shapes[shape_places[place]], shape, sizeof *shape) == 0) {
      return shape_places[place];
    }
  }
  return shape_count < limit ? add_shape(shape, place) : 0;
}

static int32_t shape_number(const struct shape* shape) {
  const int32_t expected = successor[recorder.previous];
  if (expected != 0 && memcmp(&shapes[expected], shape, sizeof *shape) == 0) {
    return expected;
  }
  int32_t number = find_shape(shape, most_shapes);
  if (number == 0) {
    recorder.header->flags |= recording_tables;
    struct shape coarse;
    memset(&coarse, 0, sizeof coarse);
    coarse.operation = shape->operation;
    coarse.communicator = shape->communicator;
    coarse.site = shape->site;
    coarse.type[0] = coarse.type[1] = coarse.slot = -1;
    coarse.peer[0] = coarse.peer[1] = coarse.tag[0] = coarse.tag[1] = recording_none;
    number = find_shape(&coarse, most_shapes + coarse_shapes);
    if (number == 0) {
      coarse.site = NULL;
      coarse.communicator = -1;
      number = find_shape(&coarse, all_shapes);
    }
  }
  return number;
}

/* A time as exponent and mantissa, rounded to the nearest; exact below 2^(bits + 1). `ones`: too
 * long. */
static uint32_t code_of(uint64_t ticks, int bits, uint32_t ones) {
  const uint64_t one = UINT64_C(1) << bits;
  if (ticks < one) {
    return (uint32_t)ticks;
  }
  int exponent = 63 - __builtin_clzll(ticks) - bits;
  uint64_t mantissa = exponent > 0 ? ((ticks >> (exponent - 1)) + 1) >> 1 : ticks;
  if (mantissa == 2 * one) {
    mantissa = one;
    ++exponent;
  }
  const uint64_t code = ((uint64_t)(exponent + 1) << bits) + (mantissa - one);
  return exponent + 1 > recording_exponents || code >= ones ? ones : (uint32_t)code;
}

void record_event(const struct shape* shape, uint64_t gap, uint64_t duration) {
  const uint32_t most_duration = (UINT32_C(1) << (recording_duration_bits + 5)) - 1;
  const uint32_t most_gap = (UINT32_C(1) << (recording_gap_bits + 5)) - 1;
  const int32_t number = shape_number(shape);
  const uint32_t duration_code = code_of(duration, recording_duration_bits, most_duration);
  const uint32_t gap_code = code_of(gap, recording_gap_bits, most_gap);
  const uint32_t expected = number == successor[recorder.previous];
  const uint32_t word = expected | duration_code << 1U | gap_code << (recording_duration_bits + 6U);
  unsigned char bytes[word_bytes + 30] = {(unsigned char)word, (unsigned char)(word >> 8U),
                                          (unsigned char)(word >> 16U)};
  size_t length = word_bytes;
  if (!expected) {
    length += put_number(bytes + length, (uint64_t)number);
  }
  if (duration_code == most_duration) {
    length += put_number(bytes + length, duration);
  }
  if (gap_code == most_gap) {
    length += put_number(bytes + length, gap);
  }
  successor[recorder.previous] = number;
  recorder.previous = number;
  append_bytes(bytes, length);
  if (++recorder.events % clock_interval == 0 && recorder.on) {
    keep_clocks();
  }
}

void lock_recorder(void) {
  while (recorder.locked && __atomic_exchange_n(&recorder.busy, 1, __ATOMIC_ACQUIRE) != 0) {
  }
}

void unlock_recorder(void) {
  if (recorder.locked) {
    __atomic_store_n(&recorder.busy, 0, __ATOMIC_RELEASE);
  }
}

void begin_call(struct call* call, enum operation operation, enum kind kind, enum language language,
                const void* site) {
  const uint64_t entered = read_ticks();
  inside_call = 1;
  memset(call, 0, offsetof(struct call, some));
  call->entered = entered;
  call->operation = operation;
  call->kind = kind;
  call->language = language;
  call->site = site;
  call->comm = MPI_COMM_NULL;
  call->type[0] = call->type[1] = call->freed = MPI_DATATYPE_NULL;
  call->peer[0] = call->peer[1] = MPI_PROC_NULL;
  call->tag[0] = call->tag[1] = no_tag;
  call->root_side = -1;
  call->slot = -1;
}

static MPI_Request request_at(const struct call* call, int index) {
  return call->language == language_c ? ((const MPI_Request*)call->requests)[index]
                                      : PMPI_Request_f2c(((const MPI_Fint*)call->requests)[index]);
}

static void prepare_requests(struct call* call) {
  const int count = call->length < 0 ? 1 : call->length;
  call->slots = call->some;
  call->handles = call->some_handles;
  if (count > short_list) {
    call->slots = malloc((size_t)count * sizeof *call->slots);
    call->handles = malloc((size_t)count * sizeof *call->handles);
    if (call->slots == NULL || call->handles == NULL) {
      free(call->slots);
      free(call->handles);
      call->slots = NULL;
      call->handles = NULL;
    }
  }
  /* The handles are read now: the call sets those of complete requests to none. */
  for (int i = 0; call->slots != NULL && i < count; ++i) {
    call->handles[i] = request_at(call, i);
    call->slots[i] = take_request(call->handles[i]);
  }
}

void prepare_call(struct call* call) {
  lock_recorder();
  if (recorder.on) {
    call->site = site_of(call->site);
    call->communicator = communicator_number(call->comm, -1, -1);
    if (call->freed != MPI_DATATYPE_NULL) {
      call->result = datatype_number(call->freed);
      forget_datatype(call->freed);
    }
    if (call->ended_comm) {
      forget_communicator(call->comm);
    }
    if (call->requests != NULL) {
      prepare_requests(call);
    }
    if (recorder.thread != &inside_call) {
      recorder.header->flags |= recording_threads;
    }
  }
  unlock_recorder();
  call->began = read_ticks();
}

/* The list of the bytes for each partner; returns their sum. */
static int64_t bytes_per_partner(const struct call* call, int side, struct shape* shape) {
  static int64_t values[list_limit];
  const int partners = call->kind == kind_neighbours
                           ? communicator_partners(call->communicator, side)
                           : communicator_size(call->communicator);
  const int32_t type = shape->type[side];
  int64_t sum = 0;
  for (int i = 0; i < partners; ++i) {
    int32_t own = type;
    if (call->types[side] != NULL) {
      own = datatype_number(call->language == language_c
                                ? ((const MPI_Datatype*)call->types[side])[i]
                                : PMPI_Type_f2c(((const MPI_Fint*)call->types[side])[i]));
      shape->type[side] = i == 0 ? own : shape->type[side];
    }
    const int64_t bytes =
        call->counts[side][i] > 0 ? call->counts[side][i] * datatype_bytes(own) : 0;
    sum += bytes;
    if (i < list_limit) {
      values[i] = bytes;
    }
  }
  shape->list[side] = list_number(values, partners);
  return sum;
}

static void describe_side(const struct call* call, int side, struct shape* shape) {
  const int root_only =
      call->root_side == side && (communicator_rank(call->communicator) < 0 ||
                                  communicator_rank(call->communicator) != call->peer[0]);
  shape->type[side] = -1;
  if (call->left_out[side] || root_only) {
    return;
  }
  shape->type[side] = datatype_number(call->type[side]);
  shape->bytes[side] = call->counts[side] != NULL
                           ? bytes_per_partner(call, side, shape)
                           : call->count[side] * datatype_bytes(shape->type[side]);
  shape->bytes[side] = shape->bytes[side] > 0 ? shape->bytes[side] : 0;
}

/* The list of those that are known. */
static int32_t list_of_slots(const int* slots, int count) {
  static int64_t values[list_limit];
  int length = 0;
  for (int i = 0; i < count; ++i) {
    if (slots[i] >= 0 && length++ < list_limit) {
      values[length - 1] = slots[i];
    }
  }
  return list_number(values, length);
}

/* Those of the call's requests that are complete end; the others stay. */
static void finish_requests(struct call* call, struct shape* shape, int succeeded) {
  const int count = call->length < 0 ? 1 : call->length;
  const int for_good = call->kind == kind_release;
  const int all = succeeded && (for_good || (call->kind == kind_complete && !call->by_index &&
                                             (!call->by_flag || call->result)));
  if (call->slots == NULL) {
    return; /* no memory for them */
  }
  if (call->length < 0) {
    shape->slot = call->slots[0];
  } else if (all || call->done > 0 || call->kind == kind_start) {
    shape->list[0] = list_of_slots(call->slots, count);
  }
  if (call->by_index) {
    static int ended[list_limit];
    int told = 0;
    for (int i = 0; i < call->done; ++i) {
      const int index = call->indices[i] - call->first;
      if (told++ < list_limit) {
        ended[told - 1] = call->slots[index];
      }
      end_request(call->handles[index], call->slots[index], 0);
      call->slots[index] = -1;
    }
    shape->list[1] = told <= list_limit ? list_of_slots(ended, told) : list_number(NULL, told);
    shape->result = call->done;
  }
  for (int i = 0; i < count; ++i) {
    if (all) {
      end_request(call->handles[i], call->slots[i], for_good);
    } else {
      return_request(call->handles[i], call->slots[i]);
    }
  }
}

static int32_t rank_or_tag(int value, int none, int any) {
  return value == none  ? recording_none
         : value == any ? recording_any
         : value >= 0   ? value
                        : recording_none;
}

static void record_call(struct call* call, int succeeded) {
  struct shape shape;
  memset(&shape, 0, sizeof shape);
  shape.site = call->site;
  shape.operation = (int32_t)call->operation;
  shape.communicator = call->communicator;
  shape.slot = -1;
  shape.result = call->result;
  for (int side = 0; side < 2; ++side) {
    shape.peer[side] = rank_or_tag(call->peer[side], MPI_PROC_NULL, MPI_ANY_SOURCE);
    shape.tag[side] = rank_or_tag(call->tag[side], no_tag, MPI_ANY_TAG);
    describe_side(call, side, &shape);
  }
  if (call->requests != NULL) {
    finish_requests(call, &shape, succeeded);
  }
  if (call->opens) {
    shape.slot = open_request(call->opened, call->opens == 2);
  }
  if (call->has_made) {
    shape.result = communicator_number(call->made, call->communicator, call->operation);
  }
  if (call->kind == kind_one_sided) {
    recorder.header->flags |= recording_one_sided;
  }
  record_event(&shape, call->entered > recorder.left ? call->entered - recorder.left : 0,
               call->ended > call->began ? call->ended - call->began : 0);
}

void finish_call(struct call* call, int succeeded) {
  lock_recorder();
  if (recorder.on) {
    record_call(call, succeeded);
  }
  if (call->slots != call->some) {
    free(call->slots);
    free(call->handles);
  }
  recorder.left = read_ticks();
  unlock_recorder();
  inside_call = 0;
}
