#include <catch2/catch.hpp>
#include <string>

#include "gridcast/base/error.h"

using gridcast::InputError;
using gridcast::RunError;

TEST_CASE("a message names place, problem and remedy") {
  CHECK(std::string(InputError("t.ptr", 7, "is torn", "expected a whole trace").what()) ==
        "t.ptr:7: is torn (expected a whole trace)");
  CHECK(std::string(InputError("no grid", "give --grid").what()) == "no grid (give --grid)");
  CHECK(std::string(RunError("S.h5", "cannot be written", "make room").what()) ==
        "S.h5: cannot be written (make room)");
}

TEST_CASE("a message is one line that steers no terminal, whatever it quotes") {
  const InputError input("a\nb.toml", 1, "'x\r\ny\x1b[2J' is unknown", "expected\tz\n");
  CHECK(std::string(input.what()) ==
        "a\uFFFDb.toml:1: 'x\uFFFD\uFFFDy\uFFFD[2J' is unknown (expected\uFFFDz\uFFFD)");
  CHECK(input.problem() == "'x\r\ny\x1b[2J' is unknown");
  CHECK(std::string(RunError("\xff", "p\nq", "").what()) == "\uFFFD: p\uFFFDq");
}
