// Compares the product with the naive model on random cases: as many as wanted, outside the tests.
// usage: check_elements [--engine=reference] FIRST_SEED LAST_SEED [TRACE]...
// With traces, random machines and grids for these (plain text) instead of random programs.

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "compare.h"

namespace {

using namespace gridcast::checker;

std::string text_of(const char* file) {
  std::ifstream stream(file);
  if (!stream) {
    throw std::runtime_error(std::string(file) + " cannot be read");
  }
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

/// Whether the case agrees; says so if not.
bool agrees(const Case& tried, unsigned long long seed) {
  try {
    const auto difference = difference_of(tried);
    if (difference) {
      std::printf("%s\n", report_of(seed, *difference, tried).c_str());
    }
    return !difference;
  } catch (const std::exception& error) {
    std::printf("seed %llu: %s\n%s\n", seed, error.what(), tried.text().c_str());
    return false;
  }
}

long failures_in(unsigned long long first, unsigned long long last, const char* file,
                 bool reference_alone) {
  long failures = 0;
  const std::string trace = file == nullptr ? std::string() : text_of(file);
  for (auto seed = first; seed <= last; ++seed) {
    Case tried = file == nullptr ? random_case(seed) : random_case_of(trace, seed);
    tried.reference_alone = reference_alone;
    failures += agrees(tried, seed) ? 0 : 1;
  }
  std::printf("%s seeds %llu to %llu: %ld failures\n", file == nullptr ? "random programs" : file,
              first, last, failures);
  return failures;
}

}  // namespace

int main(int count, char** arguments) {
  const bool reference_alone = count > 1 && std::string(arguments[1]) == "--engine=reference";
  const int at = reference_alone ? 2 : 1;
  if (count < at + 2) {
    std::fprintf(stderr,
                 "usage: check_elements [--engine=reference] FIRST_SEED LAST_SEED [TRACE]...\n");
    return 2;
  }
  const auto first = std::strtoull(arguments[at], nullptr, 10);
  const auto last = std::strtoull(arguments[at + 1], nullptr, 10);
  try {
    long failures = count == at + 2 ? failures_in(first, last, nullptr, reference_alone) : 0;
    for (int i = at + 2; i < count; ++i) {
      failures += failures_in(first, last, arguments[i], reference_alone);
    }
    return failures == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
