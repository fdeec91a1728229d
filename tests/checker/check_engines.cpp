// Compares predictions by classes with those processor by processor on random cases.
// usage: check_engines FIRST_SEED LAST_SEED [port-trees|moves|large]

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>

#include "engine_cases.h"

int main(int count, char** arguments) {
  const bool trees = count == 4 && std::string_view(arguments[3]) == "port-trees";
  const bool moves = count == 4 && std::string_view(arguments[3]) == "moves";
  const bool large = count == 4 && std::string_view(arguments[3]) == "large";
  if (count != 3 && !trees && !moves && !large) {
    std::fprintf(stderr, "usage: check_engines FIRST_SEED LAST_SEED [port-trees|moves|large]\n");
    return 2;
  }
  const auto machines = trees   ? gridcast::checker::Machines::port_trees
                        : moves ? gridcast::checker::Machines::moves
                        : large ? gridcast::checker::Machines::large
                                : gridcast::checker::Machines::all;
  const auto first = std::strtoull(arguments[1], nullptr, 10);
  const auto last = std::strtoull(arguments[2], nullptr, 10);
  gridcast::checker::EngineCounts counts;
  long failures = 0;
  for (auto seed = first; seed <= last; ++seed) {
    try {
      if (const auto difference = gridcast::checker::engine_difference(seed, counts, machines)) {
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
