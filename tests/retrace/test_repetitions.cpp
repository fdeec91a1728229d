#include <catch2/catch.hpp>
#include <sstream>

#include "gridcast/base/error.h"
#include "gridcast/retrace/generate.h"

using namespace gridcast;
using namespace gridcast::trace;

namespace {

std::string error_of_repetition(const std::string& description) {
  std::ostringstream out;
  try {
    static_cast<void>(generate_trace(description, "dir/p.toml", out, {}));
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

const std::string shadowed_array =
    "[[array]]\nname = \"A\"\nextents = [10, 10]\nelement = 4\nshadow = 1\n"
    "distribute = [\"block\", \"block\"]\n";

}  // namespace

TEST_CASE(
    "repetitions that make more calls than a trace may have are refused before they are made") {
  const std::string work = "exchange = [\"A\"]\n";
  std::string nested = shadowed_array;
  std::string path = "do";
  for (int level = 0; level < 60; ++level) {
    nested += "[[" + path + "]]\nrepeat = 2\n";
    path += ".do";
  }
  nested += "[[" + path + "]]\n" + work;
  const std::string limit = "(expected at most 4000000 calls";
  CHECK_THAT(error_of_repetition(nested), Catch::Contains("at least 4194304 passes or calls") &&
                                              Catch::Contains(limit) &&
                                              Catch::StartsWith("dir/p.toml:"));
  // The array takes six lines.
  CHECK_THAT(error_of_repetition(shadowed_array + "[[do]]\nrepeat = 1e8\n[[do.do]]\n" + work),
             Catch::StartsWith("dir/p.toml:8: ") && Catch::Contains("100000000 passes") &&
                 Catch::Contains(limit));
  CHECK_THAT(error_of_repetition("[[do]]\nrepeat = 5000000\n[[do.do]]\ncompute = 1e-6\n"),
             Catch::StartsWith("dir/p.toml:2: ") && Catch::Contains(limit));
  CHECK_THAT(error_of_repetition("[[do]]\nrepeat = \"k = 1 : 999999999\"\n[[do.do]]\n"
                                 "compute = 1e-6\n"),
             Catch::StartsWith("dir/p.toml:2: ") && Catch::Contains(limit));
  // What a triangle of loops makes is counted, not the square around it.
  CHECK(error_of_repetition(shadowed_array +
                            "[[do]]\nrepeat = \"k = 1 : 60\"\n[[do.do]]\n"
                            "repeat = \"j = k : 60\"\n[[do.do.do]]\n" +
                            work)
            .empty());
}
