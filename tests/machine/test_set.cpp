#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

#include "../../tools/fuzzers/machine_input.h"
#include "../../tools/fuzzers/mutation.h"
#include "machine_text.h"

using namespace gridcast::machine;
using gridcast::InputError;
using gridcast::machine::test::equal;
using gridcast::machine::test::input_error;
using gridcast::machine::test::mvs_text;
using gridcast::machine::test::node;
using gridcast::machine::test::parse;
using gridcast::machine::test::text_2000;

TEST_CASE("Settings change the machine and its text") {
  Cluster cluster = parse(mvs_text);
  cluster.set("mvs.TStart=9");
  CHECK(node(cluster, "mvs").network == Network{NetworkType::myrinet, 1, 9e-6, 4e-9});
  cluster.set(" MVS . tbyte = 1e-3 ");
  CHECK(node(cluster, "mvs").network.byte_time == 1e-9);
  cluster.set("mvsP1=2.0");
  CHECK(cluster.expand(1).performance.front() == 2.0);
  cluster.set("mvs.Channels=5");
  CHECK(node(cluster, "mvs").network.channels == 5);
  cluster.set("mvs.CommType=ethernet");
  CHECK(node(cluster, "mvs").network == Network{NetworkType::ethernet, 1, 9e-6, 1e-9});
  cluster.set("mvs.Count=8");
  CHECK(cluster.processors() == 16);
  cluster.set("mvsP2.Count=3");
  CHECK(cluster.processors() == 24);
  cluster.set("search=3;");
  CHECK(cluster.search_mode() == 3);
  CHECK(node(cluster, "mvsP2").line == 14);
  CHECK(cluster.text() ==
        "cluster = mvs;\nsearch = 3;\n\n"
        "mvs = {8 x mvsP2};\nmvs.CommType = ethernet;\nmvs.TStart = 9;\nmvs.TByte = 0.001;\n\n"
        "mvsP2 = {3 x mvsP1};\nmvsP2.CommType = myrinet (1);\nmvsP2.TStart = 1;\n"
        "mvsP2.TByte = 0.001;\n\nmvsP1 = 2;\n");
  CHECK(equal(parse(cluster.text()), cluster));
  cluster.set("cluster=mvsP2");
  CHECK(cluster.name() == "mvsP2");
  CHECK(cluster.processors() == 3);
}

TEST_CASE("Settings and copied networks") {
  Cluster cluster = parse(
      "cluster = a; a = {2 x b}; b = {2 x p}; p = 1; a.CommType = b; a.TStart = 3;"
      "b.CommType = myrinet(2); b.TStart = 1; b.TByte = 0.5;");
  cluster.set("b.TByte=0.25");
  CHECK(node(cluster, "a").network == Network{NetworkType::myrinet, 2, 3e-6, 0.25e-6});
  // No longer a copy: the costs stay, later changes of b do not matter.
  cluster.set("a.Channels=7");
  cluster.set("b.TByte=4");
  CHECK(node(cluster, "a").network == Network{NetworkType::myrinet, 7, 3e-6, 0.25e-6});
  CHECK(node(cluster, "b").network == Network{NetworkType::myrinet, 2, 1e-6, 4e-6});
}

TEST_CASE("Settings of a 2000 file") {
  Cluster cluster = parse(text_2000);
  cluster.set("network.TStart=9");
  cluster.set("processor=0.5");
  cluster.set("network.Count=16");
  CHECK(cluster.processors() == 16);
  CHECK(cluster.topology()->text() == "2x2");
  CHECK(cluster.expand(1).performance.front() == 0.5);
  CHECK(equal(parse(cluster.text()), cluster));
  CHECK_THAT(input_error([&] { cluster.set("network.Count=3"); }).what(),
             Catch::Contains("the topology 2x2 needs 4 processors"));
}

TEST_CASE("Settings that are refused leave the machine as it was") {
  const Cluster original = parse(mvs_text +
                                 "mixed = {mvsP1, 3 x mvsP1};"
                                 "mixed.CommType = ethernet; mixed.TStart = 1;"
                                 "mixed.TByte = 1;");
  Cluster cluster = original;
  struct Row {
    std::string assignment;
    std::string expected;
  };
  const std::vector<Row> rows = {
      {"", "one assignment"},
      {"mvs.TStart", "unexpected ';'"},
      {"mvs.TStart=", "a number"},
      {"mvs.TStart=9; mvs.TByte=1", "one assignment"},
      {"msv.TStart=9", "unknown name 'msv' (expected one of mvs, mvsP2, mvsP1, mixed)"},
      {"mvs.TStop=9",
       "unknown attribute 'TStop' (expected CommType, TStart, TByte, Segments, EagerLimit, "
       "DetachLimit, Price, IsNode, Channels"},
      {"mvs.TStart=-9", "'mvs.TStart' is '-9'"},
      {"mvs.TStart=fast", "'mvs.TStart' is 'fast'"},
      {"mvs=2.0", "'mvs' is a cluster and has no performance"},
      {"mvsP1=0", "'mvsP1' is '0'"},
      {"mvsP1.TStart=1", "'mvsP1' is a processor and has no 'TStart'"},
      {"mvs.CommType=myrinet", "number of channels"},
      {"mvs.CommType=mvs", "copied in a circle"},
      {"mvs.CommType=nothing", "neither a network nor a cluster"},
      {"mvs.Channels=0", "number of channels is '0'"},
      {"mixed.Channels=4", "only a myrinet"},
      {"mvs.Count=0", "count is '0'"},
      {"mvs.Count=2147483647", "too many processors"},
      {"mixed.Count=4", "one kind of parts"},
      {"search=9", "0 (off) to 5"},
      {"cluster=other", "unknown name 'other'"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.assignment);
    const InputError error = input_error([&] { cluster.set(row.assignment); });
    CHECK_THAT(error.what(), Catch::StartsWith("setting '" + row.assignment + "': "));
    CHECK_THAT(error.what(), Catch::Contains(row.expected));
    CHECK(equal(cluster, original));
    CHECK(cluster.text() == original.text());
  }
}

TEST_CASE("The canonical text reads back as an equal cluster") {
  const std::vector<std::string> corpus = {
      mvs_text, text_2000,
      "cluster = a; search = 2; a = {3 x b, 2 x p, c}; b = {4 x q}; c = {p}; p = 0.1; q = 3;"
      "a.CommType = transputer; a.TStart = 0.1; a.TByte = 1e-7; b.CommType = a.CommType;"
      "b.TByte = 123456.789;"};
  std::mt19937_64 random(20);
  for (const std::string& text : corpus) {
    Cluster cluster = parse(text);
    CHECK(equal(parse(cluster.text()), cluster));
    // Arbitrary values survive, down to the last bit.
    for (int i = 0; i < 300; ++i) {
      const ClusterNode& chosen = cluster.nodes()[random() % cluster.nodes().size()];
      const double value = 1e-9 + static_cast<double>(random()) / static_cast<double>(1 + random());
      const std::string number = std::to_string(random() % 1000) + "." + std::to_string(random()) +
                                 "e-" + std::to_string(random() % 9);
      const std::string name = chosen.name;
      cluster.set(chosen.items.empty() ? name + "=1" + number
                  : value > 1.0        ? name + ".TStart=" + number
                                       : name + ".TByte=" + number);
      const Cluster again = parse(cluster.text());
      REQUIRE(equal(again, cluster));
      REQUIRE(again.text() == cluster.text());
    }
  }
}

TEST_CASE("Mutated files are read or refused") {
  const std::vector<std::string> corpus = {
      mvs_text, text_2000,
      "cluster = a; a = {3 x b, 2 x p}; b = {4 x q}; p = 0.1; q = 3; a.CommType = myrinet (4);"
      "a.TStart = 0.1; a.TByte = 1e-7; b.CommType = a.CommType; b.TByte = 9;"};
  gridcast::fuzz::Dice dice(1);
  int machines = 0;
  constexpr int inputs = 2000;
  for (int i = 0; i < inputs; ++i) {
    const std::string text = gridcast::fuzz::mutated_machine(corpus, dice);
    CAPTURE(text);
    bool accepted = false;
    REQUIRE_NOTHROW(accepted = gridcast::fuzz::check_machine(text));
    machines += accepted ? 1 : 0;
  }
  // Both outcomes must have been tried.
  CHECK(machines > inputs / 100);
  CHECK(machines < inputs / 2);
}
