#include <catch2/catch.hpp>
#include <cstdlib>
#include <system_error>

#include "gridcast/base/command.h"

using gridcast::output_of;
using gridcast::run_to_end;

TEST_CASE("a command ends with its exit code or 128 and its signal") {
  CHECK(run_to_end({"true"}) == 0);
  CHECK(run_to_end({"sh", "-c", "exit 7"}) == 7);
  CHECK(run_to_end({"sh", "-c", "kill -TERM $$"}) == 143);
  CHECK_THROWS_AS(run_to_end({"/nowhere/no-program"}), std::system_error);
}

TEST_CASE("a command gets its input and both its outputs are told apart") {
  const std::string input(200'000, 'x');
  const auto written = output_of({"sh", "-c", "wc -c; echo wrong >&2; exit 3"}, input);
  CHECK(written.exit_code == 3);
  CHECK(std::atoi(written.out.c_str()) == 200'000);
  CHECK(written.error == "wrong\n");
  CHECK(output_of({"cat"}, input).out == input);
  // Words are no text for a shell.
  CHECK(output_of({"printf", "%s|", "a b", "$HOME"}).out == "a b|$HOME|");
}
