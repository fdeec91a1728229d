#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <sstream>

#include "gridcast/base/error.h"
#include "gridcast/nets/program_net.h"
#include "gridcast/retrace/generate.h"
#include "process.h"

using namespace gridcast::nets;
using gridcast::InputError;
using support::ScratchDirectory;

namespace {

/// A machine that fails and is repaired.
Net up_and_down(double failure, double repair) {
  Net net;
  net.name = "up and down";
  const std::size_t up = net.add_place("up", 1);
  const std::size_t down = net.add_place("down");
  const std::size_t fails = net.add_transition("fails", failure);
  const std::size_t repaired = net.add_transition("repaired", repair);
  net.transitions[fails].takes = {{up, 1}};
  net.transitions[fails].gives = {{down, 1}};
  net.transitions[repaired].takes = {{down, 1}};
  net.transitions[repaired].gives = {{up, 1}};
  return net;
}

/// One server, a queue for so many.
Net queue(double arrival, double service, int places) {
  Net net;
  net.name = "queue";
  const std::size_t waiting = net.add_place("waiting");
  const std::size_t free = net.add_place("free", places);
  const std::size_t arrives = net.add_transition("arrives", arrival);
  const std::size_t served = net.add_transition("served", service);
  net.transitions[arrives].takes = {{free, 1}};
  net.transitions[arrives].gives = {{waiting, 1}};
  net.transitions[served].takes = {{waiting, 1}};
  net.transitions[served].gives = {{free, 1}};
  return net;
}

const std::string program_text = R"(
overhead = 0
[[array]]
name = "A"
extents = [8, 8]
shadow = 1
distribute = ["block", "*"]
[[do]]
repeat = 10
  [[do.do]]
  exchange = ["A"]
  [[do.do]]
  loop = ["i = 0 : 7", "j = 0 : 7"]
  on = "A[i, j]"
  time = 1e-3
)";

gridcast::trace::Program small_trace() {
  std::ostringstream text;
  gridcast::trace::generate_trace(program_text, "program.toml", text);
  return gridcast::trace::parse_program(text.str(), "program.ptr");
}

/// Whether a checker of PNML takes the text: `command` with the name of a file behind it.
bool passes(const std::string& command, const std::string& pnml) {
  const ScratchDirectory scratch;
  return std::system(
             (command + " " + scratch.file("checked.pnml", pnml).string() + " >/dev/null 2>&1")
                 .c_str()) == 0;
}

/// The grammar and the rules of place/transition nets (ISO/IEC 15909-2, in our words).
const std::string grammar = "xmllint --noout --relaxng " + std::string(GRIDCAST_SOURCE_DIR) +
                            "/tests/data/analyse/ptnet.rng";
const std::string rules =
    "/usr/bin/python3 " + std::string(GRIDCAST_SOURCE_DIR) + "/tests/nets/check_pnml.py";

/// How many transitions take a token from a place, or give it one.
std::ptrdiff_t ends_at(const Net& net, std::vector<NetArc> NetTransition::*arcs,
                       std::size_t place) {
  return std::ranges::count_if(net.transitions, [&](const NetTransition& transition) {
    return std::ranges::count(transition.*arcs, NetArc{place, 1}) > 0;
  });
}

}  // namespace

TEST_CASE("a net of two states spends the time of the closed form in each") {
  const double failure = GENERATE(0.1, 2.0, 1e-6);
  const double repair = 0.7;
  const NetAnalysis analysis = analyse_net(up_and_down(failure, repair));
  REQUIRE(analysis.reachable.markings.size() == 2);
  CHECK(analysis.steady.probabilities[0] == Approx(repair / (failure + repair)).epsilon(1e-12));
  CHECK(analysis.steady.mean_tokens[1] == Approx(failure / (failure + repair)).epsilon(1e-12));
  CHECK(analysis.steady.throughput[0] ==
        Approx(failure * repair / (failure + repair)).epsilon(1e-12));
  CHECK(analysis.steady.mean_concurrency == Approx(1.0));
}

TEST_CASE("a queue of one server has the probabilities of M/M/1/K") {
  const auto [arrival, service, places] =
      GENERATE(table<double, double, int>({{0.5, 1.0, 5}, {3.0, 2.0, 20}, {1.0, 1.0, 7}}));
  const NetAnalysis analysis = analyse_net(queue(arrival, service, places));
  const double rho = arrival / service;
  double norm = 0.0;
  for (int n = 0; n <= places; ++n) {
    norm += std::pow(rho, n);
  }
  double mean = 0.0;
  REQUIRE(analysis.reachable.markings.size() == static_cast<std::size_t>(places) + 1);
  for (std::size_t i = 0; i < analysis.reachable.markings.size(); ++i) {
    const int n = analysis.reachable.markings[i][0];
    CHECK(analysis.steady.probabilities[i] == Approx(std::pow(rho, n) / norm).epsilon(1e-10));
    mean += n * std::pow(rho, n) / norm;
  }
  CHECK(analysis.steady.mean_tokens[0] == Approx(mean).epsilon(1e-10));
  CHECK(analysis.steady.throughput[1] ==
        Approx(arrival * (1.0 - std::pow(rho, places) / norm)).epsilon(1e-10));
  CHECK(analysis.steady.most_concurrency == 2);
}

TEST_CASE("weights of arcs count") {
  Net net = queue(1.0, 1.0, 6);
  net.transitions[0].takes[0].weight = 3;
  net.transitions[0].gives[0].weight = 3;
  CHECK(reachable_markings(net).markings.size() == 7);
}

TEST_CASE("nets without a steady state are refused") {
  Net dead = up_and_down(1.0, 1.0);
  dead.transitions.pop_back();
  CHECK(reachable_markings(dead).dead == 1);
  CHECK_THROWS_AS(analyse_net(dead), InputError);

  Net growing = up_and_down(1.0, 1.0);
  growing.transitions[1].gives.push_back({1, 2});
  CHECK_THROWS_AS(reachable_markings(growing, 1000), InputError);

  // Two ways that never meet again.
  Net fork;
  const std::size_t begin = fork.add_place("begin", 1);
  for (int way = 0; way < 2; ++way) {
    const std::size_t there = fork.add_place("there");
    const std::size_t go = fork.add_transition("go", 1.0);
    fork.transitions[go].takes = {{begin, 1}};
    fork.transitions[go].gives = {{there, 1}};
    const std::size_t stay = fork.add_transition("stay", 1.0);
    fork.transitions[stay].takes = {{there, 1}};
    fork.transitions[stay].gives = {{there, 1}};
  }
  CHECK_THROWS_AS(analyse_net(fork), InputError);
}

TEST_CASE("a program becomes a net in which every communication has one source and one sink") {
  const Net net = program_net(small_trace(), 3);
  std::size_t communications = 0;
  for (std::size_t p = 0; p < net.places.size(); ++p) {
    const bool message = net.places[p].name.find("under way") != std::string::npos ||
                         net.places[p].name.find("arrived") != std::string::npos;
    if (!message) {
      continue;
    }
    ++communications;
    CHECK(ends_at(net, &NetTransition::gives, p) == 1);
    CHECK(ends_at(net, &NetTransition::takes, p) == 1);
  }
  CHECK(communications == 1 + 3);
  // Start, loop and wait: ten repetitions are drawn once.
  CHECK(net.places.size() == 3 * 3 + 4);
  CHECK(net.transitions.size() == 1 + 1 + 2 * 3);
  const NetAnalysis analysis = analyse_net(net);
  CHECK(analysis.reachable.dead == 0);
  CHECK(analysis.steady.most_concurrency == 3);
  const double sum = std::accumulate(analysis.steady.probabilities.begin(),
                                     analysis.steady.probabilities.end(), 0.0);
  CHECK(sum == Approx(1.0));
  // Every process is somewhere, all the time.
  double tokens = 0.0;
  for (std::size_t p = 0; p < 9; ++p) {
    tokens += analysis.steady.mean_tokens[p];
  }
  CHECK(tokens == Approx(3.0));
  // What goes round passes every transition equally often.
  for (const double throughput : analysis.steady.throughput) {
    CHECK(throughput == Approx(analysis.steady.throughput.front()));
  }
}

TEST_CASE("PNML is valid for the schema of place/transition nets and reads back") {
  const Net net = GENERATE(queue(0.3, 0.7, 4), program_net(small_trace(), 2));
  std::ostringstream text;
  write_pnml(text, net);
  const ScratchDirectory scratch;
  Net again = read_pnml(scratch.file("net.pnml", text.str()));
  again.name = net.name;
  CHECK(again == net);
  CHECK(passes(grammar, text.str()));
  CHECK(passes(rules, text.str()));
}

TEST_CASE("names of PNML are valid text once they are read") {
  const ScratchDirectory scratch;
  const Net net =
      read_pnml(scratch.file("net.pnml",
                             "<pnml><net><place id=\"a\"><name><text>up\xF9</text></name>"
                             "</place></net></pnml>"));
  CHECK(net.places.front().name == "up\xEF\xBF\xBD");
}

TEST_CASE("the checks of PNML see what is wrong") {
  std::ostringstream text;
  write_pnml(text, queue(0.3, 0.7, 4));
  const auto damaged = [&](const std::string& right, const std::string& wrong) {
    std::string result = text.str();
    const std::size_t place = result.find(right);
    REQUIRE(place != std::string::npos);
    return result.replace(place, right.size(), wrong);
  };
  CHECK_FALSE(passes(grammar, damaged("source=", "sourse=")));
  CHECK_FALSE(passes(grammar, damaged("<arc id=", "<arc ident=")));
  CHECK_FALSE(passes(grammar, damaged("2009/grammar/ptnet", "2009/grammar/net")));
  CHECK_FALSE(passes(grammar, damaged("<text>4</text>", "<text>-4</text>")));
  CHECK_FALSE(passes(grammar, damaged("<page ", "<place ")));
  CHECK_FALSE(passes(rules, damaged("<place id=\"p2\"", "<place id=\"p1\"")));
  CHECK_FALSE(passes(rules, damaged("target=\"t1\"", "target=\"p1\"")));
  CHECK_FALSE(passes(rules, damaged("target=\"t1\"", "target=\"t9\"")));
  CHECK_FALSE(passes(rules, damaged("2009/grammar/ptnet", "2009/grammar/net")));
  CHECK_FALSE(passes(rules, damaged("<text>4</text>", "<text>four</text>")));
}

TEST_CASE("what is wrong with PNML is said") {
  const auto refused = [](const std::string& text) {
    const ScratchDirectory scratch;
    try {
      static_cast<void>(read_pnml(scratch.file("bad.pnml", text)));
    } catch (const InputError&) {
      return true;
    }
    return false;
  };
  CHECK(refused("<pnml><net>"));
  CHECK(refused("<other/>"));
  CHECK(refused("<pnml><net><place id=\"a\"/><place id=\"a\"/></net></pnml>"));
  CHECK(
      refused("<pnml><net><place id=\"a\"/><place id=\"b\"/>"
              "<arc id=\"x\" source=\"a\" target=\"b\"/></net></pnml>"));
  CHECK(refused(
      "<pnml><net><place id=\"a\"/><arc id=\"x\" source=\"a\" target=\"c\"/></net></pnml>"));
  CHECK_FALSE(
      refused("<pnml><net><page><place id=\"a\"/><transition id=\"t\"/>"
              "<arc id=\"x\" source=\"a\" target=\"t\"/></page></net></pnml>"));
  // A billion is the most: of tokens, and of what all arcs between two nodes weigh.
  const auto heavy = [&](const std::string& tokens, const std::string& weight) {
    const std::string arc = "source=\"a\" target=\"t\"><inscription><text>";
    return refused("<pnml><net><place id=\"a\"><initialMarking><text>" + tokens +
                   "</text></initialMarking></place><transition id=\"t\"/><arc id=\"x\" " + arc +
                   weight + "</text></inscription></arc><arc id=\"y\" " + arc +
                   "1</text></inscription></arc></net></pnml>");
  };
  CHECK_FALSE(heavy("1000000000", "999999999"));
  CHECK(heavy("1000000001", "1"));
  CHECK(heavy("1", "1000000000"));
  CHECK(heavy("1", "2147483648"));
}

TEST_CASE("several arcs between two nodes are one") {
  const ScratchDirectory scratch;
  const Net net = read_pnml(
      scratch.file("twice.pnml",
                   "<pnml><net><place id=\"a\"><initialMarking><text>5</text></initialMarking>"
                   "</place><transition id=\"t\"/><arc id=\"x\" source=\"a\" target=\"t\"/>"
                   "<arc id=\"y\" source=\"a\" target=\"t\"><inscription><text>2</text>"
                   "</inscription></arc></net></pnml>"));
  CHECK(net.transitions.at(0).takes == std::vector<NetArc>{{0, 3}});
  // 5, then 2 tokens: less than 3.
  CHECK(reachable_markings(net, 10).markings == std::vector<Marking>{{5}, {2}});
}
