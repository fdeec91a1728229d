#pragma once
/// What the fuzzers of texts share: the command line and the loop over damaged variants.

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "gridcast/base/error.h"
#include "mutation.h"

namespace gridcast::fuzz {

struct Outcome {
  std::size_t accepted = 0;
  std::size_t refused = 0;
};

/// Hands one variant to `accept`, which may refuse it with an InputError of one line.
template <class Accept>
void try_one(const std::string& text, Outcome& outcome, Accept&& accept) {
  try {
    accept(text);
    ++outcome.accepted;
  } catch (const InputError& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) {
      std::abort();
    }
    ++outcome.refused;
  }
}

inline bool parse_count(const char* text, std::uint64_t& value) {
  const std::string_view word(text);
  const auto result = std::from_chars(word.data(), word.data() + word.size(), value);
  return result.ec == std::errc{} && result.ptr == word.data() + word.size();
}

/// main of a fuzzer "NAME N SEED FILES...".
template <class Accept>
int run(int argc, char** argv, const char* name, Accept&& accept) {
  std::uint64_t count = 0;
  std::uint64_t seed = 0;
  if (argc < 4 || !parse_count(argv[1], count) || !parse_count(argv[2], seed)) {
    std::fprintf(stderr, "usage: %s N SEED FILES...\n", name);
    return 2;
  }
  std::vector<std::string> seeds;
  for (int i = 3; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    if (!file) {
      std::fprintf(stderr, "%s: cannot be read\n", argv[i]);
      return 2;
    }
  }
  Outcome outcome;
  Dice dice(seed);
  for (std::uint64_t i = 0; i < count; ++i) {
    try_one(mutated(seeds[dice.below(seeds.size())], dice), outcome, accept);
  }
  std::printf("%s: %zu accepted, %zu refused\n", name, outcome.accepted, outcome.refused);
  return 0;
}

}  // namespace gridcast::fuzz
