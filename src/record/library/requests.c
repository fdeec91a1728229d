/* Requests that are open have numbers, the smallest that is free: iterations that post the same
   requests give them the same numbers. The MPI library may give one handle to several requests that
   are complete at once: those of a handle are a queue. */
#include "recorder.h"

enum { most_requests = 1 << 16, map_size = 1 << 17, word_bits = 64 };

static const void* keys[map_size];
static int32_t values[map_size]; /* the first of the handle's queue */
static struct map numbers = {keys, values, map_size - 1};
static int32_t next_of[most_requests];
static int32_t last_of[most_requests]; /* of the first of a queue */
static unsigned char is_persistent[most_requests];
static uint64_t taken[most_requests / word_bits];
static int32_t first_word; /* the words before it are full */

static void enqueue(MPI_Request request, int32_t slot) {
  const int32_t first = map_find(&numbers, HANDLE_KEY(request));
  next_of[slot] = -1;
  if (first < 0) {
    last_of[slot] = slot;
    map_put(&numbers, HANDLE_KEY(request), slot);
  } else {
    next_of[last_of[first]] = slot;
    last_of[first] = slot;
  }
}

int32_t open_request(MPI_Request request, int persistent) {
  if (request == MPI_REQUEST_NULL) {
    return -1;
  }
  while (first_word < most_requests / word_bits && taken[first_word] == ~UINT64_C(0)) {
    ++first_word;
  }
  if (first_word == most_requests / word_bits) {
    recorder.header->flags |= recording_tables;
    return -1;
  }
  const int bit = __builtin_ctzll(~taken[first_word]);
  const int32_t slot = first_word * word_bits + bit;
  taken[first_word] |= UINT64_C(1) << bit;
  is_persistent[slot] = (unsigned char)persistent;
  enqueue(request, slot);
  return slot;
}

int32_t take_request(MPI_Request request) {
  if (request == MPI_REQUEST_NULL) {
    return -1;
  }
  const int32_t first = map_find(&numbers, HANDLE_KEY(request));
  if (first >= 0) {
    const int32_t second = next_of[first];
    if (second < 0) {
      map_remove(&numbers, HANDLE_KEY(request));
    } else {
      last_of[second] = last_of[first];
      map_put(&numbers, HANDLE_KEY(request), second);
    }
  }
  return first;
}

void return_request(MPI_Request request, int32_t slot) {
  if (slot >= 0) {
    enqueue(request, slot);
  }
}

void end_request(MPI_Request request, int32_t slot, int for_good) {
  if (slot < 0) {
    return;
  }
  if (is_persistent[slot] && !for_good) {
    enqueue(request, slot);
    return;
  }
  taken[slot / word_bits] &= ~(UINT64_C(1) << (slot % word_bits));
  first_word = slot / word_bits < first_word ? slot / word_bits : first_word;
}
