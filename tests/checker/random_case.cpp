#include "random_case.h"

#include "program_writer.h"
#include "random.h"
#include "random_machine.h"

namespace gridcast::checker {

std::string Case::trace() const {
  std::string text = preamble;
  for (const std::string& call : calls) {
    text += call;
  }
  return text;
}

std::string Case::placement() const {
  if (by_column) {
    return "column";
  }
  std::string extents;
  for (const int extent : block) {
    extents += (extents.empty() ? "blocked:" : "x") + std::to_string(extent);
  }
  return extents.empty() ? "row" : extents;
}

std::string Case::text() const {
  std::string shape;
  for (const int extent : grid) {
    shape += (shape.empty() ? "" : "x") + std::to_string(extent);
  }
  return "grid " + shape + ", startup=" + (skip_startup ? "skip" : "count") +
         ", block-rule=" + (balanced_blocks ? "balanced" : "ceil") +
         ", processor-weights=" + (processor_weights ? "on" : "off") + ", reduction=" + reduction +
         (free ? ", free" : "") + ", contiguous=" + (first_contiguous ? "first" : "last") +
         ", placement=" + placement() + "\n--- machine\n" + machine + "--- trace\n" + trace();
}

namespace {

/// Grid, machine and options.
Case random_surroundings(Random& random) {
  Case made;
  const std::vector<std::vector<long>> most{{12}, {5, 5}, {3, 3, 3}, {2, 2, 2, 2}};
  const std::vector<long>& limits =
      most[static_cast<std::size_t>(random.once_in(12) ? 3 : random.up_to(2))];
  long processors = 1;
  for (const long limit : limits) {
    made.grid.push_back(static_cast<int>(random.between(1, limit)));
    processors *= made.grid.back();
  }
  made.machine = random_machine(random, processors);
  made.skip_startup = random.once_in(6);
  made.balanced_blocks = random.once_in(4);
  made.processor_weights = !random.once_in(4);
  if (random.once_in(3)) {
    made.reduction = "tree";
  }
  made.first_contiguous = random.once_in(3);
  return made;
}

/// Where the coordinates are. Blocks of any size that divides the grid, whether they fill a part of
/// the machine or not.
void place(Case& made, std::uint64_t seed) {
  Random random(~seed);
  made.library_costs = seed % 5 != 0;  // no draw: other cases stay as they are
  if (made.reduction == "tree" && seed % 2 == 0) {
    made.reduction = seed % 4 == 0 ? "doubling" : seed % 3 == 0 ? "auto" : "rabenseifner";
  }
  if (made.reduction == "auto") {
    made.machine += random_allreduce(seed);  // likewise
  }
  made.by_column = random.once_in(6);
  if (made.by_column || !random.once_in(5)) {
    return;
  }
  for (const int extent : made.grid) {
    int width = static_cast<int>(random.between(1, extent));
    while (extent % width != 0) {
      --width;
    }
    made.block.push_back(width);
  }
}

Case made_case(std::uint64_t seed, long scale) {
  Random random(seed);
  Case made = random_surroundings(random);
  place(made, seed);
  ProgramWriter writer(random, scale);
  writer.program();
  made.preamble = writer.preamble();
  made.calls = writer.calls();
  return made;
}

}  // namespace

Case random_case_of(const std::string& trace, std::uint64_t seed) {
  Random random(seed);
  Case made = random_surroundings(random);
  place(made, seed);
  made.preamble = trace;
  return made;
}

Case random_case(std::uint64_t seed) { return made_case(seed, 1); }

Case random_long_case(std::uint64_t seed) { return made_case(seed, 8); }

Case random_free_case(std::uint64_t seed) {
  Case made = random_case(seed);
  Random random(seed + 77);
  made.free = true;
  made.reduction =
      random.one_of<std::string>({"linear", "tree", "doubling", "rabenseifner", "ring", "auto"});
  if (made.reduction == "auto" && made.machine.find("Allreduce") == std::string::npos) {
    made.machine += random_allreduce(seed);
  }
  const std::vector<std::string> limits{"0", "9", "64", "1000", "1e9"};
  for (const std::string name : {"c", "m", "n"}) {
    if (made.machine.find(name + ".CommType") != std::string::npos) {
      made.machine += name + ".EagerLimit = " + random.one_of(limits) + ";\n";
      if (random.once_in(4)) {
        made.machine += name + ".DetachLimit = " + random.one_of(limits) + ";\n";
      }
    }
  }
  return made;
}

}  // namespace gridcast::checker
