#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "machine_text.h"

using namespace gridcast::machine;
using gridcast::machine::test::mvs_text;
using gridcast::machine::test::parse;

namespace {

// A random machine in the test's own terms: node i consists of nodes with higher numbers; the last
// `leaves` of them are processors. TStart of composite i is i + 1 µs, performance of leaf i is i
// + 1.
struct Machine {
  struct Part {
    int count = 1;
    std::size_t node = 0;
  };
  std::vector<std::vector<Part>> parts;  // empty: a processor

  [[nodiscard]] std::string text() const {
    std::string result = "cluster = n0;";
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const std::string name = "n" + std::to_string(i);
      if (parts[i].empty()) {
        result += name + " = " + std::to_string(i + 1) + ";";
        continue;
      }
      result += name + " = {";
      for (std::size_t k = 0; k < parts[i].size(); ++k) {
        result += (k == 0 ? "" : ", ") + std::to_string(parts[i][k].count) + " x n" +
                  std::to_string(parts[i][k].node);
      }
      result += "};" + name + ".CommType = ethernet;" + name +
                ".TStart = " + std::to_string(i + 1) + ";" + name + ".TByte = 0;";
    }
    return result;
  }
};

Machine random_machine(std::mt19937_64& random) {
  const std::size_t composites = 1 + random() % 5;
  const std::size_t leaves = 1 + random() % 3;
  Machine result;
  for (std::size_t i = 0; i < composites + leaves; ++i) {
    std::vector<Machine::Part> parts;
    if (i < composites) {
      for (std::size_t k = 1 + random() % 3; k > 0; --k) {
        const std::size_t node = i + 1 + random() % (composites + leaves - i - 1);
        parts.push_back({static_cast<int>(1 + random() % 3), node});
      }
    }
    result.parts.push_back(std::move(parts));
  }
  return result;
}

// One step down: which node, and as the how-manieth part of its parent.
using Path = std::vector<std::pair<std::size_t, int>>;
struct Leaf {
  double performance = 0.0;
  Path above;  // composites above it, outermost first
};

void enumerate(const Machine& machine, std::size_t node, int ordinal, Path path,
               std::vector<Leaf>& leaves) {
  if (machine.parts[node].empty()) {
    leaves.push_back({static_cast<double>(node + 1), std::move(path)});
    return;
  }
  path.emplace_back(node, ordinal);
  int next = 0;
  for (const Machine::Part& part : machine.parts[node]) {
    for (int i = 0; i < part.count; ++i) {
      enumerate(machine, part.node, next++, path, leaves);
    }
  }
}

Path common(const Path& a, const Path& b) {
  const auto [end, other] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  (void)other;
  return {a.begin(), end};
}

}  // namespace

TEST_CASE("Expansion of the mvs cluster") {
  const ProcessorSystem system = parse(mvs_text).expand(5);
  CHECK(system.performance == std::vector<double>(5, 1.0));
  CHECK(system.homogeneous);
  CHECK(system.levels == 2);
  REQUIRE(system.networks.size() == 4);
  CHECK(system.ancestors == std::vector<std::uint32_t>{0, 0, 0, 0, 0, 1, 1, 2, 2, 3});
  CHECK(system.common_network(0, 1) == 1);
  CHECK(system.common_network(1, 2) == 0);
  CHECK(system.common_network(3, 2) == 2);
  CHECK(system.common_network(4, 0) == 0);
}

TEST_CASE("Processors that hang at different depths") {
  const ProcessorSystem system =
      parse(
          "cluster = a; a = {fast, 2 x b, fast}; b = {2 x slow}; fast = 2; slow = 1;"
          "a.CommType = ethernet; a.TStart = 1; a.TByte = 1; b.CommType = a;")
          .expand(6);
  constexpr std::uint32_t none = ProcessorSystem::no_network;
  CHECK(system.performance == std::vector<double>{2, 1, 1, 1, 1, 2});
  CHECK_FALSE(system.homogeneous);
  CHECK(system.ancestors == std::vector<std::uint32_t>{0, 0, 0, 0, 0, 0, none, 1, 1, 2, 2, none});
  CHECK(system.common_network(0, 5) == 0);
  CHECK(system.common_network(1, 2) == 1);
  CHECK(system.common_network(2, 3) == 0);
}

TEST_CASE("Levels that the grid does not reach do not exist") {
  const Cluster cluster = parse(
      "cluster = a; a = {2 x p, 3 x b}; b = {4 x c}; c = {5 x q}; p = 1; q = 2;"
      "a.CommType = ethernet; a.TStart = 1; a.TByte = 1; b.CommType = a; c.CommType = a;");
  CHECK(cluster.processors() == 62);
  CHECK(cluster.expand(2).levels == 1);
  CHECK(cluster.expand(2).networks.size() == 1);
  CHECK(cluster.expand(2).homogeneous);
  CHECK(cluster.expand(3).levels == 3);
  CHECK(cluster.expand(3).networks.size() == 3);
  CHECK_FALSE(cluster.expand(3).homogeneous);
  // A composite of one part is still a level; a single processor has none.
  CHECK(parse("cluster = a; a = {b}; b = {p}; p = 1;").expand(1).levels == 2);
  const ProcessorSystem single = parse("cluster = p; p = 4;").expand(1);
  CHECK(single.levels == 0);
  CHECK(single.networks.empty());
  CHECK(single.performance == std::vector<double>{4.0});
}

TEST_CASE("Small grids of huge clusters") {
  const Cluster cluster = parse(
      "cluster = a; a = {1000000 x b}; b = {2000 x p}; p = 1; a.CommType = ethernet;"
      "a.TStart = 1; a.TByte = 1; b.CommType = a;");
  CHECK(cluster.processors() == 2000000000);
  CHECK(cluster.expand(16).networks.size() == 2);
  CHECK(cluster.expand(4001).networks.size() == 4);
}

TEST_CASE("Expansion agrees with the enumeration of all leaves") {
  std::mt19937_64 random(4);
  constexpr std::size_t most_leaves = 300;
  int compared = 0;
  for (int round = 0; round < 400; ++round) {
    const Machine machine = random_machine(random);
    std::vector<Leaf> leaves;
    enumerate(machine, 0, 0, {}, leaves);
    CAPTURE(machine.text());
    const Cluster cluster = parse(machine.text());
    REQUIRE(cluster.processors() == static_cast<std::int64_t>(leaves.size()));
    leaves.resize(std::min(leaves.size(), 1 + random() % most_leaves));
    const ProcessorSystem system = cluster.expand(static_cast<std::int64_t>(leaves.size()));

    // Instances are numbered as they come when the leaves are walked in order.
    std::map<Path, std::uint32_t> instances;
    std::size_t depth = 0;
    for (const Leaf& leaf : leaves) {
      depth = std::max(depth, leaf.above.size());
      for (std::size_t length = 1; length <= leaf.above.size(); ++length) {
        const Path prefix(leaf.above.begin(),
                          leaf.above.begin() + static_cast<std::ptrdiff_t>(length));
        instances.emplace(prefix, static_cast<std::uint32_t>(instances.size()));
      }
    }
    REQUIRE(system.levels == static_cast<std::int32_t>(depth));
    REQUIRE(system.networks.size() == instances.size());
    for (const auto& [path, instance] : instances) {
      REQUIRE(system.networks[instance].start_time ==
              static_cast<double>(path.back().first + 1) / 1e6);
    }
    bool homogeneous = true;
    for (std::size_t a = 0; a < leaves.size(); ++a) {
      REQUIRE(system.performance[a] == leaves[a].performance);
      homogeneous = homogeneous && leaves[a].performance == leaves[0].performance;
      for (std::size_t b = a % 7; b < leaves.size(); b += 7) {
        if (a != b) {
          REQUIRE(system.common_network(a, b) ==
                  instances.at(common(leaves[a].above, leaves[b].above)));
          ++compared;
        }
      }
    }
    REQUIRE(system.homogeneous == homogeneous);
  }
  CHECK(compared > 10000);
}
