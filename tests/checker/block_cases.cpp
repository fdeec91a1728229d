#include "block_cases.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sstream>
#include <utility>
#include <vector>

#include "gridcast/compile/compile.h"
#include "gridcast/predict/predictor.h"
#include "gridcast/retrace/generate.h"
#include "naive/free_blocks.h"
#include "random.h"
#include "random_machine.h"

namespace gridcast::checker {
namespace {

/// Of a clock.
constexpr double clock_tolerance = 1e-9;

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

std::string listed(const std::vector<int>& values) {
  std::string text;
  for (const int value : values) {
    text += (text.empty() ? "" : ", ") + std::to_string(value);
  }
  return "[" + text + "]";
}

/// The same statements as text and for the naive model.
class BlockProgram {
public:
  BlockProgram(Random& random, const std::vector<int>& grid) : random_(random), grid_(grid) {
    domain.extents = {random.between(1, 40), random.between(1, 40)};
    domain.rule = random.one_of<std::string>({"ceil", "balanced", "first", "last"});
    domain.periodic = {random.once_in(3), random.once_in(3)};
    text = "[[domain]]\nname = \"D\"\nextents = [" + std::to_string(domain.extents[0]) + ", " +
           std::to_string(domain.extents[1]) + "]\nrule = \"" + domain.rule + "\"\nperiodic = [" +
           (domain.periodic[0] ? "true, " : "false, ") +
           (domain.periodic[1] ? "true]\n" : "false]\n");
    const long all = random.between(1, 7);
    for (long i = 0; i < all; ++i) {
      if (random.once_in(5)) {
        repeated();
      } else {
        statement(statements, "[[do]]\n");
      }
    }
    for (const std::string& label : std::vector(running_)) {
      finish(statements, "[[do]]\n", label);
    }
  }

  naive::BlockDomain domain;
  std::vector<naive::BlockStatement> statements;
  std::string text;

private:
  using Statements = std::vector<naive::BlockStatement>;

  naive::BlockSum sum(double scale, bool partner = false) {
    naive::BlockSum made{};
    made[0] = random_.once_in(2) ? scale * static_cast<double>(random_.up_to(40)) : 0.0;
    for (std::size_t i = 1; i < 3; ++i) {
      made[i] = random_.once_in(2) ? scale * static_cast<double>(random_.up_to(20)) : 0.0;
    }
    made[3] = partner && random_.once_in(2) ? scale * static_cast<double>(random_.up_to(9)) : 0.0;
    return made;
  }

  static std::string words(const naive::BlockSum& sum) {
    std::string made = number(sum[0]);
    made += sum[1] > 0.0 ? " + " + number(sum[1]) + "*b1" : "";
    made += sum[2] > 0.0 ? " + b2*" + number(sum[2]) : "";
    made += sum[3] > 0.0 ? " + " + number(sum[3]) + "*t1" : "";
    return "\"" + made + "\"";
  }

  std::array<int, 2> offset() {
    std::array<int, 2> made{};
    while (made[0] == 0 && made[1] == 0) {
      made = {static_cast<int>(random_.between(-1, 1)), static_cast<int>(random_.between(-1, 1))};
    }
    return made;
  }

  std::vector<naive::BlockMessage> messages() {
    std::vector<naive::BlockMessage> made;
    for (long i = random_.between(1, 4); i > 0; --i) {
      made.push_back({offset(), sum(16.0), random_.once_in(4) ? 2 : 1});
    }
    return made;
  }

  static std::string entries(const std::vector<naive::BlockMessage>& messages, bool receives) {
    std::string made;
    for (const naive::BlockMessage& one : messages) {
      made += (made.empty() ? "[{ " : ", { ") + std::string(receives ? "from" : "to") + " = " +
              listed({one.offset[0], one.offset[1]}) +
              (receives ? "" : ", bytes = " + words(one.bytes)) +
              (one.count != 1 ? ", count = " + std::to_string(one.count) : "") + " }";
    }
    return made + "]\n";
  }

  void repeated() {
    Statements once;
    text += "[[do]]\nrepeat = \"ceil(log2(p1)) + 1\"\n";
    for (long i = random_.between(1, 3); i > 0; --i) {
      statement(once, "[[do.do]]\n");
    }
    for (const std::string& label : std::vector(running_)) {
      finish(once, "[[do.do]]\n", label);
    }
    long times = 1;
    for (long p = 1; p < grid_[0]; p *= 2) {
      ++times;
    }
    for (long i = 0; i < times; ++i) {
      statements.insert(statements.end(), once.begin(), once.end());
    }
  }

  void finish(Statements& to, const std::string& head, const std::string& label) {
    text += head + "wait = \"" + label + "\"\n";
    to.push_back({"wait", {}, {}, label, {}, {}, {}});
    std::erase(running_, label);
  }

  void statement(Statements& to, const std::string& head) {
    const long kind = random_.up_to(9);
    if (kind < 2) {
      to.push_back({"compute", sum(1e-6), {}, {}, {}, {}, {}});
      text += head + "over = \"D\"\ncompute = " + words(to.back().value) + "\n";
    } else if (kind < 4) {
      const bool turns = random_.once_in(2);
      to.push_back({turns ? "turns" : "phase", {}, messages(), {}, {}, {}, {}});
      text += head + "over = \"D\"\nsend = " + entries(to.back().messages, false) +
              (turns ? "blocking = true\n" : "");
    } else if (kind == 4) {
      const std::string label = "s" + std::to_string(labels_++);
      to.push_back({"start", {}, messages(), label, {}, {}, {}});
      text += head + "over = \"D\"\nstart = \"" + label +
              "\"\nsend = " + entries(to.back().messages, false);
      running_.push_back(label);
    } else if (kind == 5 && !running_.empty()) {
      finish(to, head, running_.front());
    } else if (kind < 7) {
      wave(to, head);
    } else {
      collective(to, head);
    }
  }

  /// Receives and sends that match, of a wavefront that no circle can stop.
  void wave(Statements& to, const std::string& head) {
    std::vector<naive::BlockMessage> sends;
    std::vector<naive::BlockMessage> receives;
    for (long i = random_.between(1, 2); i > 0; --i) {
      naive::BlockMessage one{{}, sum(16.0), random_.once_in(4) ? 2 : 1};
      const bool along = random_.once_in(2);
      one.offset = {along ? 1 : 0, along ? 0 : 1};
      sends.push_back(one);
      one.offset = {-one.offset[0], -one.offset[1]};
      receives.push_back(one);
    }
    const std::string tag = random_.once_in(2) ? "t" : "";
    const std::string tagged = tag.empty() ? "" : "tag = \"t\"\n";
    const bool ring = domain.periodic[0] || domain.periodic[1];
    const auto receive = [&] {
      to.push_back({"receive", {}, receives, tag, {}, {}, {}});
      text += head + "over = \"D\"\n" + tagged + "receive = " + entries(receives, true);
    };
    if (!ring) {
      receive();
      to.push_back({"compute", sum(1e-6), {}, {}, {}, {}, {}});
      text += head + "over = \"D\"\ncompute = " + words(to.back().value) + "\n";
    }
    if (ring) {  // only what needs no partner to go on
      for (std::size_t i = 0; i < sends.size(); ++i) {
        sends[i].bytes = receives[i].bytes = {8.0, 0.0, 0.0, 0.0};
      }
    }
    to.push_back({"send", {}, sends, tag, {}, {}, {}});
    text += head + "over = \"D\"\nonly = true\n" + tagged + "send = " + entries(sends, false);
    if (ring) {
      receive();
    }
  }

  void collective(Statements& to, const std::string& head) {
    struct Known {
      std::string kind;
      std::vector<std::string> how;
      bool rooted;
    };
    static const std::vector<Known> all{
        {"allreduce", {"", "doubling", "tree", "linear", "rabenseifner", "ring"}, false},
        {"broadcast", {"", "binomial", "scatter-ring"}, true},
        {"reduce", {"", "tree", "linear"}, true},
        {"barrier", {""}, false},
        {"gather", {""}, true},
        {"scatter", {""}, true},
        {"allgather", {"", "doubling", "ring"}, false},
        {"alltoall", {"", "linear", "pairwise"}, false},
        {"alltoallv", {"", "linear", "pairwise"}, false},
        {"scan", {""}, false}};
    const Known& one = random_.one_of(all);
    naive::BlockStatement made;
    made.kind = one.kind;
    made.algorithm = random_.one_of(one.how);
    made.across = random_.one_of<std::vector<int>>({{}, {1}, {2}, {1, 2}});
    made.value = sum(64.0, one.kind == "alltoallv");
    if (one.kind == "allreduce" || one.kind == "broadcast" || one.kind == "reduce" ||
        one.kind == "scan") {  // the same on all
      made.value = {
          8.0 * static_cast<double>(random_.between(1, random_.once_in(3) ? 100000 : 100)), 0.0,
          0.0, 0.0};
    }
    if (made.value == naive::BlockSum{}) {
      made.value[0] = 8.0;
    }
    text += head + "over = \"D\"\ncollective = \"" + made.kind + "\"\n";
    text += made.algorithm.empty() ? "" : "algorithm = \"" + made.algorithm + "\"\n";
    text += made.across.empty() ? "" : "across = " + listed(made.across) + "\n";
    text += made.kind == "barrier" ? "" : "bytes = " + words(made.value) + "\n";
    if (one.rooted && random_.once_in(2)) {
      made.root = {static_cast<int>(random_.up_to(grid_[0] - 1)),
                   static_cast<int>(random_.up_to(grid_[1] - 1))};
      text += "root = " +
              (made.across.size() == 1 ? listed({made.root[made.across[0] == 1 ? 0 : 1]})
                                       : listed(made.root)) +
              "\n";
    }
    to.push_back(made);
  }

  Random& random_;
  std::vector<int> grid_;
  int labels_ = 0;
  std::vector<std::string> running_;
};

/// When all processes are through if they compute and send so many times as much.
std::vector<double> naive_clocks(const BlockProgram& program, const std::string& machine,
                                 const std::vector<int>& grid, double factor) {
  naive::Machine processors = naive::read_machine(machine, grid);
  naive::BlockRun run(processors, program.domain);
  for (naive::BlockStatement statement : program.statements) {
    std::ranges::for_each(statement.value, [&](double& part) { part *= factor; });
    for (naive::BlockMessage& message : statement.messages) {
      std::ranges::for_each(message.bytes, [&](double& part) { part *= factor; });
    }
    run(statement);
  }
  return run.clocks();
}

/// Messages that share ports one after the other move the ends of each other by several times what
/// their own beginnings move by.
bool is_chaotic(const BlockProgram& program, const std::string& machine,
                const std::vector<int>& grid, const std::vector<double>& clocks,
                const model::IntervalResult& predicted) {
  double differs = 0.0;
  double moves = 0.0;
  for (std::size_t p = 0; p < clocks.size(); ++p) {
    differs = std::max(differs, std::abs(predicted.per_processor[p].execution_time - clocks[p]));
  }
  for (const double factor : {1.0 + 1e-13, 1.0 + 3e-13}) {
    const std::vector<double> moved = naive_clocks(program, machine, grid, factor);
    for (std::size_t p = 0; p < clocks.size(); ++p) {
      moves = std::max(moves, std::abs(moved[p] - clocks[p]));
    }
  }
  return differs < moves;
}

}  // namespace

std::optional<BlockDifference> block_difference(std::uint64_t seed) {
  Random random(seed + 77);
  const std::vector<int> grid{static_cast<int>(random.between(1, 6)),
                              static_cast<int>(random.between(1, 5))};
  std::string machine = random.once_in(2) ? random_port_tree(random, grid[0] * grid[1])
                                          : random_ports(random, grid[0] * grid[1]);
  machine += random_allreduce(seed);
  for (const std::string name : {"c", "m", "n"}) {
    if (machine.find(name + ".CommType") != std::string::npos) {
      machine += name + ".EagerLimit = " +
                 random.one_of<std::string>({"9", "64", "1000", "100000", "1e9"}) + ";\n";
    }
  }
  const BlockProgram program(random, grid);
  std::ostringstream calls;
  trace::GenerateResult generated = trace::generate_calls(program.text, "random.toml", calls);
  trace::Program read = trace::parse_program(calls.view(), "random.toml");
  read.blocks = std::move(generated.blocks);
  const model::Compiled compiled = model::compile(read);
  model::ModelOptions options;
  options.processes = model::ProcessKind::free;
  options.reduction = model::ReductionKind::automatic;
  options.iterations = 0;
  const machine::Cluster cluster = machine::Cluster::parse(machine, "random.par");
  const std::vector<std::int64_t> extents(grid.begin(), grid.end());
  model::Predictor predictor(compiled.script, cluster, options);
  const model::Prediction prediction = predictor.predict(machine::Grid(extents), true);

  const std::vector<double> clocks = naive_clocks(program, machine, grid, 1.0);
  std::string differences;
  const model::IntervalResult& whole = prediction.intervals.front();
  for (std::size_t p = 0; p < clocks.size(); ++p) {
    const double predicted = whole.per_processor[p].execution_time;
    if (!(std::abs(predicted - clocks[p]) <= clock_tolerance * clocks[p] + 1e-15)) {
      differences += "process " + std::to_string(p) + ": predicted " + number(predicted) +
                     ", naive " + number(clocks[p]) + "\n";
    }
  }
  bool chaotic = !differences.empty() && is_chaotic(program, machine, grid, clocks, whole);
  const double lost = whole.sums.productive_time + whole.sums.lost_time;
  if (!(std::abs(whole.sums.total_time - lost) <= clock_tolerance * whole.sums.total_time)) {
    differences += "the identity does not hold\n";
    chaotic = false;
  }
  if (differences.empty()) {
    return std::nullopt;
  }
  return BlockDifference{"seed " + std::to_string(seed) + ", grid " + listed(grid) + "\n" +
                             differences + program.text + machine,
                         chaotic};
}

}  // namespace gridcast::checker
