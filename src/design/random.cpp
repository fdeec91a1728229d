#include "gridcast/design/random.h"

#include "gridcast/base/contract.h"

namespace gridcast::design {
namespace {

/// The odd number nearest to 2^64 divided by the golden ratio.
constexpr std::uint64_t golden_step = 0x9E3779B97F4A7C15ULL;

std::uint64_t mixed(std::uint64_t value) noexcept {
  value = (value ^ (value >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  value = (value ^ (value >> 27U)) * 0x94D049BB133111EBULL;
  return value ^ (value >> 31U);
}

}  // namespace

Random::Random(std::initializer_list<std::uint64_t> key) noexcept {
  for (const std::uint64_t part : key) {
    state_ = mixed(state_ + golden_step) ^ mixed(part + golden_step);
  }
}

std::uint64_t Random::next() noexcept {
  state_ += golden_step;
  return mixed(state_);
}

double Random::uniform() noexcept {
  constexpr double unit = 0x1p-53;
  return static_cast<double>(next() >> 11U) * unit;
}

std::uint64_t Random::below(std::uint64_t limit) noexcept {
  expects(limit > 0, "there is a number below the limit");
  // The first 2^64 mod limit numbers are left out, so that every remainder is equally likely.
  const std::uint64_t first = (0 - limit) % limit;
  std::uint64_t value = next();
  while (value < first) {
    value = next();
  }
  return value % limit;
}

}  // namespace gridcast::design
