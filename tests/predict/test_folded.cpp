// Rows of processors that repeat are left out (docs/model.md §2 speaks of every processor): the
// same figures as with all of them, in exchanges, reductions and broadcasts over trees of networks
// and many channels, and where processors wait for one while the networks carry another.

#include <sstream>

#include "described.h"
#include "fixture.h"
#include "gridcast/compile/compile.h"
#include "same_figures.h"

namespace gridcast::model::test {
namespace {

/// Exchanges, a reduction and output in each iteration; `extents` such as "n", "n".
Compiled folded_program(int rank, int n, double point, double print) {
  const std::string text = [&] {
    std::ostringstream out;
    std::string extents, blocks, loop, indices;
    for (int dim = 0; dim < rank; ++dim) {
      const std::string comma = dim == 0 ? "" : ", ";
      const std::string index(1, static_cast<char>('i' + dim));
      extents += comma + "\"n\"";
      blocks += comma + "\"block\"";
      indices += comma + index;
      loop += comma + "\"" + index + " = 1 : n-2\"";
    }
    out << "[parameters]\nn = " << n << "\niterations = 3\npoint = " << point << "\n"
        << "[[array]]\nname = \"A\"\nextents = [" << extents << "]\nshadow = 1\ndistribute = ["
        << blocks << "]\n"
        << "[[do]]\nrepeat = \"iterations\"\ninterval = \"sequential\"\n"
        << "[[do.do]]\nloop = [" << loop << "]\non = \"A[" << indices << "]\"\ntime = \"point\"\n"
        << "reduce = [{ operation = \"max\" }]\n"
        << "[[do.do]]\nexchange = [\"A\"]\n"
        << "[[do.do]]\nloop = [" << loop << "]\non = \"A[" << indices << "]\"\ntime = \"point\"\n"
        << "[[do.do]]\nio = \"print\"\ntime = " << print << "\n";
    return out.str();
  }();
  return compile(described(text));
}

const std::vector<std::string> folded_machines{
    // Two processors to a node, 64, and one that divides no row.
    "c = {8192 x n}; n = {2 x p}; c.CommType = myrinet (1); n.CommType = myrinet (1);",
    "c = {200 x n}; n = {64 x p}; c.CommType = myrinet (64); n.CommType = myrinet (16);",
    "c = {1000 x n}; n = {7 x p}; c.CommType = myrinet (3); n.CommType = ethernet;",
    // Three levels, the middle one with one channel; a level that is one processor.
    "c = {64 x n}; n = {16 x m}; m = {6 x p}; c.CommType = myrinet (5); n.CommType = ethernet;"
    "m.CommType = myrinet (2); m.TStart = 0.25; m.TByte = 0.0005;",
    "c = {3000 x n}; n = {1 x m}; m = {4 x p}; c.CommType = myrinet (9);"
    "n.CommType = ethernet; m.CommType = ethernet; m.TStart = 1; m.TByte = 0.001;",
    // The lower networks are the slow ones; more channels than messages.
    "c = {500 x n}; n = {12 x p}; c.CommType = myrinet (40000); n.CommType = myrinet (2);"
    "n.TStart = 900; n.TByte = 1;",
    // The first nodes alone are alike.
    "c = {800 x n, 3 x m}; n = {8 x p}; m = {5 x p}; c.CommType = myrinet (4);"
    "n.CommType = myrinet (2); m.CommType = ethernet;",
    // One level.
    "c = {20000 x p}; c.CommType = myrinet (8);", "c = {20000 x p}; c.CommType = myrinet (64);"};

// Nodes of several sizes, that divide rows or not; processors that pay, pack and are slowed down
// by their neighbours' messages, or by nothing.
const std::vector<std::string> port_trees{
    "c = {512 x n}; n = {2 x m}; m = {4 x p}; c.TStart = 0.6; c.TByte = 0.04; c.TSend = 0.25;"
    "c.TRecv = 0.2; c.TGap = 0.005; c.TCopy = 0.0003; n.TStart = 0.2; n.TByte = 0.025;"
    "n.TSend = 0.15; n.TRecv = 0.15; m.TStart = 0.1; m.TByte = 0.1; m.TSend = 0.1; m.TRecv = "
    "0.1;",
    "c = {600 x n}; n = {7 x m}; m = {1 x p}; c.TStart = 1; c.TByte = 0.001; c.TSend = 3;"
    "n.TStart = 0.5; n.TByte = 0.0005; n.TRecv = 2; m.TStart = 0;",
    "c = {60 x n}; n = {16 x m}; m = {4 x p}; c.TStart = 4; c.TByte = 0.015625;"
    "n.TStart = 8; n.TByte = 0.25; m.TStart = 1; m.TByte = 0.5;",
    "c = {3000 x n}; n = {3 x p}; c.TStart = 2; c.TByte = 0.002; c.TGap = 9; c.TRecv = 1;"
    "c.TCopy = 0.002; c.TCollective = 15; n.TStart = 0; n.TByte = 0;"};

/// Says that all its networks have ports.
std::string types_of_ports(const std::string& machine) {
  std::string types;
  for (const std::string name : {"c", "n", "m"}) {
    if (machine.find(name + " = {") != std::string::npos) {
      types += name + ".CommType = ports; ";
    }
  }
  return types;
}

machine::Cluster folded_machine(const std::string& text, const std::string& costs) {
  return machine::Cluster::parse("cluster = c; p = 1; " + text + costs, "folded.par");
}

/// What the networks below the top one cost, where the machine does not say: start and byte time.
std::string lower_costs(const std::string& machine, const std::string& start = "1",
                        const std::string& byte = "0.001") {
  std::string costs;
  for (const std::string name : {"n", "m"}) {
    if (machine.find(name + ".CommType") != std::string::npos &&
        machine.find(name + ".TStart") == std::string::npos) {
      costs += name + ".TStart = " + start + "; " + name + ".TByte = " + byte + "; ";
    }
  }
  return costs;
}

void compare_on(const Compiled& program, const machine::Cluster& cluster,
                const std::vector<std::string>& grids) {
  for (const std::string& on : grids) {
    require_engines_agree(program.script, cluster, grid(on));
  }
}

/// On each of the trees of networks with channels.
void compare_on_channels(const Compiled& program, const std::vector<std::string>& grids) {
  for (const std::string& machine : folded_machines) {
    const std::string costs = "c.TStart = 7; c.TByte = 0.004;" + lower_costs(machine);
    compare_on(program, folded_machine(machine, costs), grids);
  }
}

/// On each of the trees of ports.
void compare_on_ports(const Compiled& program, const std::vector<std::string>& grids) {
  for (const std::string& machine : port_trees) {
    compare_on(program, folded_machine(machine, types_of_ports(machine)), grids);
  }
}

}  // namespace

TEST_CASE("rows that repeat: trees of networks, waits for broadcasts") {
  // Computing between the exchange and the output takes no time, as much as some messages, and
  // longer than all of them.
  struct Case {
    int rank, n;
    double point, print;
    std::vector<std::string> grids;
  };
  const std::vector<Case> cases{
      {2, 300, 1e-9, 20e-6, {"40x40", "7x300", "300x7", "61x64", "1x1500", "1500x1"}},
      {2, 130, 2e-6, 0.0, {"64x32", "90x33", "2x700", "700x2"}},
      {2, 4000, 1e-6, 5e-3, {"48x48", "100x21"}},
      {1, 5000, 1e-7, 1e-5, {"2000", "1999"}},
      {3, 60, 1e-8, 1e-4, {"12x12x12", "30x1x40", "1x40x30", "40x6x5"}}};
  // Ties, empty messages and nothing but starts.
  const std::vector<std::string> costs{
      "c.TStart = 7; c.TByte = 0.004;", "c.TStart = 8; c.TByte = 0.015625;",
      "c.TStart = 0; c.TByte = 0.25;", "c.TStart = 16; c.TByte = 0;"};
  std::size_t turn = 0;
  for (const Case& each : cases) {
    const Compiled program = folded_program(each.rank, each.n, each.point, each.print);
    for (const std::string& machine : folded_machines) {
      for (const std::string& on : each.grids) {
        const std::string lower =
            turn % 3 == 0 ? lower_costs(machine) : lower_costs(machine, "4", "0");
        require_engines_agree(
            program.script, folded_machine(machine, costs[turn % costs.size()] + lower), grid(on));
        ++turn;
      }
    }
  }
}

TEST_CASE("reductions among the messages of an exchange, as before and otherwise") {
  // The edges of each block are computed first; the reduction at the end of the loop begins while
  // they are still being sent, so its messages look for gaps. Every other pass does what the one
  // before it did, k makes the rest differ.
  const auto pass = [](const std::string& time) {
    const std::string loop =
        "[[do.do]]\nloop = [\"i = 1 : n-2\", \"j = 1 : n-2\", \"l = 1 : n-2\"]\n"
        "on = \"A[i, j, l]\"\nportions = 2\ntime = \"" +
        time + "\"\n";
    return loop +
           "export_first = [\"A\"]\nstart = \"faces\"\nreduce = [{ operation = \"max\" }]\n" +
           loop + "import_last = \"faces\"\n";
  };
  const std::string text =
      "[parameters]\nn = 40\npoint = 2e-9\n[[array]]\nname = \"A\"\n"
      "extents = [\"n\", \"n\", \"n\"]\ndistribute = [\"block\", \"block\", \"block\"]\n"
      "shadow = 1\n[[do]]\nrepeat = \"k = 1 : 4\"\n" +
      pass("point") + pass("point") + pass("k * point") + pass("point");
  const Compiled program = compile(described(text));
  compare_on_channels(program, {"4x3x5", "8x8x4", "1x9x7"});
}

TEST_CASE("an exchange still under way when other classes of processors matter") {
  // The edges of A and B are cut off where blocks end; the loop that shrinks is cut elsewhere, and
  // its row waits for the channel that those edges have taken.
  const std::string text =
      "[[template]]\nname = \"T\"\nextents = [\"39\"]\ndistribute = [\"block\"]\n"
      "[[array]]\nname = \"A\"\nextents = [\"39\"]\nshadow = 2\nindex = [\"i\"]\nalign = \"T[i]\"\n"
      "[[array]]\nname = \"B\"\nextents = [\"39\"]\nshadow = 1\nindex = [\"i\"]\nalign = \"T[i]\"\n"
      "[[do]]\nexchange = [\"A\", \"B\"]\nstart = \"edges\"\n"
      "[[do]]\nloop = [\"i = 1 : 37\"]\non = \"A[i]\"\ntime = 3e-6\nremote = [\"B[22]\"]\n"
      "[[do]]\nrepeat = \"k = 0 : 18\"\n"
      "[[do.do]]\nloop = [\"i = k+1 : 38\"]\non = \"B[i]\"\ntime = 2e-6\nremote = [\"A[k]\"]\n";
  const Compiled program = compile(described(text));
  const std::string costs = "c.TStart = 37; c.TByte = 0.9; n.TStart = 4; n.TByte = 0.2;";
  for (const std::string machine :
       {"c = {34 x n}; n = {2 x p}; c.CommType = myrinet (1); n.CommType = ethernet;",
        "c = {34 x n}; n = {3 x p}; c.CommType = myrinet (2); n.CommType = myrinet (2);"}) {
    compare_on(program, folded_machine(machine, costs), {"34", "20", "39", "7"});
  }
}

TEST_CASE("a row from one processor to those behind it, over trees of networks") {
  // Who holds row k is first, in the middle or last of those that get it, or none of them.
  const std::string text =
      "[parameters]\nn = 900\n[[array]]\nname = \"A\"\nextents = [\"n\", \"n\"]\n"
      "distribute = [\"block\", \"*\"]\n"
      "[[do]]\nrepeat = \"k = 0 : n-2 : 71\"\n"
      "[[do.do]]\nloop = [\"i = k+1 : n-1\"]\non = \"A[i, *]\"\ntime = 2e-6\nremote = [\"A[k, "
      "*]\"]\n"
      "[[do.do]]\nloop = [\"i = 0 : n-1\"]\non = \"A[i, *]\"\ntime = 1e-6\nremote = [\"A[k, *]\"]\n"
      "[[do.do]]\nloop = [\"i = 0 : k\"]\non = \"A[i, *]\"\ntime = 1e-6\n"
      "remote = [\"A[n-1, *]\"]\nreduce = [{ operation = \"max\" }]\n";
  const Compiled program = compile(described(text));
  const std::vector<std::string> grids{"900", "450", "311", "90", "13"};
  compare_on_channels(program, grids);
  compare_on_ports(program, grids);
}

TEST_CASE("an element from one processor to those behind it, over trees of networks") {
  // Networks begin and end within rows and planes of the processors that get it.
  const std::string text =
      "[parameters]\nn = 60\n[[array]]\nname = \"A\"\nextents = [\"n\", \"n\", \"n\"]\n"
      "distribute = [\"block\", \"block\", \"block\"]\n"
      "[[do]]\nrepeat = \"k = 0 : n-2 : 9\"\n"
      "[[do.do]]\nloop = [\"i = k+1 : n-1\", \"j = k : n-1\", \"l = 0 : n-1\"]\n"
      "on = \"A[i, j, l]\"\ntime = 2e-8\nremote = [\"A[k, k, k]\"]\n"
      "[[do.do]]\nloop = [\"i = 0 : k\", \"j = 0 : k\", \"l = 0 : k\"]\n"
      "on = \"A[i, j, l]\"\ntime = 1e-8\nremote = [\"A[n-1-k, 0, k]\"]\n";
  const Compiled program = compile(described(text));
  const std::vector<std::string> grids{"20x19x1", "1x30x31", "7x8x9", "60x1x1", "3x60x2", "2x2x60"};
  compare_on_channels(program, grids);
  compare_on_ports(program, grids);
}

TEST_CASE("when an element arrives over a tree of networks") {
  // Element 0 for all, by buses in nodes of 4 and 3 channels between them; then with ports.
  const std::string text =
      "[[array]]\nname = \"A\"\nextents = [\"22\"]\nelement = 8\ndistribute = [\"block\"]\n"
      "[[do]]\nloop = [\"i = 0 : 21\"]\non = \"A[i]\"\ntime = 0\nremote = [\"A[0]\"]\n";
  const Compiled program = compile(described(text));
  const auto sum_of_ends = [&](const std::string& machine) {
    const machine::Cluster cluster = folded_machine(machine, "");
    Predictor fast(program.script, cluster);
    const std::span<const Characteristics> results = fast.evaluate(grid("22"));
    CHECK(fast.fallback().empty());
    const OperationTimes& times =
        results.front().operations[static_cast<std::size_t>(Operation::remote_access)];
    return (times.communication + times.overlap) * 1e6;
  };
  // 3 in the node at 2, 4, 6; 18 others, three at a time, at 5, 10, … 30, so the owner at 30.
  CHECK(sum_of_ends("c = {6 x n}; n = {4 x p}; c.CommType = myrinet (3); n.CommType = ethernet;"
                    "c.TStart = 1; c.TByte = 0.5; n.TStart = 0; n.TByte = 0.25;") ==
        Approx(12.0 + 3.0 * 5.0 * 21.0 + 30.0));
  // The k-th message is prepared at 2k. In the node three of 1 share the port from 2 on: out at 5,
  // but the last at 6 + 1, there 3 later. Between nodes 18 of 4 share it from 8 on: out at
  // 8 + 72, there 5 later.
  CHECK(sum_of_ends("c = {6 x n}; n = {4 x p}; c.CommType = ports; n.CommType = ports;"
                    "c.TStart = 5; c.TByte = 0.5; c.TSend = 2; n.TStart = 3; n.TByte = 0.125;"
                    "n.TSend = 2;") == Approx((8.0 + 8.0 + 10.0) + 18.0 * 85.0 + 80.0));
}

TEST_CASE("nodes that repeat: trees of networks of ports") {
  const std::vector<std::pair<Compiled, std::vector<std::string>>> programs = [] {
    std::vector<std::pair<Compiled, std::vector<std::string>>> result;
    result.emplace_back(folded_program(2, 300, 1e-9, 20e-6),
                        std::vector<std::string>{"40x40", "7x300", "300x7", "61x33", "1x900"});
    result.emplace_back(folded_program(2, 4000, 1e-6, 0.0), std::vector<std::string>{"48x48"});
    result.emplace_back(folded_program(1, 5000, 1e-7, 1e-5), std::vector<std::string>{"2000"});
    result.emplace_back(folded_program(3, 60, 1e-8, 1e-4),
                        std::vector<std::string>{"12x12x12", "30x1x40", "40x6x5"});
    return result;
  }();
  for (const auto& [program, grids] : programs) {
    compare_on_ports(program, grids);
  }
}

TEST_CASE("more communications than are kept at a time") {
  // Every step of the elimination sends another row to all: by processor, a few are kept.
  const std::string text =
      "[parameters]\nn = 40\n[[array]]\nname = \"A\"\nextents = [\"n\", \"n\"]\n"
      "distribute = [\"block\", \"block\"]\nshadow = 1\n"
      "[[do]]\nrepeat = 30\n[[do.do]]\nloop = [\"i = 0 : n-1\", \"j = 0 : n-1\"]\n"
      "on = \"A[i, j]\"\ntime = 1e-6\nreduce = [{ operation = \"max\" }]\n"
      "[[do.do]]\nexchange = [\"A\"]\n";
  const Compiled program = compile(described(text));
  require_engines_agree(program.script,
                        folded_machine("c = {1100000 x p}; c.CommType = myrinet (8);",
                                       "c.TStart = 7; c.TByte = 0.004;"),
                        grid("1000x1050"));
}

}  // namespace gridcast::model::test
