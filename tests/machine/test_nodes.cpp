#include <catch2/catch.hpp>

#include "gridcast/base/error.h"
#include "gridcast/machine/nodes.h"
#include "machine_text.h"

using namespace gridcast::machine;
using Catch::Matchers::Contains;
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
  // The highest cluster under the top one, however deep; a note tells.
  const Cluster deep = parse("cluster = c; c = {2 x r}; r = {3 x n}; n = {5 x p}; p = 1;" +
                             network_of("c") + network_of("r") + network_of("n"));
  CHECK(NodeList(deep, 30).nodes(30) == 2);
  CHECK(NodeList(deep, 30).next_full(16) == 30);
  CHECK_THAT(node_note(deep), Contains("'r'") && Contains("r.IsNode = yes"));
  CHECK(node_note(flat).empty());
  CHECK(NodeList(parse("cluster = p; p = 1;"), 1).nodes(1) == 1);
  // A rack of unequal nodes repeats its pattern: 4, 2, 4, 2, ...
  const Cluster racks =
      parse("cluster = c; c = {3 x r}; r = {1 x a, 1 x b}; a = {4 x p};" +
            std::string("b = {2 x p}; p = 1; a.IsNode = yes; b.isnode = YES;") + network_of("c") +
            network_of("r") + network_of("a") + network_of("b"));
  CHECK(NodeList(racks, 18).next_full(11) == 12);
  CHECK(NodeList(racks, 18).next_full(7) == 10);
  CHECK(NodeList(racks, 18).nodes(13) == 5);
}

TEST_CASE("a mark says what a node is, then a price, then the name") {
  // 2 racks of 3 blades of 2 sockets of 4 cores.
  const auto nodes_of_all = [](const std::string& more) {
    const Cluster cluster = parse(
        "cluster = c; c = {2 x rack}; rack = {3 x node}; node = {2 x s}; s = {4 x p}; p = 1;" +
        network_of("c") + network_of("rack") + network_of("node") + network_of("s") + more);
    CHECK(node_note(cluster).empty());
    CHECK(Cluster::parse(cluster.text(), "again").text() == cluster.text());
    return NodeList(cluster, cluster.processors()).nodes(cluster.processors());
  };
  CHECK(nodes_of_all("") == 6);
  CHECK(nodes_of_all("rack.IsNode = yes;") == 2);
  CHECK(nodes_of_all("s.IsNode = yes;") == 12);
  CHECK(nodes_of_all("s.IsNode = no;") == 6);
  CHECK(nodes_of_all("rack.Price = 3;") == 2);
  CHECK(nodes_of_all("p.IsNode = yes;") == 48);
  CHECK(nodes_of_all("c.IsNode = yes;") == 1);
  // The top itself, if that is its name.
  const Cluster alone = parse("cluster = node; node = {2 x s}; s = {4 x p}; p = 1;" +
                              network_of("node") + network_of("s"));
  CHECK(NodeList(alone, 8).nodes(8) == 1);
  // Kinds side by side: each by its own mark, name or place.
  const Cluster mixed = parse(
      "cluster = c; c = {2 x node, 2 x big, 2 x a, 3 x p}; node = {2 x p}; big = {2 x s};"
      "s = {4 x p}; big.IsNode = yes; a = {5 x p}; p = 1;" +
      network_of("c") + network_of("node") + network_of("big") + network_of("s") + network_of("a"));
  const std::vector<NodeRun> runs = NodeList(mixed, 33).first(33);
  const std::vector<std::pair<std::int64_t, std::int64_t>> expected{{2, 2}, {2, 8}, {2, 5}, {3, 1}};
  REQUIRE(runs.size() == expected.size());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    CHECK(std::pair(runs[i].count, runs[i].size) == expected[i]);
  }
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
  CHECK_THROWS_AS(parse(two_kinds_of_nodes() + "a.Price = 3; b.Price = 1; c.Price = 9;"),
                  InputError);
  CHECK_THROWS_AS(parse(two_kinds_of_nodes() + "a.Price = -1;"), InputError);
  CHECK_THROWS_AS(parse(two_kinds_of_nodes() + "a.Price = 1; a.Price = 2;"), InputError);
}
