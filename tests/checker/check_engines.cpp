// Compares predictions by classes with those processor by processor on random cases.
// usage: check_engines FIRST_SEED LAST_SEED [port-trees|moves|large]

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <string_view>

#include "engine_cases.h"

int main(int count, char** arguments) {
  using gridcast::checker::Machines;
  const std::map<std::string_view, Machines> kinds{{"", Machines::all},
                                                   {"port-trees", Machines::port_trees},
                                                   {"moves", Machines::moves},
                                                   {"large", Machines::large}};
  const auto kind = kinds.find(count == 4 ? arguments[3] : "");
  if (count < 3 || count > 4 || kind == kinds.end()) {
    std::fprintf(stderr, "usage: check_engines FIRST_SEED LAST_SEED [port-trees|moves|large]\n");
    return 2;
  }
  const auto first = std::strtoull(arguments[1], nullptr, 10);
  const auto last = std::strtoull(arguments[2], nullptr, 10);
  gridcast::checker::EngineCounts counts;
  long failures = 0;
  for (auto seed = first; seed <= last; ++seed) {
    try {
      if (const auto difference =
              gridcast::checker::engine_difference(seed, counts, kind->second)) {
        std::printf("seed %llu: %s\n", seed, difference->c_str());
        ++failures;
      }
    } catch (const std::exception& error) {
      std::printf("seed %llu: %s\n", seed, error.what());
      ++failures;
    }
  }
  std::printf(
      "seeds %llu to %llu: %zu by classes, %zu refused, %ld failures, worst difference %.3g of "
      "what is allowed\n",
      first, last, counts.by_classes, counts.refused, failures, counts.worst);
  for (const auto& [reason, cases] : counts.fallbacks) {
    std::printf("%zu processor by processor: %s\n", cases, reason.c_str());
  }
  return failures == 0 ? 0 : 1;
}
