// Compares free processes with the naive event simulator on random cases: as many as wanted.
// usage: check_free FIRST_SEED LAST_SEED

#include <cstdio>
#include <cstdlib>
#include <exception>

#include "block_cases.h"
#include "compare.h"

int main(int count, char** arguments) {
  if (count != 3) {
    std::fprintf(stderr, "usage: check_free FIRST_SEED LAST_SEED\n");
    return 2;
  }
  const auto first = std::strtoull(arguments[1], nullptr, 10);
  const auto last = std::strtoull(arguments[2], nullptr, 10);
  long failures = 0;
  long chaotic = 0;
  for (auto seed = first; seed <= last; ++seed) {
    const auto tried = gridcast::checker::random_free_case(seed);
    try {
      if (const auto difference = gridcast::checker::block_difference(seed)) {
        if (difference->chaotic) {
          std::printf("seed %llu: rounding decides\n", seed);
          ++chaotic;
        } else {
          std::printf("%s\n", difference->text.c_str());
          ++failures;
        }
      }
      if (const auto difference = gridcast::checker::difference_of(tried)) {
        std::printf("%s\n", gridcast::checker::report_of(seed, *difference, tried).c_str());
        ++failures;
      }
    } catch (const std::exception& error) {
      std::printf("seed %llu: %s\n%s\n", seed, error.what(), tried.text().c_str());
      ++failures;
    }
  }
  std::printf("free processes, seeds %llu to %llu: %ld failures, %ld decided by rounding\n", first,
              last, failures, chaotic);
  return failures == 0 ? 0 : 1;
}
