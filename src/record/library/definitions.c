/* Definitions: events of no duration that tell what later events mean. */
#include <string.h>

#include "recorder.h"

enum { word_bytes = 3 };

static unsigned char text[recording_definition_limit + 64];
static size_t length;
static int defined;

size_t put_number(unsigned char* out, uint64_t value) {
  size_t bytes = 0;
  while (value >= 128) {
    out[bytes++] = (unsigned char)(value | 128U);
    value >>= 7U;
  }
  out[bytes++] = (unsigned char)value;
  return bytes;
}

void define_begin(int kind) {
  defined = kind;
  length = 0;
}

/* What does not fit is left out: the lists of tables are bounded by less. */
void define_number(int64_t value) {
  if (length + 10 <= recording_definition_limit) {
    length += put_number(text + length, ((uint64_t)value << 1U) ^ (uint64_t)(value >> 63));
  }
}

void define_text(const char* string) {
  size_t bytes = strlen(string);
  bytes = bytes < 4096 ? bytes : 4096;
  define_number((int64_t)bytes);
  if (length + bytes <= recording_definition_limit) {
    memcpy(text + length, string, bytes);
    length += bytes;
  }
}

void define_end(void) {
  unsigned char head[word_bytes + 12] = {0};
  size_t bytes = word_bytes;
  head[bytes++] = 0; /* no shape */
  head[bytes++] = (unsigned char)defined;
  bytes += put_number(head + bytes, length);
  memmove(text + bytes, text, length);
  memcpy(text, head, bytes);
  append_bytes(text, bytes + length);
}
