#include "rivals.h"

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <new>
#include <string>
#include <vector>

#include "gridcast/base/error.h"

namespace gridcast::store::testing {
namespace {

/// In memory that all processes share.
struct Arena {
  pthread_barrier_t begin;
  pthread_barrier_t end;
  std::atomic<int> holders{0};
  std::atomic<int> tried{0};
  std::atomic<int> winners{0};
  std::atomic<int> doubles{0};
  std::atomic<int> errors{0};
};

Arena* make_arena(unsigned processes) {
  void* const memory =
      mmap(nullptr, sizeof(Arena), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto* const arena = new (memory) Arena;
  pthread_barrierattr_t shared;
  pthread_barrierattr_init(&shared);
  pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
  pthread_barrier_init(&arena->begin, &shared, processes);
  pthread_barrier_init(&arena->end, &shared, processes);
  return arena;
}

void try_once(Arena& arena, const std::filesystem::path& store, int contenders, LockMethod method) {
  try {
    const StoreLock lock(store, {method});
    if (++arena.holders > 1) {
      ++arena.doubles;
    }
    ++arena.winners;
    ++arena.tried;
    while (arena.tried < contenders) {
      sched_yield();
    }
    --arena.holders;
  } catch (const InputError&) {
    ++arena.tried;
  } catch (const std::exception& error) {
    fprintf(stderr, "contender: %s\n", error.what());
    ++arena.errors;
    ++arena.tried;
  }
}

/// A process number that nobody has: that of a child that is gone.
pid_t free_number() {
  const pid_t child = fork();
  if (child == 0) {
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  return child;
}

/// What writers that ended in different ways left.
void plant(const std::filesystem::path& store, int round, pid_t gone) {
  const LockOwner me = current_owner();
  const std::string text = "format=2\nhost=" + me.host + "\nboot=" + me.boot +
                           "\npid_namespace=" + std::to_string(me.pid_namespace) +
                           "\npid=" + std::to_string(gone) + "\nstart_time=1\njob=\nrestart=0" +
                           "\nepoch=" + std::to_string(round) + "\ntoken=" + std::to_string(round) +
                           "\nkernel=0\nend=1\n";
  switch (round % 8) {
    case 0:
      return;  // ended in good order
    case 1:
      std::ofstream(lock_path(store)).flush();
      return;
    case 2:
      std::ofstream(lock_path(store)) << text.substr(0, 40);
      return;
    default:
      std::ofstream(lock_path(store)) << text;
  }
}

}  // namespace

RivalCounts contend(const std::filesystem::path& store, int rounds, int contenders,
                    LockMethod method) {
  Arena* const arena = make_arena(static_cast<unsigned>(contenders) + 1);
  std::vector<pid_t> children;
  for (int i = 0; i < contenders; ++i) {
    children.push_back(fork());
    if (children.back() == 0) {
      for (int round = 0; round < rounds; ++round) {
        pthread_barrier_wait(&arena->begin);
        try_once(*arena, store, contenders, method);
        pthread_barrier_wait(&arena->end);
      }
      _exit(0);
    }
  }
  RivalCounts counts;
  const pid_t gone = free_number();
  for (; counts.rounds < rounds; ++counts.rounds) {
    arena->winners = 0;
    arena->tried = 0;
    plant(store, counts.rounds, gone);
    pthread_barrier_wait(&arena->begin);
    pthread_barrier_wait(&arena->end);
    counts.without += arena->winners == 0 ? 1 : 0;
  }
  for (const pid_t child : children) {
    waitpid(child, nullptr, 0);
  }
  counts.doubles = arena->doubles;
  counts.errors = arena->errors;
  munmap(arena, sizeof(Arena));
  return counts;
}

}  // namespace gridcast::store::testing
