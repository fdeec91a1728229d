// Options of the model: the defaults of traces and descriptions (docs/programs.md, "What is
// assumed"), written and read.

#include <catch2/catch.hpp>

#include "gridcast/base/error.h"
#include "gridcast/rules/options.h"

namespace gridcast::model::test {
namespace {

trace::Program described(std::map<std::string, trace::Description::Word> options,
                         bool overhead = false) {
  trace::Program program;
  program.trace_file = "p.toml";
  program.description = trace::Description{std::move(options), overhead};
  return program;
}

std::string word(const NamedWords& words, const std::string& name) {
  for (const auto& [key, value] : words) {
    if (key == name) {
      return value;
    }
  }
  return "none";
}

}  // namespace

TEST_CASE("defaults depend on the kind of input alone") {
  const ResolvedOptions trace = resolve({}, trace::Program{});
  CHECK(trace.options == ModelOptions{});
  CHECK(trace.options.text() ==
        "startup=count block-rule=ceil processor-weights=on pipeline=steady "
        "extrapolate-iterations=off engine=fast reduction=linear contiguous=last trace-cost=0");
  CHECK(trace.min_block == "0");
  CHECK(word(trace.assumed, "reduction") == "linear");
  CHECK(word(trace.assumed, "library-costs") == "on");
  CHECK(word(trace.assumed, "overhead") == "none");
  const ResolvedOptions description = resolve({}, described({}));
  CHECK(description.options.reduction == ReductionKind::automatic);
  CHECK(description.options.block_rule == mapping::BlockRule::balanced);
  CHECK_FALSE(description.options.library_costs);
  CHECK(description.min_block == "edge");
  CHECK(word(description.assumed, "min-block") == "edge");
  CHECK(word(description.assumed, "overhead") == "0");
  CHECK(word(resolve({}, described({}, true)).assumed, "overhead") == "none");
  // Every option, and nothing else.
  CHECK(trace.assumed.size() == option_rules().size() + 1);
  CHECK(description.assumed.size() == option_rules().size() + 2);
}

TEST_CASE("the command line goes before the description, the description before the default") {
  const trace::Program program = described(
      {{"reduction", {"linear", 3}}, {"min-block", {"4,2", 4}}, {"library-costs", {"on", 5}}});
  const ResolvedOptions own = resolve({}, program);
  CHECK(own.options.reduction == ReductionKind::linear);
  CHECK(own.options.library_costs);
  CHECK(own.options.block_rule == mapping::BlockRule::balanced);
  CHECK(own.min_block == "4,2");
  CHECK(word(own.assumed, "reduction") == "none");
  CHECK(word(own.assumed, "min-block") == "none");
  CHECK(word(own.assumed, "block-rule") == "balanced");
  const ResolvedOptions given =
      resolve({{"reduction", "tree"}, {"min-block", "0"}, {"placement", "column"}}, program);
  CHECK(given.options.reduction == ReductionKind::tree);
  CHECK(given.min_block == "0");
  CHECK(given.options.placement.kind == machine::Placement::Kind::column);
  CHECK(word(given.assumed, "placement") == "none");
  CHECK(given.options.library_costs);
}

TEST_CASE("ranks fill the nodes in their order unless a placement is given") {
  using Kind = machine::Placement::Kind;
  const trace::Program program = described({{"ranks", {"column", 2}}});
  const ResolvedOptions own = resolve({}, program);
  CHECK(own.options.ranks == Kind::column);
  CHECK(own.options.placement.kind == Kind::column);
  CHECK(word(own.assumed, "placement") == "column");
  CHECK(resolve({{"placement", "row"}}, program).options.placement.kind == Kind::row);
  CHECK(resolve({{"ranks", "row"}}, program).options.placement.kind == Kind::row);
  CHECK(resolve({{"ranks", "column"}}, trace::Program{}).options.placement.kind == Kind::column);
}

TEST_CASE("a word that an option does not know is an error, of a description with its line") {
  try {
    static_cast<void>(resolve({}, described({{"reduction", {"bush", 7}}})));
    FAIL("accepted");
  } catch (const InputError& error) {
    CHECK(error.file() == "p.toml");
    CHECK(error.line() == 7);
    CHECK(error.remedy() == "expected linear|tree|doubling|rabenseifner|ring|auto");
  }
  CHECK_THROWS_AS(resolve({{"pipeline", "odd"}}, trace::Program{}), InputError);
  CHECK_THROWS_AS(resolve({{"trace-cost", "2"}}, trace::Program{}), InputError);
  CHECK_THROWS_AS(resolve({{"nothing", "on"}}, trace::Program{}), InputError);
}

TEST_CASE("some options are for free processes, some are not") {
  const trace::Program program;
  const ResolvedOptions free =
      resolve({{"processes", "free"}, {"reduction", "ring"}, {"iterations", "100"}}, program);
  CHECK(free.options.processes == ProcessKind::free);
  CHECK(free.options.reduction == ReductionKind::ring);
  CHECK(free.options.iterations == 100);
  CHECK(resolve({}, program).options.processes == ProcessKind::together);
  for (const char* const reduction : {"doubling", "rabenseifner", "auto"}) {
    CHECK(resolve({{"reduction", reduction}}, program).options.processes == ProcessKind::together);
  }
  CHECK_THROWS_AS(resolve({{"reduction", "ring"}}, program), InputError);
  try {
    static_cast<void>(
        resolve({{"processes", "together"}}, described({{"reduction", {"ring", 3}}})));
    FAIL("accepted");
  } catch (const InputError& error) {
    CHECK(error.file() == "p.toml");
    CHECK(error.line() == 3);
  }
  CHECK_THROWS_AS(resolve({{"processes", "free"}, {"extrapolate-iterations", "on"}}, program),
                  InputError);
  for (const char* const iterations : {"0", "1", "-64", "64.5", "some", ""}) {
    CHECK_THROWS_AS(resolve({{"iterations", iterations}}, program), InputError);
  }
}

TEST_CASE("processes of descriptions run free up to 4,096 of them") {
  for (const bool messages : {false, true}) {
    trace::Program program = described({});
    program.description->messages = messages;
    for (const std::int64_t processes : {1, 4096, 4097}) {
      ResolvedOptions resolved = resolve({}, program);
      settle(resolved, processes);
      const bool free = processes <= 4096;
      CHECK(resolved.options.processes == (free ? ProcessKind::free : ProcessKind::together));
      CHECK(resolved.options.reduction == ReductionKind::automatic);
      CHECK(word(resolved.assumed, "processes") == (free ? "free" : "together"));
    }
  }
  ResolvedOptions said = resolve({}, described({{"processes", {"free", 2}}}));
  settle(said, 4097);
  CHECK(said.options.processes == ProcessKind::free);
  ResolvedOptions given = resolve({{"processes", "together"}}, described({}));
  settle(given, 1);
  CHECK(given.options.processes == ProcessKind::together);
  ResolvedOptions trace = resolve({}, trace::Program{});
  settle(trace, 1);
  CHECK(trace.options.processes == ProcessKind::together);
  // What is for processes of the other kind is refused as soon as their number is known.
  ResolvedOptions ring = resolve({{"reduction", "ring"}}, described({}));
  settle(ring, 4096);
  CHECK_THROWS_AS(settle(ring, 4097), InputError);
  ResolvedOptions some = resolve({{"extrapolate-iterations", "on"}}, described({}));
  CHECK_THROWS_AS(settle(some, 4096), InputError);
}

TEST_CASE("options are read as they are written") {
  ResolvedOptions some;
  some.options.reduction = ReductionKind::tree;
  some.options.skip_startup = true;
  some.options.trace_cost = 1.25e-6;
  some.options.library_costs = false;
  some.options.processes = ProcessKind::free;
  some.options.iterations = 0;
  some.options.shapes = "0123abcd";
  some.options.placement = machine::Placement::parse("blocked:4x2");
  some.min_block = "3,3";
  CHECK(some.text().find(" library-costs=off processes=free iterations=all shapes=0123abcd "
                         "placement=blocked:4x2 min-block=3,3") != std::string::npos);
  const ResolvedOptions read = ResolvedOptions::parse(some.text());
  CHECK(read.options == some.options);
  CHECK(read.min_block == some.min_block);
  CHECK(resolve(words_of(some), trace::Program{}).options.text() !=
        some.options.text());  // shapes are no word
}

TEST_CASE("without costs of the library packing still counts") {
  const machine::LibraryCosts machine{1.0, 2.0, 3.0, 4.0, 5.0};
  ModelOptions options;
  CHECK(options.counted(machine) == machine);
  options.library_costs = false;
  const machine::LibraryCosts counted = options.counted(machine);
  CHECK(counted.copy == 4.0);
  CHECK(counted == machine::LibraryCosts{.copy = 4.0});
}

}  // namespace gridcast::model::test
