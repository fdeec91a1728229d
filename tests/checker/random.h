#pragma once
/// Random numbers that are the same everywhere (the distributions of the standard are not).

#include <cstdint>
#include <random>
#include <vector>

namespace gridcast::checker {

class Random {
public:
  explicit Random(std::uint64_t seed) : engine_(seed * 2654435761U + 12345U) {}

  /// 0 ... most.
  long up_to(long most) {
    return static_cast<long>(engine_() % static_cast<std::uint64_t>(most + 1));
  }
  long between(long least, long most) { return least + up_to(most - least); }
  /// True once in `every`.
  bool once_in(long every) { return up_to(every - 1) == 0; }
  template <class T>
  const T& one_of(const std::vector<T>& values) {
    return values[static_cast<std::size_t>(up_to(static_cast<long>(values.size()) - 1))];
  }
  template <class T>
  void shuffle(std::vector<T>& values) {
    for (std::size_t i = values.size(); i > 1; --i) {
      std::swap(values[i - 1], values[static_cast<std::size_t>(up_to(static_cast<long>(i) - 1))]);
    }
  }

private:
  std::mt19937_64 engine_;
};

}  // namespace gridcast::checker
