/// Machine files: every one must be read or refused, and be consistent in itself if it is read.

#include <cstdio>

#include "fuzz.h"
#include "machine_input.h"

namespace gridcast::fuzz {

const bool of_lines = true;

bool use_input(const std::string& input) {
  try {
    return check_machine(input);
  } catch (const std::logic_error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    std::abort();
  }
}

}  // namespace gridcast::fuzz
