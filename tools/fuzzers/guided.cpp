/// libFuzzer's side of a fuzzer: it has the main, and asks for every input that it thinks of.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "fuzz.h"
#include "mutation.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static_cast<void>(gridcast::fuzz::use_input({reinterpret_cast<const char*>(data), size}));
  return 0;
}

/// Every second change is one of lines and numbers: changed bytes alone seldom get past a reader.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned int seed) {
  gridcast::fuzz::Dice dice(seed);
  if (!gridcast::fuzz::of_lines || size == 0 || dice.below(2) == 0) {
    return LLVMFuzzerMutate(data, size, most);
  }
  const std::string text =
      gridcast::fuzz::mutated({reinterpret_cast<const char*>(data), size}, dice);
  const std::size_t kept = std::min(text.size(), most);
  std::memcpy(data, text.data(), kept);
  return kept;
}
