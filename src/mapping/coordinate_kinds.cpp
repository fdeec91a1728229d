#include "gridcast/mapping/coordinate_kinds.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace gridcast::mapping {
namespace {

constexpr std::size_t many_kinds = 64;

/// Numbers that things get in the order in which they are first met.
template <class Thing>
class Numbers {
public:
  /// Whatever, once there are too many.
  std::uint32_t of(const Thing& thing) {
    auto place = std::find(met_.begin(), met_.end(), thing);
    if (place == met_.end() && !too_many()) {
      place = met_.insert(place, thing);
    }
    return static_cast<std::uint32_t>(place - met_.begin());
  }
  [[nodiscard]] std::size_t count() const noexcept { return met_.size(); }
  [[nodiscard]] bool too_many() const noexcept { return met_.size() > many_kinds; }

private:
  std::vector<Thing> met_;
};

/// Each by what it is and what is beside it, but for the first and the last, which go.
std::size_t look_beside(std::vector<std::uint32_t>& kinds) {
  Numbers<std::array<std::uint32_t, 3>> numbers;
  for (std::size_t i = 0; i + 2 < kinds.size(); ++i) {
    kinds[i] = numbers.of({kinds[i], kinds[i + 1], kinds[i + 2]});
  }
  kinds.resize(kinds.size() - 2);
  return numbers.count();
}

}  // namespace

bool find_kinds(std::span<const AxisCut* const> cuts, std::int64_t extent,
                ProcessorClasses::Kinds& kinds) {
  std::int64_t period = 1;
  for (const AxisCut* const cut : cuts) {
    period = std::min(std::lcm(period, cut->period()), extent);
  }
  // Who sends depends on whether there is somebody beside.
  constexpr std::int64_t reach = 2;
  kinds.of.assign(static_cast<std::size_t>(period + 2 * reach), 0);
  bool all_hold = true;
  std::vector<std::int64_t> sizes;
  for (const AxisCut* const cut : cuts) {
    sizes.clear();
    cut->append_sizes(-reach, std::ssize(kinds.of), sizes);
    Numbers<std::pair<std::uint32_t, std::int64_t>> numbers;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      kinds.of[i] = numbers.of({kinds.of[i], sizes[i]});
      all_hold = all_hold && sizes[i] > 0;
    }
    if (numbers.count() > many_kinds) {
      return false;
    }
  }
  if (all_hold) {
    kinds.of.erase(kinds.of.begin());
    kinds.of.pop_back();
  } else if (look_beside(kinds.of) > many_kinds) {
    return false;
  }
  kinds.count = look_beside(kinds.of);
  return kinds.count <= many_kinds;
}

}  // namespace gridcast::mapping
