/* Records the calls of a program that change files of one folder, for tools/power-cut: preloaded
 * with LD_PRELOAD, folder and log from POWERCUT_FOLDER and POWERCUT_LOG. Every record is a struct
 * head and its bytes; calls.py reads them. Calls of one folder are recorded one after the other in
 * the order in which they happened. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum kind { created, written, resized, synced, named, unnamed, moved, started };

struct head {
  double time;
  uint64_t kind;
  uint64_t inode;
  uint64_t offset; /* of what was written; new size; records before the sync began */
  uint64_t length; /* of the bytes that follow: contents, or names with their zero bytes */
};

static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;
static uint64_t records;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int log_file(void) {
  static int descriptor = -1;
  if (descriptor < 0) {
    const char* path = getenv("POWERCUT_LOG");
    descriptor = REAL(open)(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    const struct head head = {0.0, started, 0, 0, 0};
    if (REAL(write)(descriptor, &head, sizeof head) != (ssize_t)sizeof head) {
      abort();
    }
  }
  return descriptor;
}

/* The name within the folder; null for other files. */
static const char* name_of(const char* path) {
  const char* folder = getenv("POWERCUT_FOLDER");
  const size_t length = strlen(folder);
  return strncmp(path, folder, length) == 0 && path[length] == '/' ? path + length + 1 : NULL;
}

static const char* name_of_open(int descriptor, char* place, size_t size) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const ssize_t length = readlink(link, place, size - 1);
  if (length < 0) {
    return NULL;
  }
  place[length] = 0;
  return name_of(place);
}

static uint64_t inode_of(int descriptor) {
  struct stat status;
  return fstat(descriptor, &status) == 0 ? status.st_ino : 0;
}

static uint64_t inode_at(const char* path) {
  struct stat status;
  return lstat(path, &status) == 0 ? status.st_ino : 0;
}

static void note(enum kind kind, uint64_t inode, uint64_t offset, const void* bytes,
                 uint64_t length) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  const struct head head = {(double)now.tv_sec + 1e-9 * (double)now.tv_nsec, kind, inode, offset,
                            length};
  const int log = log_file();
  if (REAL(write)(log, &head, sizeof head) != (ssize_t)sizeof head ||
      (length > 0 && REAL(write)(log, bytes, length) != (ssize_t)length)) {
    abort();
  }
  ++records;
}

static int ours(int descriptor) {
  char place[4096];
  const int number = errno;
  const int result = name_of_open(descriptor, place, sizeof place) != NULL;
  errno = number;
  return result;
}

static int opened(const char* path, int flags, mode_t mode) {
  const char* name = name_of(path);
  if (name == NULL || (flags & O_ACCMODE) == O_RDONLY) {
    return REAL(open64)(path, flags, mode);
  }
  pthread_mutex_lock(&order);
  const uint64_t before = inode_at(path);
  const int descriptor = REAL(open64)(path, flags, mode);
  const int number = errno;
  if (descriptor >= 0 && before == 0) {
    note(created, inode_of(descriptor), 0, NULL, 0);
    note(named, inode_of(descriptor), 0, name, strlen(name) + 1);
  } else if (descriptor >= 0 && (flags & O_TRUNC) != 0) {
    note(resized, before, 0, NULL, 0);
  }
  pthread_mutex_unlock(&order);
  errno = number;
  return descriptor;
}

static mode_t mode_argument(int flags, va_list list) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(list, mode_t) : 0;
}

int open64(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = mode_argument(flags, list);
  va_end(list);
  return opened(path, flags, mode);
}

int open(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = mode_argument(flags, list);
  va_end(list);
  return opened(path, flags, mode);
}

/* With POWERCUT_FAIL=N:ERRNO the Nth write and all later ones fail. */
static int fails(void) {
  static uint64_t writes;
  const char* wanted = getenv("POWERCUT_FAIL");
  if (wanted == NULL) {
    return 0;
  }
  char* rest;
  const uint64_t first = strtoull(wanted, &rest, 10);
  if (__atomic_add_fetch(&writes, 1, __ATOMIC_SEQ_CST) < first) {
    return 0;
  }
  errno = atoi(rest + 1);
  return 1;
}

ssize_t pwrite64(int descriptor, const void* bytes, size_t count, off64_t offset) {
  if (!ours(descriptor)) {
    return REAL(pwrite64)(descriptor, bytes, count, offset);
  }
  if (fails()) {
    return -1;
  }
  pthread_mutex_lock(&order);
  const ssize_t result = REAL(pwrite64)(descriptor, bytes, count, offset);
  const int number = errno;
  if (result > 0) {
    note(written, inode_of(descriptor), (uint64_t)offset, bytes, (uint64_t)result);
  }
  pthread_mutex_unlock(&order);
  errno = number;
  return result;
}

ssize_t pwrite(int descriptor, const void* bytes, size_t count, off_t offset) {
  return pwrite64(descriptor, bytes, count, offset);
}

ssize_t write(int descriptor, const void* bytes, size_t count) {
  if (!ours(descriptor)) {
    return REAL(write)(descriptor, bytes, count);
  }
  if (fails()) {
    return -1;
  }
  pthread_mutex_lock(&order);
  const off_t offset = lseek(descriptor, 0, SEEK_CUR);
  const ssize_t result = REAL(write)(descriptor, bytes, count);
  const int number = errno;
  if (result > 0) {
    note(written, inode_of(descriptor), (uint64_t)offset, bytes, (uint64_t)result);
  }
  pthread_mutex_unlock(&order);
  errno = number;
  return result;
}

int ftruncate64(int descriptor, off64_t size) {
  if (!ours(descriptor)) {
    return REAL(ftruncate64)(descriptor, size);
  }
  pthread_mutex_lock(&order);
  const int result = REAL(ftruncate64)(descriptor, size);
  if (result == 0) {
    note(resized, inode_of(descriptor), (uint64_t)size, NULL, 0);
  }
  pthread_mutex_unlock(&order);
  return result;
}

int ftruncate(int descriptor, off_t size) { return ftruncate64(descriptor, size); }

/* Only what happened before it began is promised. */
static int sync_with(int (*call)(int), int descriptor) {
  char place[4096];
  const char* folder = getenv("POWERCUT_FOLDER");
  const int file = name_of_open(descriptor, place, sizeof place) != NULL;
  if (!file && strcmp(place, folder) != 0) {
    return call(descriptor);
  }
  pthread_mutex_lock(&order);
  const uint64_t before = records;
  pthread_mutex_unlock(&order);
  const int result = call(descriptor);
  if (result == 0) {
    pthread_mutex_lock(&order);
    note(synced, file ? inode_of(descriptor) : 0, before, NULL, 0);
    pthread_mutex_unlock(&order);
  }
  return result;
}

int fsync(int descriptor) { return sync_with(REAL(fsync), descriptor); }
int fdatasync(int descriptor) { return sync_with(REAL(fdatasync), descriptor); }

static void note_names(enum kind kind, uint64_t inode, const char* from, const char* to) {
  char names[4096];
  const int length = snprintf(names, sizeof names, "%s%c%s", from, 0, to);
  note(kind, inode, 0, names, (uint64_t)length + 1);
}

int rename(const char* from, const char* to) {
  if (name_of(from) == NULL || name_of(to) == NULL) {
    return REAL(rename)(from, to);
  }
  pthread_mutex_lock(&order);
  const uint64_t inode = inode_at(from);
  const int result = REAL(rename)(from, to);
  const int number = errno;
  if (result == 0) {
    note_names(moved, inode, name_of(from), name_of(to));
  }
  pthread_mutex_unlock(&order);
  errno = number;
  return result;
}

int link(const char* from, const char* to) {
  if (name_of(to) == NULL) {
    return REAL(link)(from, to);
  }
  pthread_mutex_lock(&order);
  const uint64_t inode = inode_at(from);
  const int result = REAL(link)(from, to);
  const int number = errno;
  if (result == 0) {
    note(named, inode, 0, name_of(to), strlen(name_of(to)) + 1);
  }
  pthread_mutex_unlock(&order);
  errno = number;
  return result;
}

static int removed(int (*call)(const char*), const char* path) {
  if (name_of(path) == NULL) {
    return call(path);
  }
  pthread_mutex_lock(&order);
  const uint64_t inode = inode_at(path);
  const int result = call(path);
  const int number = errno;
  if (result == 0) {
    note(unnamed, inode, 0, name_of(path), strlen(name_of(path)) + 1);
  }
  pthread_mutex_unlock(&order);
  errno = number;
  return result;
}

int unlink(const char* path) { return removed(REAL(unlink), path); }
int remove(const char* path) { return removed(REAL(remove), path); }
