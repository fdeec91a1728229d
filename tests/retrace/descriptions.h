#pragma once
/// Descriptions of programs, and what becomes of them.

#include <filesystem>
#include <sstream>
#include <string>

#include "gridcast/base/error.h"
#include "gridcast/retrace/generate.h"
#include "gridcast/trace/program.h"

namespace gridcast::trace::test {

inline std::string text_of(const std::string& description, const ParameterValues& values = {}) {
  std::ostringstream out;
  generate_trace(description, "dir/p.toml", out, values);
  return out.str();
}

inline Program program_of(const std::string& description, const ParameterValues& values = {}) {
  return parse_program(text_of(description, values), "p.ptr");
}

inline std::string error_of_description(const std::string& description,
                                        const ParameterValues& values = {}) {
  try {
    static_cast<void>(text_of(description, values));
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

/// An array A of n x n in blocks with shadow edges 1.
inline const std::string array_a =
    "[parameters]\nn = 10\n"
    "[[array]]\nname = \"A\"\nextents = [\"n\", \"n\"]\nelement = 4\nshadow = 1\n"
    "distribute = [\"block\", \"block\"]\n";

/// What a description with an array A (10 x 10), a replicated R (10) and this says.
inline std::string verdict(const std::string& rest) {
  return error_of_description(array_a + "[[array]]\nname = \"R\"\nextents = [10]\n" + rest);
}

inline std::string over(const std::string& position) {
  return "[[do]]\nloop = [\"i = 0 : 9\"]\ntime = 0\non = \"" + position + "\"\n";
}

}  // namespace gridcast::trace::test
