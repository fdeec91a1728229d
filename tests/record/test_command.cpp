/// Commands for several runs: names in braces.

#include <catch2/catch.hpp>

#include "gridcast/record/command.h"
#include "recorded.h"

namespace gridcast::record::test {

using Words = std::vector<std::string>;

TEST_CASE("Names in braces are filled in for a run", "[command]") {
  const Words command{"mpirun", "-n",     "{}",       "./app",       "{p1}x{p2}",
                      "{n2}",   "{grid}", "--n={n1}", "{extents}.in"};
  CHECK(filled_command(command, {3, 2}, {100, 71}) ==
        Words{"mpirun", "-n", "6", "./app", "3x2", "71", "3x2", "--n=100", "100x71.in"});
  // A grid that cuts the first of three extents.
  CHECK(filled_command({"{} {p1} {n3}"}, {4}, {5, 6, 7}) == Words{"4 4 7"});
}

TEST_CASE("Braces that hold no name stay", "[command]") {
  const Words command{"${n1}", "{ n1 }", "{\"a\": 1}", "{", "}", "{n1", "a}b", "{{n1}}"};
  CHECK(filled_command(command, {2}, {9}) ==
        Words{"${n1}", "{ n1 }", "{\"a\": 1}", "{", "}", "{n1", "a}b", "{9}"});
}

TEST_CASE("Unknown names are refused with those that there are", "[command]") {
  for (const std::string name : {"p3", "n4", "p0", "P1", "p12", "x", "n"}) {
    INFO(name);
    CHECK_THAT(refusal([&] {
                 static_cast<void>(filled_command({"a{" + name + "}"}, {2, 2}, {9, 9, 9}));
               }),
               Catch::Contains("unknown name {" + name + "} in a{" + name + "}") &&
                   Catch::Contains("{p1} to {p2}, {grid}, {n1} to {n3} or {extents}"));
  }
}

TEST_CASE("Which extents a command names", "[command]") {
  using Named = std::vector<bool>;
  CHECK(named_extents({"{n1}", "-{n3}-"}, 3) == Named{true, false, true});
  CHECK(named_extents({"a.{extents}"}, 2) == Named{true, true});
  CHECK(named_extents({"{}", "{p1}", "{grid}", "${n1}"}, 2) == Named{false, false});
}

}  // namespace gridcast::record::test
