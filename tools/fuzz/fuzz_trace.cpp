/// fuzz_trace N SEED FILES...: reads N damaged variants of the given traces. Every one must either
/// be read or be refused with an InputError of one line; anything else ends the program.

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "gridcast/error.h"
#include "gridcast/trace/info.h"
#include "gridcast/trace/program.h"
#include "mutation.h"

namespace {

struct Outcome {
  std::size_t read = 0;
  std::size_t refused = 0;
};

void read_one(const std::string& text, Outcome& outcome) {
  try {
    const auto program = gridcast::trace::parse_program(text, "fuzz.ptr");
    const auto info = gridcast::trace::summarise(program);
    if (gridcast::trace::to_text(info).empty() || info.calls != program.records.size()) {
      std::abort();
    }
    static_cast<void>(gridcast::trace::check(program));
    ++outcome.read;
  } catch (const gridcast::InputError& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) {
      std::abort();
    }
    ++outcome.refused;
  }
}

bool parse(const char* text, std::uint64_t& value) {
  const std::string_view word(text);
  const auto result = std::from_chars(word.data(), word.data() + word.size(), value);
  return result.ec == std::errc{} && result.ptr == word.data() + word.size();
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t count = 0;
  std::uint64_t seed = 0;
  if (argc < 4 || !parse(argv[1], count) || !parse(argv[2], seed)) {
    std::fputs("usage: fuzz_trace N SEED FILES...\n", stderr);
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
  gridcast::fuzz::Dice dice(seed);
  for (std::uint64_t i = 0; i < count; ++i) {
    read_one(gridcast::fuzz::mutated(seeds[dice.below(seeds.size())], dice), outcome);
  }
  std::printf("%zu read, %zu refused\n", outcome.read, outcome.refused);
  return 0;
}
