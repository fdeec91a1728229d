// Networks of type ports in .par files: the names of [LogGP] beside those of the other networks.

#include <catch2/catch.hpp>
#include <string>

#include "machine_text.h"

using namespace gridcast::machine;
using gridcast::InputError;
using gridcast::machine::test::equal;
using gridcast::machine::test::input_error;
using gridcast::machine::test::node;
using gridcast::machine::test::parse;

namespace {

const std::string ports_head = "cluster = a;\na = {4 x p};\np = 1;\n";  // lines 1 to 3

void check_ports_error(const std::string& text, std::size_t line, const std::string& problem,
                       const std::string& expected) {
  CAPTURE(text);
  const InputError error = input_error([&] { parse(text); });
  CHECK(error.file() == "test.par");
  CHECK(error.line() == line);
  CHECK_THAT(error.problem(), Catch::Contains(problem));
  CHECK_THAT(error.remedy(), Catch::Contains(expected));
}

}  // namespace

TEST_CASE("A network of ports") {
  const Cluster cluster = parse(ports_head +
                                "a.CommType = ports; a.TStart = 1.5; a.TByte = 0.5; a.TSend = 0.25;"
                                "a.TRecv = 0.75; a.TGap = 2;");
  const Network& network = node(cluster, "a").network;
  CHECK(network.type == NetworkType::ports);
  CHECK(network.channels == 1);
  CHECK(network.start_time == Approx(1.5e-6).epsilon(1e-15));
  CHECK(network.byte_time == Approx(0.5e-6).epsilon(1e-15));
  CHECK(network.send_time == Approx(0.25e-6).epsilon(1e-15));
  CHECK(network.receive_time == Approx(0.75e-6).epsilon(1e-15));
  CHECK(network.gap == Approx(2e-6).epsilon(1e-15));
  CHECK(equal(parse(cluster.text()), cluster));
  CHECK_THAT(cluster.tree_text(),
             Catch::Contains(
                 "ports, TStart 1.5 µs, TByte 0.5 µs/byte (0.002 GB/s), TSend 0.25 µs, TRecv 0.75 "
                 "µs, TGap 2 µs"));

  const Cluster least = parse(ports_head + "a.commtype = PORTS; a.TSTART = 1.5; a.tbyte = 0.5;");
  CHECK(node(least, "a").network == Network{NetworkType::ports, 1, 1.5e-6, 0.5e-6});
}

TEST_CASE("Limits of eager messages") {
  Cluster cluster = parse(ports_head + "a.CommType = ethernet; a.TStart = 1; a.TByte = 1;");
  CHECK(node(cluster, "a").network.is_eager(65535.0));
  CHECK_FALSE(node(cluster, "a").network.is_eager(65536.0));
  CHECK_FALSE(node(cluster, "a").network.is_detached(65536.0));
  CHECK(cluster.tree_text().find("Limit") == std::string::npos);

  cluster.set("a.EagerLimit=4096");
  CHECK(node(cluster, "a").network.is_eager(4095.0));
  CHECK_FALSE(node(cluster, "a").network.is_eager(4096.0));
  CHECK_FALSE(node(cluster, "a").network.is_detached(4096.0));
  cluster.set("A.detachlimit=1e6");
  CHECK(node(cluster, "a").network.is_detached(999999.0));
  CHECK_FALSE(node(cluster, "a").network.is_eager(999999.0));
  CHECK(equal(parse(cluster.text()), cluster));
  CHECK_THAT(cluster.tree_text(),
             Catch::Contains("EagerLimit 4096 bytes, DetachLimit 1000000 bytes") ||
                 Catch::Contains("EagerLimit 4096 bytes, DetachLimit 1e+06 bytes"));

  // They are copied with the network.
  const Cluster copied = parse(
      "cluster = c; c = {2 x n}; n = {4 x p}; p = 1; n.CommType = c.CommType;"
      "c.CommType = myrinet (2); c.TStart = 1; c.TByte = 1; c.EagerLimit = 0;");
  CHECK_FALSE(node(copied, "n").network.is_eager(0.0));

  CHECK_THROWS_WITH(parse(ports_head + "a.CommType = ports; a.TStart = 1; a.TByte = 1;\n"
                                       "a.EagerLimit = -1;"),
                    Catch::Contains("expected bytes from 0 to 1e18"));
}

TEST_CASE("The names of LogGP") {
  const Cluster expected = parse(ports_head +
                                 "a.CommType = ports; a.TStart = 1.5; a.TByte = 0.5;"
                                 "a.TSend = 0.25; a.TRecv = 0.25; a.TGap = 2;");
  CHECK(equal(expected, parse(ports_head + "a.CommType = loggp; a.L = 1.5; a.G = 0.5; a.o = 0.25;"
                                           "a.g = 2;")));
  CHECK(equal(expected, parse(ports_head + "a.g = 2; a.o_r = 0.25; a.G = 0.5; a.L = 1.5;"
                                           "a.o_s = 0.25; a.CommType = LogGP;")));
  // g and G are two different numbers.
  const Cluster swapped = parse(ports_head + "a.CommType = loggp; a.L = 1; a.G = 3; a.g = 5;");
  CHECK(node(swapped, "a").network.byte_time == Approx(3e-6).epsilon(1e-15));
  CHECK(node(swapped, "a").network.gap == Approx(5e-6).epsilon(1e-15));
}

TEST_CASE("A copied network of ports") {
  const Cluster cluster = parse(
      "cluster = c; c = {2 x n}; n = {4 x p}; p = 1; n.CommType = c.CommType; n.TSend = 0.125;"
      "c.CommType = loggp; c.L = 1; c.G = 0.5; c.o = 0.25; c.g = 2;");
  const Network& network = node(cluster, "n").network;
  CHECK(network.type == NetworkType::ports);
  CHECK(network.send_time == Approx(0.125e-6).epsilon(1e-15));
  CHECK(network.receive_time == Approx(0.25e-6).epsilon(1e-15));
  CHECK(network.gap == Approx(2e-6).epsilon(1e-15));
}

TEST_CASE("Mistakes in networks of ports") {
  const std::string ports = ports_head + "a.CommType = ports;\na.TStart = 1; a.TByte = 1;\n";
  check_ports_error(ports + "a.TSend = -1;", 6, "'a.TSend' is '-1'", "microseconds from 0");
  check_ports_error(ports + "\na.TRecv = fast;", 7, "'a.TRecv' is 'fast'", "microseconds");
  check_ports_error(ports + "a.TGap = 1;\na.TGap = 2;", 7, "given twice, first in line 6", "one");
  check_ports_error(ports + "a.TSend = 1;\na.o = 2;", 7, "given twice, first in line 6", "one");
  check_ports_error(ports + "a.L = 2;", 6, "given twice, first in line 5", "one");
  check_ports_error(ports + "a.TWait = 2;", 6, "unknown attribute 'TWait'", "TSend, TRecv or TGap");
  check_ports_error(ports_head + "a.CommType = ports;", 2, "'a' has no TStart", "a.TStart");
  check_ports_error(ports_head + "a.CommType = ports (4);", 4, "'a.CommType' is 'ports (4)'",
                    "ports, loggp");
  const std::string bus = ports_head + "a.CommType = ethernet;\na.TStart = 1; a.TByte = 1;\n";
  check_ports_error(bus + "a.TSend = 1;", 6, "'a' is no network of ports and has no 'TSend'",
                    "a.CommType = ports");
  check_ports_error(bus + "\na.g = 1;", 7, "'a' is no network of ports and has no 'g'",
                    "a.CommType = ports");
}

TEST_CASE("Settings of a network of ports") {
  Cluster cluster = parse(ports_head + "a.CommType = loggp; a.L = 1; a.G = 2; a.o = 3; a.g = 4;");
  cluster.set("a.TSend=0.5");
  cluster.set("a.o_r=0.25");
  cluster.set("a.g=8");
  cluster.set("a.L=16");
  CHECK(cluster.text() ==
        "cluster = a;\nsearch = 0;\n\na = {4 x p};\na.CommType = ports;\na.TStart = 16;\n"
        "a.TByte = 2;\na.TSend = 0.5;\na.TRecv = 0.25;\na.TGap = 8;\n\np = 1;\n");
  // What only ports have goes with them.
  cluster.set("a.CommType=myrinet(2)");
  CHECK(node(cluster, "a").network == Network{NetworkType::myrinet, 2, 16e-6, 2e-6});
  CHECK_THAT(input_error([&] { cluster.set("a.TGap=1"); }).what(),
             Catch::Contains("no network of ports"));
  CHECK_THAT(input_error([&] { cluster.set("a.Latency=1"); }).what(), Catch::Contains("TRecv"));
}
