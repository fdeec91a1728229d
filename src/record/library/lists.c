/* Lists of numbers that shapes refer to. */
#include "recorder.h"

enum { most_lists = 1 << 14 };

/* Lists of numbers are kept by their hash of 64 bits and another one: two that differ are told
   apart for certain enough (2^-80 for 2^14 lists). */
struct list_key {
  uint64_t hash[2];
  int32_t number;
};
static struct list_key lists[4 * most_lists];
static int32_t list_count;

static int32_t untold(void) {
  recorder.header->flags |= recording_tables;
  return 0;
}

int32_t list_number(const int64_t* values, int length) {
  if (length == 0) {
    return 0;
  }
  if (length > list_limit) {
    return untold();
  }
  uint64_t hash[2] = {(uint64_t)length, ~(uint64_t)length};
  for (int i = 0; i < length; ++i) {
    hash[0] = mix(hash[0], (uint64_t)values[i]);
    hash[1] = mix(hash[1], (uint64_t)values[i] + hash[0]);
  }
  uint32_t place = (uint32_t)hash[0] % (4 * most_lists);
  for (; lists[place].number != 0; place = (place + 1) % (4 * most_lists)) {
    if (lists[place].hash[0] == hash[0] && lists[place].hash[1] == hash[1]) {
      return lists[place].number;
    }
  }
  if (list_count == most_lists) {
    return untold();
  }
  define_begin(recording_list);
  define_number(length);
  for (int i = 0; i < length; ++i) {
    define_number(values[i]);
  }
  define_end();
  lists[place].hash[0] = hash[0];
  lists[place].hash[1] = hash[1];
  return lists[place].number = ++list_count;
}
