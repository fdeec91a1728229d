#include <catch2/catch.hpp>

#include "descriptions.h"

using namespace gridcast;
using namespace gridcast::trace;
using namespace gridcast::trace::test;

TEST_CASE("mistakes in a description are reported with file and line") {
  using Catch::Matchers::Contains;
  CHECK_THAT(error_of_description("[[do]\n"), Contains("dir/p.toml:1: "));
  CHECK_THAT(error_of_description("overhead = 0\nprocesors = 3\n"),
             Contains("dir/p.toml:2: \"procesors\" is not known here"));
  CHECK_THAT(error_of_description(array_a + "[[do]]\nexchange = [\"A\"]\ncorner = true\n"),
             Contains("dir/p.toml:11: \"corner\" is not known here"));
  CHECK_THAT(error_of_description(array_a + "[[do]]\nexchange = [\"A\"]\ncorners = 1\n"),
             Contains("dir/p.toml:11: corners: not a truth value"));
  CHECK_THAT(error_of_description(array_a + "[[do]]\nexchange = [\"C\"]\n"),
             Contains("dir/p.toml:10: exchange: no array is called 'C'"));
  CHECK_THAT(error_of_description("[[do]]\ncompute = \"n * 2\"\n"),
             Contains("dir/p.toml:2: compute: \"n * 2\": no parameter is called 'n'"));
  CHECK_THAT(error_of_description("[[do]]\ncompute = \"(1 + 2\"\n"), Contains("')' is missing"));
  CHECK_THAT(error_of_description("[[do]]\ncompute = \"1 / 0\"\n"), Contains("division by 0"));
  CHECK_THAT(error_of_description("[[do]]\ncompute = -1\n"), Contains("compute: negative"));
  CHECK_THAT(error_of_description("[[do]]\n"), Contains("does nothing"));
  CHECK_THAT(error_of_description("[[do]]\nwait = \"w\"\n"),
             Contains("dir/p.toml:2: wait: nothing was started as 'w'"));
  CHECK_THAT(error_of_description("[[array]]\nname = \"A\"\nextents = [\"5/2\"]\n"),
             Contains("dir/p.toml:3: extents: the value 2.500000 is not a whole number"));
  CHECK_THAT(error_of_description(array_a + "[[do]]\nloop = [\"i = 0 : 9\"]\non = \"A[i*i, i]\"\n"
                                            "time = 0\n"),
             Contains("dir/p.toml:11: on: \"i*i\" is not linear"));
  CHECK_THAT(error_of_description(array_a + "[[do]]\nloop = [\"i = 0 : 9\"]\non = \"A[i]\"\n"
                                            "time = 0\n"),
             Contains("A has 2 dimensions, not 1"));
  CHECK_THAT(error_of_description(array_a, {{"m", "1"}}),
             Contains("no parameter 'm' (expected one of n)"));
  CHECK_THAT(error_of_description(array_a, {{"n", "ten"}}), Contains("n: \"ten\": "));
}

TEST_CASE("what a reader would refuse is a mistake in the description") {
  using Catch::Matchers::Contains;
  using Catch::Matchers::StartsWith;
  const std::vector<std::pair<std::string, std::string>> mistakes = {
      {verdict("[[do]]\ncompute = 2e12\n"), "a call takes longer than a run can"},
      {verdict("[[do]]\nio = \"print\"\ntime = 1e300\n"), "a call takes longer than a run can"},
      {verdict("[[do]]\nloop = [\"i = 0 : 9\"]\non = \"R[i]\"\ntime = 1e12\n"),
       "a call takes longer than a run can"},
      {error_of_description("overhead = 1e13\n"), "overhead: longer than a run can be"},
      {error_of_description("grid = [2, 2, 2, 2, 2]\n"), "grid: too many processors or dimensions"},
      {error_of_description("grid = [2000000]\n"), "grid: too many processors or dimensions"},
      {error_of_description("grid = [65536, 65536]\n"), "grid: too many processors or dimensions"},
      {error_of_description("grid = [4]\n[[processors]]\nname = \"P\"\nbounds = \"2 : 4\"\n"),
       "bounds: \"2 : 4\" is not a part of the processors (expected FIRST : LAST within 0 : 3)"},
      {error_of_description("grid = [4]\n[[processors]]\nname = \"P\"\nbounds = [\"*\", \"*\"]\n"),
       "bounds: more dimensions than the processors have"},
      {verdict("[[array]]\nname = \"B\"\nextents = [1e12, 1e12]\n"), "too many elements"},
      {verdict("[[array]]\nname = \"B\"\nextents = [2]\nelement = 2e6\n"), "no size of an element"},
      {verdict("[[array]]\nname = \"B\"\nextents = [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]\n"),
       "extents: 17 dimensions"},
      {verdict("[[template]]\nname = \"T\"\nextents = [2,2,2,2,2]\n"
               "distribute = [\"block\",\"block\",\"block\",\"block\",\"block\"]\n"),
       "distribute: 5 dimensions in blocks"},
      {verdict("[[template]]\nname = \"T\"\nextents = [4]\ndistribute = \"block\"\n"
               "weights = [[1, -2]]\n"),
       "weights: a number is negative"},
      {verdict("[[template]]\nname = \"T\"\nextents = [4]\ndistribute = \"block\"\n"
               "blocks = [[0, 0]]\n"),
       "blocks: a number is negative or too large, or all are 0"},
      {verdict("[[template]]\nname = \"T\"\nextents = [4]\ndistribute = \"block\"\n"
               "weights = [[1, 2]]\nblocks = [[2, 2]]\n"),
       "blocks: there are weights already"},
      {verdict(over("R[2000000 * i]")), "has a coefficient that is too large"},
      {verdict(over("A[i, i]")), "on: an index stands in two entries"},
      {verdict(over("R[i]") + "remote = \"A[i, i]\"\n"), "remote: an index stands in two entries"},
      {verdict(over("R[i]") + "portions = 1e9\n"), "portions: out of range"},
      {verdict(over("R[i]") + "reduce = [{ operation = \"sum\", extra = 2e6 }]\n"),
       "extra: out of range"},
      {verdict("[[do]]\nloop = [\"i = 0 : 9 : 2000000\"]\non = \"R[i]\"\ntime = 0\n"),
       "loop: the step is 2000000"},
      {verdict("[[do]]\ncopy = \"R[-1]\"\nto = \"R[0]\"\n"),
       "copy: the position -1 is outside of R (expected positions from 0 to 9)"},
      {verdict("[[do]]\ncopy = \"R[0 : n]\"\nto = \"R[*]\"\n"), "the position 10 is outside of R"},
      {verdict("[[do]]\ncopy = \"R[0 : 4]\"\nto = \"R[*]\"\n"), "to: another shape"},
      {verdict("[[do]]\nredistribute = \"R\"\ndistribute = \"block\"\n"),
       "redistribute: 'R' is not laid over a template"},
      {verdict("[[do]]\ninterval = \"user\"\nexpression = 2000000000\n"),
       "expression: the library's number for no expression"},
      {verdict(over("A[i, *]") + "export_first = \"A\"\nstart = \"x\"\nimport_last = \"x\"\n"),
       "import_last: it is this loop that starts 'x'"}};
  for (const auto& [verdict, mistake] : mistakes) {
    CHECK_THAT(verdict, StartsWith("dir/p.toml:") && Contains(mistake));
  }
  CHECK(verdict("") == "no error");
}
