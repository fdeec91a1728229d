#pragma once
/// What a fuzzer is: what it does with one input, and what its inputs are made of. guided.cpp lets
/// libFuzzer choose the inputs.

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "gridcast/base/error.h"

namespace gridcast::fuzz {

/// Defined by each fuzzer. False if the input was refused, as it should be; whatever else is wrong
/// ends the program.
bool use_input(const std::string& input);

/// Defined by each fuzzer. Whether inputs are lines of text, which are changed as such, too.
extern const bool of_lines;

/// Hands an input to `accept`, which may refuse it with an error of one line.
template <class Accept>
bool accepted(const std::string& input, Accept&& accept) {
  try {
    accept(input);
    return true;
  } catch (const InputError& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) {
      std::abort();
    }
  } catch (const RunError& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) {
      std::abort();
    }
  }
  return false;
}

/// A file of this process among the temporary ones.
inline std::filesystem::path scratch_file(std::string_view name) {
  return std::filesystem::temp_directory_path() /
         ("fuzz_" + std::to_string(getpid()) + "_" + std::string(name));
}

inline void write_file(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream stream(path, std::ios::binary | std::ios::trunc);
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace gridcast::fuzz
