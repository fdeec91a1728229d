/* From addresses to numbers. Tables that use it are never more than half full. */
#include "recorder.h"

static uint32_t place_of(const struct map* map, const void* key) {
  const uint64_t mixed = (uint64_t)(uintptr_t)key * UINT64_C(0x9E3779B97F4A7C15);
  return (uint32_t)(mixed >> 32U) & map->mask;
}

int32_t map_find(const struct map* map, const void* key) {
  for (uint32_t i = place_of(map, key); map->keys[i] != NULL; i = (i + 1) & map->mask) {
    if (map->keys[i] == key) {
      return map->values[i];
    }
  }
  return -1;
}

void map_put(struct map* map, const void* key, int32_t value) {
  uint32_t i = place_of(map, key);
  while (map->keys[i] != NULL && map->keys[i] != key) {
    i = (i + 1) & map->mask;
  }
  map->keys[i] = key;
  map->values[i] = value;
}

void map_remove(struct map* map, const void* key) {
  uint32_t hole = place_of(map, key);
  while (map->keys[hole] != key) {
    if (map->keys[hole] == NULL) {
      return;
    }
    hole = (hole + 1) & map->mask;
  }
  /* Later entries that cannot be found behind a hole move into it. */
  for (uint32_t i = (hole + 1) & map->mask; map->keys[i] != NULL; i = (i + 1) & map->mask) {
    const uint32_t home = place_of(map, map->keys[i]);
    if (((i - home) & map->mask) >= ((i - hole) & map->mask)) {
      map->keys[hole] = map->keys[i];
      map->values[hole] = map->values[i];
      hole = i;
    }
  }
  map->keys[hole] = NULL;
}
