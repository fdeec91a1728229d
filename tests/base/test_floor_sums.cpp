#include <catch2/catch.hpp>
#include <random>

#include "gridcast/base/floor_sums.h"

namespace gridcast {

TEST_CASE("sums of rounded-down quotients are those of the terms") {
  std::mt19937 random(3);
  for (int round = 0; round < 5000; ++round) {
    const std::int64_t count = random() % 40;
    const std::int64_t first = random() % 200;
    const std::int64_t step = random() % 90;
    const std::int64_t n = 1 + random() % 30;
    std::int64_t expected = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      expected += (first + i * step) / n;
    }
    CAPTURE(count, first, step, n);
    REQUIRE(floor_sum(count, first, step, n) == static_cast<double>(expected));
  }
}

}  // namespace gridcast
