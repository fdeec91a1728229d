#pragma once
/// Distinct calls: equal ones are stored once.

#include <cstddef>
#include <cstdint>
#include <unordered_set>
#include <vector>

#include "gridcast/trace/calls.h"

namespace gridcast::trace {

/// Equal calls have equal hashes; independent of the platform's std::hash.
[[nodiscard]] std::size_t hash_of(const Call& call);

class CallPool {
public:
  CallPool();
  CallPool(const CallPool&) = delete;
  CallPool& operator=(const CallPool&) = delete;

  /// Index of an equal call; stores the call if it is new.
  std::uint32_t index_of(Call&& call);

  /// The distinct calls in the order of their first occurrence; the pool is empty afterwards.
  [[nodiscard]] std::vector<Call> take();

private:
  struct Probe {
    const Call& call;
    std::size_t hash;
  };
  struct Hash {
    using is_transparent = void;
    const CallPool* pool;
    std::size_t operator()(std::uint32_t index) const { return pool->hashes_[index]; }
    std::size_t operator()(const Probe& probe) const { return probe.hash; }
  };
  struct Equal {
    using is_transparent = void;
    const CallPool* pool;
    bool operator()(std::uint32_t a, std::uint32_t b) const { return a == b; }
    bool operator()(const Probe& a, std::uint32_t b) const {
      return a.hash == pool->hashes_[b] && a.call == pool->calls_[b];
    }
    bool operator()(std::uint32_t a, const Probe& b) const { return (*this)(b, a); }
  };

  std::vector<Call> calls_;
  std::vector<std::size_t> hashes_;
  std::unordered_set<std::uint32_t, Hash, Equal> indices_;
};

}  // namespace gridcast::trace
