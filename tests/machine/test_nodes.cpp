#include <catch2/catch.hpp>

#include "gridcast/base/error.h"
#include "gridcast/machine/nodes.h"
#include "machine_text.h"

using namespace gridcast::machine;
using gridcast::InputError;
using gridcast::machine::test::parse;

namespace {

std::string network_of(const std::string& name) {
  return name + ".CommType = myrinet (1);" + name + ".TStart = 1; " + name + ".TByte = 0.1;";
}

/// Two kinds of nodes: 3 of 4 processors, then 2 of 2 processors.
std::string two_kinds_of_nodes() {
  return "cluster = c; c = {3 x a, 2 x b}; a = {4 x p}; b = {2 x p}; p = 1;" + network_of("c") +
         network_of("a") + network_of("b");
}

}  // namespace

TEST_CASE("nodes fill up one after the other") {
  const Cluster cluster = parse(two_kinds_of_nodes());
  const NodeList nodes(cluster, cluster.processors());
  CHECK_FALSE(nodes.priced());
  // Processor by processor: 4 on each of the first three nodes, 2 on each of the last two.
  const std::vector<int> node_of{1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 5, 5};
  const std::vector<int> full{4, 8, 12, 14, 16};
  for (int number = 1; number <= 16; ++number) {
    CAPTURE(number);
    CHECK(nodes.nodes(number) == node_of[static_cast<std::size_t>(number - 1)]);
    CHECK(nodes.rate(number) == node_of[static_cast<std::size_t>(number - 1)]);
    CHECK(nodes.next_full(number) ==
          *std::find_if(full.begin(), full.end(), [&](int each) { return each >= number; }));
  }
  CHECK_FALSE(nodes.next_full(17));
  const std::vector<NodeRun> first = nodes.first(13);
  REQUIRE(first.size() == 2);
  CHECK(first[0].count == 3);
  CHECK(first[0].size == 4);
  CHECK(first[1].count == 1);
  CHECK(first[1].size == 2);
  CHECK(nodes.first(5).front().count == 2);
}

TEST_CASE("what is a node without prices") {
  // Processors of the top cluster are nodes of their own.
  const Cluster flat = parse("cluster = c; c = {16 x p}; p = 1;" + network_of("c"));
  CHECK(NodeList(flat, 16).nodes(7) == 7);
  CHECK(NodeList(flat, 16).next_full(7) == 7);
  // The composite above the processors, however deep.
  const Cluster deep = parse("cluster = c; c = {2 x r}; r = {3 x n}; n = {5 x p}; p = 1;" +
                             network_of("c") + network_of("r") + network_of("n"));
  CHECK(NodeList(deep, 30).nodes(30) == 6);
  CHECK(NodeList(deep, 30).next_full(16) == 20);
  CHECK(NodeList(parse("cluster = p; p = 1;"), 1).nodes(1) == 1);
  // A racks of unequal nodes repeats its pattern: 4, 2, 4, 2, ...
  const Cluster racks = parse("cluster = c; c = {3 x r}; r = {1 x a, 1 x b}; a = {4 x p};" +
                              std::string("b = {2 x p}; p = 1;") + network_of("c") +
                              network_of("r") + network_of("a") + network_of("b"));
  CHECK(NodeList(racks, 18).next_full(11) == 12);
  CHECK(NodeList(racks, 18).next_full(7) == 10);
  CHECK(NodeList(racks, 18).nodes(13) == 5);
}

TEST_CASE("prices say what a node is and what it costs") {
  Cluster cluster = parse(two_kinds_of_nodes() + "a.Price = 3; b.Price = 0.5;");
  const NodeList nodes(cluster, 16);
  CHECK(nodes.priced());
  CHECK(nodes.rate(5) == 6.0);
  CHECK(nodes.rate(16) == 3 * 3.0 + 2 * 0.5);
  cluster.set("a.Price=4");
  CHECK(NodeList(cluster, 16).rate(5) == 8.0);
  CHECK(Cluster::parse(cluster.text(), "again").text() == cluster.text());
  // Each processor at its own price.
  const Cluster alone = parse("cluster = c; c = {4 x p}; p = 1; p.Price = 0.25;" + network_of("c"));
  CHECK(NodeList(alone, 4).rate(3) == 0.75);
  CHECK_THROWS_AS(NodeList(parse(two_kinds_of_nodes() + "a.Price = 3;"), 16), InputError);
  CHECK_THROWS_AS(
      NodeList(parse(two_kinds_of_nodes() + "a.Price = 3; b.Price = 1; c.Price = 9;"), 16),
      InputError);
  CHECK_THROWS_AS(parse(two_kinds_of_nodes() + "a.Price = -1;"), InputError);
  CHECK_THROWS_AS(parse(two_kinds_of_nodes() + "a.Price = 1; a.Price = 2;"), InputError);
}
