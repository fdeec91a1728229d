#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "gridcast/machine/unlikely.h"
#include "machine_text.h"

using namespace gridcast::machine;
using gridcast::machine::test::equal;
using gridcast::machine::test::mvs_text;
using gridcast::machine::test::node;
using gridcast::machine::test::parse;
using gridcast::machine::test::text_2000;

namespace {

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

}  // namespace

TEST_CASE("2010 format: the example of the manual of 2010") {
  const Cluster cluster = parse(mvs_text);
  CHECK(cluster.name() == "mvs");
  CHECK(cluster.processors() == 1024);
  CHECK(cluster.search_mode() == 0);
  CHECK_FALSE(cluster.topology().has_value());
  REQUIRE(cluster.nodes().size() == 3);
  CHECK(node(cluster, "mvs").network == Network{NetworkType::myrinet, 1, 7e-6, 4e-9});
  CHECK(node(cluster, "mvsP2").network == Network{NetworkType::myrinet, 1, 1e-6, 1e-9});
  CHECK(node(cluster, "mvs").line == 9);
  CHECK(node(cluster, "mvsP2").line == 14);
  CHECK(node(cluster, "mvs").levels == 2);
  CHECK(node(cluster, "mvsP2").processors == 2);
  CHECK(node(cluster, "mvsP1").performance == 1.0);
}

TEST_CASE("2000 format: the example of the manual of 2000") {
  const Cluster cluster = parse(text_2000);
  CHECK(cluster.processors() == 4);
  REQUIRE(cluster.topology().has_value());
  CHECK(cluster.topology()->text() == "2x2");
  const Network& network = cluster.nodes()[cluster.root()].network;
  CHECK(network.type == NetworkType::ethernet);
  CHECK(network.channels == 1);
  CHECK(network.start_time == Approx(75e-6).epsilon(1e-15));
  CHECK(network.byte_time == Approx(2e-7).epsilon(1e-15));
  const ProcessorSystem system = cluster.expand(4);
  CHECK(system.networks.size() == 1);
  CHECK(system.performance == std::vector<double>{1, 1, 1, 1});
}

TEST_CASE("2000 format: transputer, power and no topology") {
  const Cluster cluster =
      parse("Type = Transputer;\r\nStart  Time=9;send byte\ttime=1.25e-2;\nPOWER = 4; search = 2;");
  CHECK(cluster.name() == "transputer");
  const Network& network = cluster.nodes()[cluster.root()].network;
  CHECK(network.type == NetworkType::transputer);
  CHECK(network.channels == 1);
  CHECK(network.start_time == Approx(9e-6).epsilon(1e-15));
  CHECK(network.byte_time == Approx(1.25e-8).epsilon(1e-15));
  // power is the inverse ratio (docs/model.md §1): four times slower.
  CHECK(cluster.expand(3).performance == std::vector<double>{0.25, 0.25, 0.25});
  CHECK(cluster.processors() == 1048576);
  CHECK(cluster.search_mode() == 2);
}

TEST_CASE("Spelling of .par files does not matter") {
  const Cluster expected = parse(mvs_text);
  const std::string one_line = replaced(mvs_text.substr(mvs_text.find("mvs = {")), "\n", " ");
  const std::vector<std::string> variants = {
      replaced(mvs_text, "\n", "\r\n"),
      replaced(mvs_text, "\n", "\r"),
      replaced(mvs_text, " = ", "="),
      replaced(mvs_text, "=", "\t  =  "),
      replaced(mvs_text, "myrinet (1)", "myrinet(1)"),
      replaced(mvs_text, "myrinet (1)", "MYRINET ( 1 )"),
      replaced(mvs_text, "CommType", "commtype"),
      replaced(mvs_text, "TStart", "TSTART"),
      replaced(mvs_text, "cluster = mvs", "Cluster = MVS"),
      replaced(mvs_text, "512 x mvsP2", "512xMvsp2"),
      replaced(mvs_text, "512 x mvsP2", "512x mvsP2"),
      replaced(mvs_text, "512 x mvsP2", "512 xmvsP2"),
      replaced(mvs_text, "512 x mvsP2", "\n512\nX // count\nmvsP2\n"),
      replaced(mvs_text, "0.004", "4e-3"),
      replaced(mvs_text, "0.004", ".004E0"),
      replaced(mvs_text, "= 7;", "= +7.0 ; // latency"),
      replaced(mvs_text, "0.001;", "0.001;//byte"),
      replaced(mvs_text, "0.001;", "0.001//byte\n;"),
      replaced(mvs_text, "mvs.TStart", "mvs . TStart"),
      replaced(mvs_text, "search=0;", ";;"),
      replaced(mvs_text, "search=0",
               "search\xC2\xA0=\xC2\xA0"
               "0"),
      "\xEF\xBB\xBF" + mvs_text,
      one_line + "cluster = mvs;",
      mvs_text + "// no line end",
  };
  for (const std::string& text : variants) {
    CAPTURE(text);
    CHECK(equal(parse(text), expected));
  }
}

TEST_CASE("Attributes may come before what they describe") {
  const Cluster cluster = parse(
      "a.TStart = 3; a.TByte = 1; a.CommType = b; b.CommType = c.CommType; cluster = a;"
      "c.TByte = 5; a = {2 x b, p}; b.TStart = 2; b = {2 x c}; c = {4 x p}; p = 2.5e0;"
      "c.CommType = myrinet(6); c.TStart = 1;");
  CHECK(cluster.processors() == 17);
  // Own values override what is copied ([Predictor2010 §2.4]), also through several copies.
  CHECK(node(cluster, "c").network == Network{NetworkType::myrinet, 6, 1e-6, 5e-6});
  CHECK(node(cluster, "b").network == Network{NetworkType::myrinet, 6, 2e-6, 5e-6});
  CHECK(node(cluster, "a").network == Network{NetworkType::myrinet, 6, 3e-6, 1e-6});
}

TEST_CASE("Names may begin with digits and contain the separator") {
  const Cluster cluster = parse(
      "cluster = 2way; 2way = {2 x x, 3 x xx, x-1}; x = 1; xx = 2; x-1 = 3;"
      "2way.CommType = ethernet; 2way.TStart = 0; 2way.TByte = 0;");
  CHECK(cluster.expand(6).performance == std::vector<double>{1, 1, 2, 2, 2, 3});
}

TEST_CASE("A cluster of one processor needs no network") {
  CHECK(parse("cluster = p; p = 2;").processors() == 1);
  CHECK(parse("cluster = a; a = {b}; b = {1 x p}; p = 2;").processors() == 1);
}

TEST_CASE("Numbers of processors per description") {
  struct Row {
    const char* structure;
    std::int64_t processors;
  };
  const std::vector<Row> rows = {
      {"a = {4 x p};", 4},
      {"a = {p, p, p};", 3},
      {"a = {4 x b, 2 x c}; b = {3 x p}; c = {5 x p};", 22},
      {"a = {10 x b}; b = {10 x c}; c = {10 x p};", 1000},
      {"a = {2 x b, c, 7 x p}; b = {2 x c}; c = {3 x p, 2 x p};", 2 * 10 + 5 + 7},
      {"a = {1000 x b}; b = {1000 x p};", 1000000},
      {"a = {2147483647 x p};", 2147483647},
      {"a = {65536 x b, 32767 x p, 32768 x p}; b = {32767 x p};", 2147483647},
  };
  for (const Row& row : rows) {
    std::string text = std::string("cluster = a; p = 1; ") + row.structure;
    for (const char* name : {"a", "b", "c"}) {
      if (text.find(std::string(" ") + name + " = {") != std::string::npos) {
        text += std::string(name) + ".CommType = ethernet; " + name + ".TStart = 1; " + name +
                ".TByte = 1;";
      }
    }
    CAPTURE(text);
    CHECK(parse(text).processors() == row.processors);
  }
}

TEST_CASE("All search modes are read") {
  for (int mode = 0; mode <= 5; ++mode) {
    CHECK(parse("cluster = p; p = 1; search = " + std::to_string(mode) + ";").search_mode() ==
          mode);
  }
  CHECK(parse("cluster = p; p = 1;").search_mode() == 0);
}

TEST_CASE("The tree for machine show") {
  CHECK(parse(mvs_text).tree_text() ==
        "mvs: 1024 processors, myrinet (1), TStart 7 µs, TByte 0.004 µs/byte (0.25 GB/s)\n"
        "  512 x mvsP2: 2 processors each, myrinet (1), TStart 1 µs, TByte 0.001 µs/byte (1 GB/s), "
        "a node\n"
        "    2 x mvsP1: processor, performance 1\n"
        "level 0: 1 network, 1024 processors\n"
        "level 1: 512 networks, 1024 processors\n");
  CHECK(parse(text_2000).tree_text() ==
        "network: 4 processors, ethernet, TStart 75 µs, TByte 0.2 µs/byte (0.005 GB/s)\n"
        "  4 x processor: processor, performance 1, a node\n"
        "topology 2x2\n"
        "level 0: 1 network, 4 processors\n");
  CHECK(parse("cluster = a; a = {2 x b, b, 3 x p}; b = {2 x p}; p = 0.5; a.CommType = transputer;"
              "a.TStart = 9; a.TByte = 0.0125; b.CommType = a;")
            .tree_text() ==
        "a: 9 processors, transputer, TStart 9 µs, TByte 0.0125 µs/byte (0.08 GB/s)\n"
        "  2 x b: 2 processors each, transputer, TStart 9 µs, TByte 0.0125 µs/byte (0.08 GB/s), "
        "a node\n"
        "    2 x p: processor, performance 0.5\n"
        "  1 x b: 2 processors each, as above\n"
        "  3 x p: processor, performance 0.5, a node\n"
        "level 0: 1 network, 9 processors\n"
        "level 1: 3 networks, 6 processors\n");
}

TEST_CASE("networks that are hardly meant are told, with their speed") {
  const auto told = [](const std::string& byte_time) {
    return unlikely_costs(
        parse("cluster = a; a = {2 x p}; p = 1; a.CommType = ports; a.TStart = 1;"
              "a.TByte = " +
              byte_time + ";"));
  };
  // TByte in seconds per byte: 12.5 GB/s become 12,500,000.
  REQUIRE(told("8e-11").size() == 1);
  CHECK(told("8e-11")[0].find("the network of 'a' moves 1.25e+07 GB/s") == 0);
  CHECK(told("0.99e-7").size() == 1);
  CHECK(told("1.01").size() == 1);
  CHECK(told("1e-7").empty());  // 10,000 GB/s
  CHECK(told("1").empty());     // 0.001 GB/s
  CHECK(told("0").empty());
  CHECK(told("0.0001").empty());
}
