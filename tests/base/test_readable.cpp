#include <catch2/catch.hpp>

#include "gridcast/base/readable.h"

using namespace gridcast;

TEST_CASE("a character of UTF-8 takes one column") {
  CHECK(columns_of("") == 0);
  CHECK(columns_of("2×3") == 3);
  CHECK(columns_of("193.9 µs") == 8);
  CHECK(first_columns("2×3", 5) == "2×3");
  CHECK(first_columns("2×3", 3) == "2×3");
  CHECK(first_columns("2×3", 2) == "2×");
  CHECK(first_columns("2×3", 1) == "2");
  CHECK(first_columns("2×3", 0).empty());
}
