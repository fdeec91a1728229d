// Compares the product with the naive model on random cases: as many as wanted, outside the tests.
// usage: check_elements FIRST_SEED LAST_SEED [FAILURES]

#include <cstdio>
#include <cstdlib>
#include <exception>

#include "compare.h"

int main(int count, char** arguments) {
  using namespace gridcast::checker;
  if (count < 3) {
    std::fprintf(stderr, "usage: check_elements FIRST_SEED LAST_SEED [FAILURES]\n");
    return 2;
  }
  const auto first = std::strtoull(arguments[1], nullptr, 10);
  const auto last = std::strtoull(arguments[2], nullptr, 10);
  const long most = count > 3 ? std::strtol(arguments[3], nullptr, 10) : 1;
  long failures = 0;
  for (auto seed = first; seed <= last && failures < most; ++seed) {
    const Case tried = random_case(seed);
    try {
      if (const auto difference = difference_of(tried)) {
        ++failures;
        std::printf("%s\n", report_of(seed, *difference, tried).c_str());
      }
    } catch (const std::exception& error) {
      ++failures;
      std::printf("seed %llu: %s\n%s\n", static_cast<unsigned long long>(seed), error.what(),
                  tried.text().c_str());
    }
  }
  std::printf("seeds %llu to %llu: %ld failures\n", static_cast<unsigned long long>(first),
              static_cast<unsigned long long>(last), failures);
  return failures == 0 ? 0 : 1;
}
