#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "machine_text.h"

using namespace gridcast::machine;
using gridcast::InputError;
using gridcast::machine::test::input_error;
using gridcast::machine::test::parse;

namespace {

struct Row {
  std::string text;
  std::size_t line;
  std::string problem;   // part of the problem
  std::string expected;  // part of the remedy
};

const std::string network = "a.CommType = ethernet; a.TStart = 1; a.TByte = 1;";
const std::string head = "cluster = a;\na = {4 x p};\np = 1;\n";  // lines 1 to 3

void check(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const InputError error = input_error([&] { parse(row.text); });
    CHECK(error.file() == "test.par");
    CHECK(error.line() == row.line);
    CHECK_THAT(error.problem(), Catch::Contains(row.problem));
    CHECK_THAT(error.remedy(), Catch::Contains(row.expected));
    CHECK_THAT(error.what(), Catch::StartsWith("test.par:"));
  }
}

}  // namespace

TEST_CASE("Malformed text") {
  check({
      {head + "a.TStart = 7\na.TByte = 1;", 4, "unexpected 'a'", "';' after the value"},
      {head + "a.TStart 7;", 4, "unexpected '7'", "'='"},
      {head + "a.TStart = ;", 4, "unexpected ';'", "a number"},
      {head + "a.TStart = 7 8;", 4, "unexpected '8'", "';'"},
      {head + "a.TStart = 1.2.3;", 4, "'1.2' is not a usable number", "one point"},
      {head + "a.TStart = 1e999;", 4, "'1e999' is not a usable number", ""},
      {head + "a.TStart = 7us;", 4, "'7us'", "microseconds"},
      {head + "a.TStart = 7.5us;", 4, "'7.5us' is not a usable number", ""},
      {head + "a.CommType = myrinet (4;", 4, "unexpected ';'", "')'"},
      {head + "a.CommType = myrinet ();", 4, "unexpected ')'", "number of channels"},
      {head + "\n\nb = {2 x p;", 6, "unexpected ';'", "'}'"},
      {head + "b = {};", 4, "unexpected '}'", "COUNT x NAME"},
      {head + "b = {2 p};", 4, "unexpected 'p'", "x between"},
      {head + "b = {2 x};", 4, "unexpected '}'", "a name after x"},
      {head + "b = {2 x p,};", 4, "unexpected '}'", "COUNT x NAME"},
      {head + "b = {2 x p} p;", 4, "unexpected 'p'", "';'"},
      {head + network + "\ngarbage", 4 + 1, "unexpected end of file", "'='"},
      {head + network + "}", 4, "unexpected '}'", "statement"},
      {head + network + "\n7 = 8;", 5, "unexpected '7'", "statement"},
      {head + "%", 4, "unexpected character '%'", "statements"},
      {head + std::string(1, '\0'), 4, "unexpected character '\\x00'", ""},
      {head + "\xCA\xEB", 4, "unexpected character '\\xca'", ""},
      {"\r\ncluster = a;\r\n!", 3, "unexpected character '!'", ""},
  });
}

TEST_CASE("Statements without meaning") {
  check({
      {head + "processors per node = 4;", 4, "unknown statement 'processors per node'", "NAME"},
      {head + "b = p;", 4, "'b' is neither a processor nor a cluster", "{4 x node}"},
      {head + "b = myrinet (4);", 4, "'b' is neither", ""},
      {head + "a.Latency = 7;", 4, "unknown attribute 'Latency'",
       "CommType, TStart, TByte, Segments, EagerLimit, DetachLimit, Price or IsNode"},
      {head + "a.IsNode = 1;", 4, "'a.IsNode' is '1'", "yes or no"},
      {head + "a.IsNode = yes; a.IsNode = yes;", 4, "'a.IsNode' is given twice", ""},
      {head + network + "\na.IsNode = yes;\np.IsNode = yes;", 5,
       "'a' is a node (IsNode or Price), and so is a part of it: 'p'", "one node on the way"},
      {head + network + "\np.Price = 2;\na.IsNode = yes;", 6, "so is a part of it: 'p'", ""},
      {head + "b.TStart = 7;", 4, "unknown cluster 'b'", "defines"},
      {head + "p.TStart = 7;", 4, "'p' is a processor and has no 'TStart'", "cluster"},
      {head + "b = {2};", 4, "a part of 'b' has a count but no name", "COUNT x NAME"},
      {"cluster = {2 x p};", 1, "'cluster' names no cluster", "cluster = NAME;"},
      {head + "search = fast;", 4, "'search' is 'fast'", "0 (off) to 5"},
      {head + "search = 6;", 4, "'search' is '6'", "0 (off) to 5"},
      {head + "search = 1.5;", 4, "'search' is '1.5'", "0 (off) to 5"},
  });
}

TEST_CASE("Names that lead nowhere") {
  check({
      {"", 0, "no top cluster", "cluster = NAME;"},
      {"// nothing\n", 0, "no top cluster", "cluster = NAME;"},
      {"a = {4 x p}; p = 1;", 0, "no top cluster", "cluster = NAME;"},
      {"p = 1;\ncluster = a;", 2, "the top cluster 'a' is not defined", "a = {...};"},
      {"cluster = a;\na = {2 x p,\n 3 x q};\np = 1;", 3, "'a' contains the unknown 'q'",
       "NAME = PERFORMANCE;"},
      {head + "a.CommType = token ring;", 4, "unexpected 'ring'", ""},
      {head + "a.CommType = infiniband; a.TStart = 1; a.TByte = 1;", 4,
       "'infiniband' is neither a network nor a cluster", "ethernet, transputer, myrinet"},
      {head + "a.CommType = p; a.TStart = 1; a.TByte = 1;", 4, "'p' is neither a network", ""},
      {head + "b = {p};\na.CommType = b.CommType;", 5, "network of 'b', which has none",
       "CommType"},
      {head + "a.CommType = b.TStart;", 4, "'a.CommType' is 'b.TStart'", "name of another"},
  });
}

TEST_CASE("Circles") {
  check({
      {"cluster = a;\na = {2 x a};", 2, "'a' contains itself: a -> a", "end in processors"},
      {"cluster = a;\na = {2 x b};\nb = {p, c};\nc = {p,\n3 x b};\np = 1;", 5,
       "'c' contains itself: b -> c -> b", "end in processors"},
      {head + network + "\nu = {v}; v = {u};", 5, "contains itself: u -> v -> u", ""},
      {head + "a.CommType = a;", 4, "copied in a circle", "CommType ethernet"},
      {head + "b = {p}; b.CommType = a;\na.CommType = b.CommType;", 5, "copied in a circle", ""},
  });
  // A chain of 65 clusters and one of 64.
  std::string chain = "cluster = c0;\n";
  for (int i = 0; i < 64; ++i) {
    chain += "c" + std::to_string(i) + " = {c" + std::to_string(i + 1) + "};\n";
  }
  CHECK(parse(chain + "c64 = 1;").expand(1).levels == 64);
  const InputError error = input_error([&] { parse(chain + "c64 = {c65}; c65 = 1;"); });
  CHECK_THAT(error.what(), Catch::Contains("too many clusters") && Catch::Contains("64 levels"));
  CHECK(error.line() > 0);
}

TEST_CASE("Missing, repeated and impossible values") {
  check({
      {head + "a.TStart = 1; a.TByte = 1;", 2, "'a' has no CommType", "a.CommType = "},
      {head + "a.CommType = ethernet; a.TByte = 1;", 2, "'a' has no TStart", "a.TStart = "},
      {head + "a.CommType = ethernet; a.TStart = 1;", 2, "'a' has no TByte", "a.TByte = "},
      {head + "cluster = a;", 4, "'cluster' is given twice, first in line 1", "one"},
      {head + "A = {2 x p};", 4, "'A' is given twice, first in line 2", "one"},
      {head + "P = 2;", 4, "'P' is given twice, first in line 3", "one"},
      {head + "search = 1;\nsearch = 1;", 5, "'search' is given twice, first in line 4", "one"},
      {head + "a.TStart = 1;\nA.tstart = 1;", 5, "'A.tstart' is given twice, first in line 4",
       "one"},
      {head + "b = {0 x p};", 4, "count of 'p' is '0'", "integer from 1"},
      {head + "b = {-4 x p};", 4, "count of 'p' is '-4'", "integer from 1"},
      {head + "b = {1.5 x p};", 4, "count of 'p' is '1.5'", "integer from 1"},
      {head + "b = {2147483648 x p};", 4, "count of 'p' is '2147483648'", "2147483647"},
      {head + "b = {99999999999999999999 x p};", 4, "count of 'p' is '99999999999999999999'", ""},
      {head + "a.CommType = myrinet (0);", 4, "number of channels is '0'", "integer from 1"},
      {head + "a.CommType = myrinet (2.5);", 4, "number of channels is '2.5'", "integer"},
      {head + "a.CommType = myrinet;", 4, "'a.CommType' is 'myrinet'", "number of channels"},
      {head + "a.CommType = ethernet (1);", 4, "'a.CommType' is 'ethernet (1)'", "ethernet"},
      {head + "a.CommType = 4;", 4, "'a.CommType' is '4'", "ethernet"},
      {head + "a.TStart = -1;", 4, "'a.TStart' is '-1'", "microseconds from 0"},
      {head + "a.TByte =\n b;", 5, "'a.TByte' is 'b'", "microseconds from 0"},
      {head + "a.TByte = 1e13;", 4, "'a.TByte' is '1e13'", "1e12"},
      {head + "q = 0;", 4, "'q' is '0'", "positive number"},
      {head + "q = -2.0;", 4, "'q' is '-2.0'", "positive number"},
      {head + "q = 1e-10;", 4, "'q' is '1e-10'", "1e-9"},
      {head + "b = {2 x c,\n p};\nc = {2147483647 x p};", 4, "'b' has too many processors",
       "at most 2147483647"},
      {head + network + "\ntopology = {5};", 5, "topology 5 needs 5 processors, cluster a has 4",
       "within"},
      {head + "topology = {2 x p};", 4, "topology contains 'p'", "{2, 2}"},
      {head + "topology = 4;", 4, "'topology' is '4'", "{2, 2}"},
      {head + "topology = {0};", 4, "extent of the topology is '0'", "integer"},
      {head + "topology = {1,1,1,1,1};", 4, "topology: a grid of 5 dimensions", ""},
  });
}

TEST_CASE("2000 format: errors") {
  const std::string rest = "start time = 75;\nsend byte time = 0.2;\npower = 1;\n";
  check({
      {rest, 0, "'type' is missing", "type = network;"},
      {"type = network;\nsend byte time = 1; power = 1;", 0, "'start time' is missing", "75"},
      {"type = network;\nstart time = 1; power = 1;", 0, "'send byte time' is missing", "0.2"},
      {"type = network;\nstart time = 1; send byte time = 1;", 0, "'power' is missing", "1.00"},
      {"power = 1;", 0, "'type' is missing", "type = network;"},
      {rest + "type = ethernet;", 4, "'type' is no known kind", "network or transputer"},
      {rest + "type = 4;\n", 4, "'type' is no known kind", "network or transputer"},
      {rest + "type = network;\npower = 2;", 5, "'power' is given twice, first in line 3", "one"},
      {rest + "type = network;\ncluster = a;", 5, "'cluster' does not belong to the 2000 format",
       "2010 format throughout"},
      {rest + "type = network;\na = {2 x p};", 5, "'a' does not belong", "only type"},
      {rest + "type = network; a.TStart = 1;", 4, "'a.TStart' does not belong", "only type"},
      {rest + "type = network;\ntopology = {2, 0};", 5, "extent of the topology is '0'", ""},
      {rest + "type = network;\ntopology = {65536, 65536};", 5, "topology: grid extent", ""},
      {"type = network; start time = -1; send byte time = 1;\npower = 1;", 1,
       "'start time' is '-1'", "microseconds"},
      {"type = network; start time = 1; send byte time = 1;\npower = 0;", 2, "'power' is '0'",
       "positive"},
  });
}

TEST_CASE("Files that are none") {
  const auto read = [](const std::filesystem::path& path) {
    return input_error([&] { (void)Cluster::read(path); });
  };
  CHECK_THAT(read("no/such/file.par").what(),
             Catch::Equals("no/such/file.par: cannot be opened (expected a readable machine file "
                           "(.par))"));
  CHECK_THAT(read(GRIDCAST_SOURCE_DIR).what(), Catch::Contains("is a directory"));
  const std::filesystem::path large =
      std::filesystem::path(GRIDCAST_BINARY_DIR) / "test_machine_large.par";
  std::ofstream(large) << std::string((std::size_t{4} << 20) + 1, ' ');
  CHECK_THAT(read(large).what(), Catch::Contains("too large"));
  std::filesystem::remove(large);
}

TEST_CASE("A grid that does not fit") {
  const Cluster cluster = parse(head + network);
  CHECK(cluster.expand(4).processors() == 4);
  CHECK_THAT(input_error([&] { (void)cluster.expand(5); }).what(),
             Catch::Equals("test.par: grid needs 5 processors, cluster a has 4 (expected a grid of "
                           "at most 4)"));
  CHECK_THAT(input_error([&] { (void)cluster.expand(0); }).what(),
             Catch::Contains("grid needs 0 processors"));
}
