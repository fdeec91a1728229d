// fuzz_machine N SEED FILES...: mutates machine files N times; every result must be read or refused
// with an InputError. Prints what was tried; exit code 1 and the input on stdout if one is neither.
#include <charconv>
#include <cstdint>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "machine_input.h"
#include "mutation.h"

namespace {

bool number(std::string_view text, std::uint64_t& value) {
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  return status == std::errc{} && end == text.data() + text.size();
}

int run(std::uint64_t inputs, std::uint64_t seed, const std::vector<std::string>& corpus) {
  gridcast::fuzz::Dice dice(seed);
  std::uint64_t machines = 0;
  for (std::uint64_t i = 0; i < inputs; ++i) {
    const std::string text = gridcast::fuzz::mutated_machine(corpus, dice);
    try {
      machines += gridcast::fuzz::check_machine(text) ? 1 : 0;
    } catch (const std::exception& error) {
      std::cerr << "input " << i << ": " << error.what() << '\n';
      std::cout << text;
      return 1;
    }
  }
  std::cerr << inputs << " inputs: " << machines << " machines, " << inputs - machines
            << " refused\n";
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  std::uint64_t inputs = 0;
  std::uint64_t seed = 0;
  if (arguments.size() < 3 || !number(arguments[0], inputs) || !number(arguments[1], seed)) {
    std::cerr << "usage: fuzz_machine N SEED FILES...\n";
    return 2;
  }
  std::vector<std::string> corpus;
  for (std::size_t i = 2; i < arguments.size(); ++i) {
    std::ifstream stream(arguments[i], std::ios::binary);
    if (!stream) {
      std::cerr << arguments[i] << ": cannot be opened\n";
      return 2;
    }
    corpus.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
  }
  return run(inputs, seed, corpus);
}
