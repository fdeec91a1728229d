/// Design files of data sets: every one must be read, or be refused with an error of one line.

#include "fuzz.h"
#include "gridcast/sweep/dataset.h"

namespace gridcast::fuzz {

const bool of_lines = true;

bool use_input(const std::string& input) {
  return accepted(input, [](const std::string& text) {
    static_cast<void>(sweep::parse_design(text, "fuzz.toml"));
  });
}

}  // namespace gridcast::fuzz
