#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "../../tools/fuzzers/mutation.h"
#include "gridcast/trace/consistency.h"
#include "trace_text.h"

using namespace gridcast::trace;
using namespace gridcast::trace::test;

TEST_CASE("damaged traces are read or refused in one line") {
  std::vector<std::string> seeds;
  for (const auto* name :
       {"c_acopy_100.ptr", "c_gausswb_10.ptr", "c_redist_100_e4.ptr", "f_jac_8.ptr.gz"}) {
    seeds.push_back(file_text(data(name)));
  }
  gridcast::fuzz::Dice dice(20070529);
  std::size_t read = 0;
  std::size_t refused = 0;
  for (int i = 0; i < 2000; ++i) {
    const std::string text = gridcast::fuzz::mutated(seeds[dice.below(seeds.size())], dice);
    try {
      const Program program = parse_program(text, "fuzz.ptr");
      static_cast<void>(check_order(program));
      ++read;
    } catch (const gridcast::InputError& error) {
      const std::string message = error.what();
      CHECK(message.starts_with("fuzz.ptr"));
      CHECK(message.find('\n') == std::string::npos);
      ++refused;
    }
  }
  CHECK(read > 100);  // damage must not always be noticed, nor never
  CHECK(refused > 100);
}
