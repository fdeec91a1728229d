#include "engine_cases.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <vector>

#include "gridcast/base/error.h"
#include "gridcast/figures/figures.h"
#include "gridcast/retrace/generate.h"
#include "gridcast/trace/program.h"
#include "random_case.h"
#include "random_description.h"
#include "random_machine.h"

namespace gridcast::checker {
namespace {

using model::Characteristics;

std::vector<double> figures_of(const Characteristics& c) {
  std::vector<double> values;
  for (const model::Figure& figure : model::figures()) {
    if (figure.value != &Characteristics::efficiency) {
      values.push_back(c.*figure.value);
    }
  }
  for (const model::OperationTimes& times : c.operations) {
    values.insert(values.end(), {times.communication, times.synch, times.overlap});
  }
  return values;
}

std::string random_text(std::uint64_t seed, Random& random, Machines machines) {
  if (seed % 2 == 1 && machines != Machines::moves) {
    return (machines == Machines::large ? random_long_case(seed) : random_case(seed)).trace();
  }
  std::ostringstream trace;
  trace::generate_trace(machines == Machines::moves
                            ? random_moves(random)
                            : random_description(random, machines == Machines::large),
                        "drawn.toml", trace);
  return trace.str();
}

std::vector<std::int64_t> random_grid(Random& random, long most_dims) {
  const long most = random.once_in(10) ? 2500 : 200;
  std::vector<std::int64_t> extents;
  long product = 1;
  for (long dim = random.between(1, most_dims); dim > 0; --dim) {
    long extent =
        random.once_in(3) ? random.between(1, random.once_in(3) ? most : 40) : random.between(1, 9);
    extent = product * extent > most ? 1 : extent;
    product *= extent;
    extents.push_back(extent);
  }
  return extents;
}

model::ModelOptions random_options(Random& random) {
  model::ModelOptions options;
  options.block_rule = random.once_in(4) ? mapping::BlockRule::balanced : mapping::BlockRule::ceil;
  options.pipeline = random.once_in(3) ? model::PipelineMode::full : model::PipelineMode::steady;
  options.processor_weights = !random.once_in(4);
  options.reduction = random.once_in(4) ? model::ReductionKind::tree : model::ReductionKind::linear;
  options.first_contiguous = random.once_in(4);
  return options;
}

}  // namespace

std::optional<std::string> engine_difference(const model::Script& script,
                                             const machine::Cluster& cluster,
                                             const machine::Grid& grid, model::ModelOptions options,
                                             EngineCounts& counts) {
  model::Predictor fast(script, cluster, options);
  options.engine = model::EngineKind::reference;
  model::Predictor reference(script, cluster, options);
  const std::span<const Characteristics> results = fast.evaluate(grid);
  if (!fast.fallback().empty()) {
    ++counts.fallbacks[fast.fallback()];
    return std::nullopt;
  }
  ++counts.by_classes;
  const std::span<const Characteristics> expected = reference.evaluate(grid);
  const auto processors = static_cast<double>(grid.processors());
  const double tolerance = 1e-12 * (1.0 + std::log2(processors));
  // Clocks are sums over the whole run: a short interval late in it is known to their rounding.
  const double run = 0.01 * expected.front().execution_time;
  for (std::size_t k = 0; k < expected.size(); ++k) {
    const std::vector<double> got = figures_of(results[k]);
    const std::vector<double> want = figures_of(expected[k]);
    const double longest = std::max(expected[k].execution_time, run);
    for (std::size_t f = 0; f < got.size(); ++f) {
      // Edges of a pipelined loop that queue up overlap for longer than the loop runs.
      const double scale = f == 0 ? longest : std::max(longest * processors, std::abs(want[f]));
      const double difference = std::abs(got[f] - want[f]);
      if (scale > 0.0) {
        counts.worst = std::max(counts.worst, difference / (tolerance * scale));
      }
      if (!(difference <= tolerance * scale)) {
        std::ostringstream text;
        text.precision(17);
        text << "interval " << k << ", figure " << f << ": by classes " << got[f]
             << ", processor by processor " << want[f] << ", scale " << scale << "\ngrid "
             << grid.text() << ", " << options.text() << "\n--- machine\n"
             << cluster.text();
        return text.str();
      }
    }
  }
  return std::nullopt;
}

std::optional<std::string> engine_difference(std::uint64_t seed, EngineCounts& counts,
                                             Machines machines) {
  Random random(seed);
  const machine::Grid grid(random_grid(random, machines == Machines::large ? 4 : 3));
  model::ModelOptions options = random_options(random);
  if (machines == Machines::moves && random.once_in(2)) {
    options.reduction = model::ReductionKind::tree;
  }
  if (options.reduction == model::ReductionKind::tree && seed % 3 == 0) {
    // No draw: other cases stay as they are.
    options.reduction = seed % 9 == 0   ? model::ReductionKind::automatic
                        : seed % 2 == 0 ? model::ReductionKind::doubling
                                        : model::ReductionKind::rabenseifner;
  }
  const auto processors = static_cast<long>(grid.processors());
  const std::string drawn =
      machines == Machines::all || (machines == Machines::large && random.once_in(2))
          ? random_machine(random, processors)
      : machines == Machines::moves && random.once_in(2) ? random_ports(random, processors)
                                                         : random_port_tree(random, processors);
  const machine::Cluster cluster =
      machine::Cluster::parse(drawn + random_allreduce(seed), "drawn.par");
  try {
    const model::Compiled compiled =
        model::compile(trace::parse_program(random_text(seed, random, machines), "drawn.ptr"));
    return engine_difference(compiled.script, cluster, grid, options, counts);
  } catch (const InputError&) {
    ++counts.refused;
    return std::nullopt;
  }
}

}  // namespace gridcast::checker
