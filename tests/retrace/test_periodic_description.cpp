#include <catch2/catch.hpp>
#include <sstream>
#include <string>

#include "gridcast/retrace/generate.h"
#include "process_traces.h"

using namespace gridcast;
using namespace gridcast::trace;
using namespace gridcast::trace::test;

namespace {

std::string periodic_text(const std::string& description) {
  std::ostringstream out;
  generate_trace(description, "dir/p.toml", out);
  return out.str();
}

Program periodic_program(const std::string& description) {
  return parse_program(periodic_text(description), "p.ptr");
}

std::string periodic_mistake(const std::string& description) {
  try {
    static_cast<void>(periodic_text(description));
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("periodic dimensions of arrays and templates are in the trace") {
  const std::string cut = "extents = [8, 9]\ndistribute = [\"block\", \"*\"]\nperiodic = ";
  const auto made = [&](const std::string& what, const std::string& flags) {
    const std::string description = "[[" + what + "]]\nname = \"A\"\n" + cut + flags + "\n";
    return all<CreateTemplate>(periodic_program(description)).at(0).periodic;
  };
  CHECK(made("array", "[true, false]") == Extents{1, 0});
  CHECK(made("template", "[false, true]") == Extents{0, 1});
  CHECK(made("array", "true") == Extents{1, 1});
  CHECK(periodic_text("[[template]]\nname = \"A\"\nextents = [8]\n").find("Periodic") ==
        std::string::npos);

  using Catch::Matchers::Contains;
  const auto mistake = [&](const std::string& flags) {
    return periodic_mistake("[[array]]\nname = \"A\"\n" + cut + flags + "\n");
  };
  CHECK_THAT(mistake("[true]\nwidth = 1"), Contains("dir/p.toml:6: \"width\" is not known here"));
  CHECK_THAT(mistake("[true, true, false]"),
             Contains("dir/p.toml:5: periodic: 3 truth values for 2 dimensions"));
  CHECK_THAT(mistake("[1, 0]"), Contains("dir/p.toml:5: periodic: element 1 is not a truth value"));
  CHECK_THAT(mistake("\"yes\""), Contains("dir/p.toml:5: periodic: not a truth value"));
  CHECK_THAT(periodic_mistake("[[array]]\nname = \"A\"\nextents = [5]\nperiodic = true\n"),
             Contains("dir/p.toml:4: \"periodic\" is not known here"));
}
