#include "compare.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "gridcast/bound/box_bound.h"
#include "gridcast/compile/compile.h"
#include "gridcast/predict/predictor.h"
#include "gridcast/trace/program.h"
#include "naive/model.h"

namespace gridcast::checker {
namespace {

/// Of an interval's total time.
constexpr double tolerance = 1e-10;

/// Extrapolated pipelines against their full simulation.
constexpr double steady_tolerance = 0.02;

/// Collects what differs by more than `allowed`.
class Differences {
public:
  void set_scale(const std::string& where, double allowed) {
    where_ = where;
    allowed_ = allowed;
  }
  void check(const std::string& figure, double predicted, double naive) {
    if (std::abs(predicted - naive) <= allowed_) {
      return;
    }
    char text[160];
    std::snprintf(text, sizeof text, ": predicted %.12g, naive %.12g (%+.3g)\n", predicted, naive,
                  predicted - naive);
    text_ += where_ + " " + figure + text;
  }
  void fail(const std::string& text) { text_ += text + "\n"; }
  [[nodiscard]] const std::string& text() const { return text_; }

private:
  std::string where_, text_;
  double allowed_ = 0.0;
};

const char* type_name(trace::IntervalType type) {
  switch (type) {
    case trace::IntervalType::main:
      return "main";
    case trace::IntervalType::user:
      return "user";
    case trace::IntervalType::sequential:
      return "sequential";
    case trace::IntervalType::parallel:
      return "parallel";
  }
  return "";
}

/// The kinds of operations of a sum or of a processor.
template <class Predicted, class Naive>
void compare_operations(const Predicted& c, const Naive& n, Differences& differences) {
  for (std::size_t k = 0; k < naive::operations; ++k) {
    const std::string name = model::operation_names[k];
    differences.check(name + " communication", c.operations[k].communication,
                      n.of[k].communication);
    differences.check(name + " synch", c.operations[k].synch, n.of[k].synch);
    differences.check(name + " overlap", c.operations[k].overlap, n.of[k].overlap);
  }
}

void compare_sums(const model::Characteristics& c, const naive::Sums& n,
                  const naive::Interval& interval, Differences& differences) {
  differences.check("execution", c.execution_time, n.execution);
  differences.check("total", c.total_time, n.total);
  differences.check("productive", c.productive_time, n.productive);
  differences.check("productive cpu", c.productive_cpu_time, n.productive_cpu);
  differences.check("productive sys", c.productive_sys_time, n.productive_sys);
  differences.check("io", c.io_time, n.io);
  differences.check("lost", c.lost_time, n.lost);
  differences.check("insufficient usr", c.insufficient_parallelism_usr, n.insufficient_usr);
  differences.check("insufficient sys", c.insufficient_parallelism_sys, n.insufficient_sys);
  differences.check("insufficient", c.insufficient_parallelism,
                    n.insufficient_usr + n.insufficient_sys);
  differences.check("communication", c.communication, n.communication);
  differences.check("real synch", c.communication_synch, n.real_synch);
  differences.check("idle", c.idle, n.idle);
  differences.check("imbalance", c.load_imbalance, n.imbalance);
  differences.check("synchronization", c.synchronization, n.synchronization);
  differences.check("variation", c.time_variation, n.variation);
  differences.check("overlap", c.overlap, n.overlap);
  differences.check("efficiency times total", c.efficiency * c.total_time, n.efficiency * n.total);
  compare_operations(c, n, differences);
  for (std::size_t k = 0; k < naive::operations; ++k) {
    if (c.operation_counts[k] != interval.counts[k]) {
      differences.fail(std::string(model::operation_names[k]) + " operations: predicted " +
                       std::to_string(c.operation_counts[k]) + ", naive " +
                       std::to_string(interval.counts[k]));
    }
  }
}

void compare_processor(const model::ProcessorTimes& c, const naive::Times& n,
                       Differences& differences) {
  differences.check("execution", c.execution_time, n.execution);
  differences.check("io", c.io_time, n.io);
  differences.check("cpu", c.cpu_time, n.cpu);
  differences.check("sys", c.sys_time, n.sys);
  differences.check("insufficient usr", c.insufficient_parallelism_usr, n.insufficient_usr);
  differences.check("insufficient sys", c.insufficient_parallelism_sys, n.insufficient_sys);
  differences.check("idle", c.idle, n.idle);
  differences.check("imbalance", c.load_imbalance, n.imbalance);
  differences.check("synchronization", c.synchronization, n.synchronization);
  differences.check("variation", c.time_variation, n.variation);
  compare_operations(c, n, differences);
}

void compare_interval(const model::IntervalResult& predicted, const naive::Interval& interval,
                      const std::string& name, Differences& differences) {
  const naive::Sums sums = naive::sums_of(interval);
  const double allowed = tolerance * std::max(sums.total, predicted.sums.total_time) + 1e-18;
  const model::IntervalInfo& info = predicted.info;
  if (info.parent != interval.parent || info.file != interval.file || info.line != interval.line ||
      info.count != interval.count || type_name(info.type) != interval.type ||
      info.expression.has_value() != interval.has_expression ||
      info.expression.value_or(0) != interval.expression) {
    differences.fail(name + ": not the same interval");
    return;
  }
  differences.set_scale(name, allowed);
  compare_sums(predicted.sums, sums, interval, differences);
  for (std::size_t k = 0; k < naive::operations; ++k) {
    differences.check(std::string(model::operation_names[k]) + " variation",
                      predicted.time_variations[k], sums.of[k].variation);
  }
  for (std::size_t p = 0; p < predicted.per_processor.size(); ++p) {
    differences.set_scale(name + " processor " + std::to_string(p), allowed);
    compare_processor(predicted.per_processor[p], interval.processors.at(p), differences);
  }
}

void compare_sums_alone(const model::Characteristics& found, const naive::Interval& interval,
                        const std::string& name, Differences& differences) {
  const naive::Sums sums = naive::sums_of(interval);
  differences.set_scale(name, tolerance * std::max(sums.total, found.total_time) + 1e-18);
  compare_sums(found, sums, interval, differences);
}

/// A case as the product takes it.
struct Product {
  explicit Product(const Case& tried)
      : compiled(model::compile(trace::parse_program(tried.trace(), "random.ptr",
                                                     {.skip_startup = tried.skip_startup}))),
        cluster(machine::Cluster::parse(tried.machine, "random.par")) {
    const std::vector<std::int64_t> extents(tried.grid.begin(), tried.grid.end());
    grid = machine::Grid(std::span<const std::int64_t>(extents));
    options.block_rule =
        tried.balanced_blocks ? mapping::BlockRule::balanced : mapping::BlockRule::ceil;
    options.processor_weights = tried.processor_weights;
    model::set_option(options, "reduction", tried.reduction);
    options.first_contiguous = tried.first_contiguous;
    options.library_costs = tried.library_costs;
    options.pipeline = model::PipelineMode::full;
    options.placement = machine::Placement::parse(tried.placement());
    if (tried.free) {
      options.processes = model::ProcessKind::free;
      options.iterations = 0;
    }
    if (tried.reference_alone) {
      options.engine = model::EngineKind::reference;
    }
  }

  model::Compiled compiled;
  machine::Cluster cluster;
  machine::Grid grid;
  model::ModelOptions options;
};

/// Sums alone, as a search asks for them: both engines take other ways to them.
void compare_search(Product product, const naive::Result& naive, Differences& differences) {
  std::vector<model::EngineKind> engines{model::EngineKind::reference};
  if (product.options.engine != model::EngineKind::reference) {
    engines.push_back(model::EngineKind::fast);
  }
  for (const model::EngineKind engine : engines) {
    product.options.engine = engine;
    model::Predictor predictor(product.compiled.script, product.cluster, product.options);
    const std::span<const model::Characteristics> found = predictor.evaluate(product.grid);
    const std::string name = engine == model::EngineKind::fast ? "fast " : "reference ";
    for (std::size_t i = 0; i < found.size(); ++i) {
      compare_sums_alone(found[i], naive.intervals.at(i), name + std::to_string(i), differences);
    }
  }
}

/// The bounds of the exact search, of the grid alone and of boxes around it: never on the wrong
/// side.
void check_bounds(const Product& product, const model::Characteristics& whole,
                  Differences& differences) {
  model::BoxBound bound(product.compiled.script, product.cluster, product.options);
  machine::GridBox box(product.grid.rank(), product.cluster.processors());
  const double rounding = 1e-11;
  while (box.fit(product.cluster.processors())) {
    const model::BoxBounds bounds = bound(box, product.cluster.processors());
    const std::string name = "bound of the box from " + box.first_grid().text();
    if (bounds.time > whole.execution_time * (1.0 + rounding)) {
      differences.fail(name + ": " + std::to_string(bounds.time) + " above the predicted time " +
                       std::to_string(whole.execution_time));
    }
    if (bounds.efficiency < whole.efficiency * (1.0 - rounding)) {
      differences.fail(name + ": efficiency below the predicted one");
    }
    if (box.single()) {
      break;
    }
    const auto [low, high] = box.split();
    box = low.contains(product.grid) ? low : high;
  }
}

/// Extrapolated pipelines against simulated ones.
void check_steady(Product product, double full, Differences& differences) {
  product.options.pipeline = model::PipelineMode::steady;
  model::Predictor predictor(product.compiled.script, product.cluster, product.options);
  const double steady = predictor.evaluate(product.grid).front().execution_time;
  if (std::abs(steady - full) > steady_tolerance * full) {
    differences.fail("steady pipelines: " + std::to_string(steady) + ", full simulation " +
                     std::to_string(full));
  }
}

naive::Options naive_options(const Case& tried) {
  naive::Options options;
  options.skip_startup = tried.skip_startup;
  options.blocks.balanced = tried.balanced_blocks;
  options.blocks.by_performance = tried.processor_weights;
  options.first_contiguous = tried.first_contiguous;
  options.library_costs = tried.library_costs;
  options.by_column = tried.by_column;
  options.block = tried.block;
  options.free = tried.free;
  options.reduction = tried.reduction;
  return options;
}

/// Free processes: when each is through, and that all of its time is accounted for.
void compare_free(const model::Prediction& predicted, const naive::Result& naive,
                  Differences& differences) {
  constexpr double free_tolerance = 1e-9;
  const double last = *std::max_element(naive.clocks.begin(), naive.clocks.end());
  differences.set_scale("clock of process", free_tolerance * last + 1e-18);
  const std::vector<model::ProcessorTimes>& times = predicted.intervals.front().per_processor;
  for (std::size_t p = 0; p < naive.clocks.size(); ++p) {
    differences.check(std::to_string(p), times[p].execution_time, naive.clocks[p]);
  }
  for (const model::IntervalResult& interval : predicted.intervals) {
    const model::Characteristics& sums = interval.sums;
    differences.set_scale("identity", free_tolerance * sums.total_time + 1e-18);
    differences.check("of an interval", sums.productive_time + sums.lost_time, sums.total_time);
  }
}

}  // namespace

std::optional<std::string> difference_of(const Case& tried) {
  const Product product(tried);
  const model::Prediction predicted =
      model::Predictor(product.compiled.script, product.cluster, product.options)
          .predict(product.grid, true);
  const naive::Result naive =
      naive::predict(tried.trace(), tried.machine, tried.grid, naive_options(tried));
  if (tried.free) {
    Differences differences;
    compare_free(predicted, naive, differences);
    return differences.text().empty() ? std::nullopt : std::optional(differences.text());
  }
  if (predicted.intervals.size() != naive.intervals.size()) {
    return "numbers of intervals: predicted " + std::to_string(predicted.intervals.size()) +
           ", naive " + std::to_string(naive.intervals.size()) + "\n";
  }
  Differences differences;
  for (std::size_t i = 0; i < predicted.intervals.size(); ++i) {
    compare_interval(predicted.intervals[i], naive.intervals[i], "interval " + std::to_string(i),
                     differences);
  }
  if (differences.text().empty()) {
    const model::Characteristics& whole = predicted.intervals.front().sums;
    compare_search(product, naive, differences);
    check_steady(product, whole.execution_time, differences);
    check_bounds(product, whole, differences);
  }
  return differences.text().empty() ? std::nullopt : std::optional(differences.text());
}

namespace {

std::string figure_of(const std::string& difference) {
  const std::size_t values = difference.find(": predicted");
  return difference.substr(
      0, values == std::string::npos ? difference.find_first_of("0123456789") : values);
}

/// Whether a part of a case differs (in that figure, if one is named). A part may be no program.
bool differs(const Case& tried, const std::string& figure = "") {
  try {
    const auto difference = difference_of(tried);
    return difference && (figure.empty() || figure_of(*difference) == figure);
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace

Case shrunk(Case failing) {
  // What differs first stays the same: it is still the same failure.
  const std::string wanted = figure_of(difference_of(failing).value_or(""));
  // From the end, so that uses go before what they use.
  for (std::size_t length = failing.calls.size() / 2; length > 0; length /= 2) {
    for (std::size_t end = failing.calls.size() - 1; end >= length; --end) {
      Case smaller = failing;
      const auto begin = smaller.calls.begin() + static_cast<std::ptrdiff_t>(end - length);
      smaller.calls.erase(begin, begin + static_cast<std::ptrdiff_t>(length));
      if (differs(smaller, wanted)) {
        failing = smaller;
        end = std::min(end, failing.calls.size());
      }
    }
  }
  return failing;
}

namespace {

/// The first call after which the predictions of the program so far differ.
std::string first_call(const Case& failing) {
  for (std::size_t length = 1; length < failing.calls.size(); ++length) {
    Case start = failing;
    start.calls.erase(start.calls.begin() + static_cast<std::ptrdiff_t>(length),
                      start.calls.end() - 1);
    if (differs(start)) {
      return "first differs after call " + std::to_string(length - 1) + ":\n" +
             failing.calls[length - 1];
    }
  }
  return "";
}

}  // namespace

std::string report_of(std::uint64_t seed, const std::string& difference, const Case& failing) {
  const Case small = failing.calls.empty() ? failing : shrunk(failing);
  std::string text = "seed " + std::to_string(seed) + "\n" + difference + first_call(failing);
  if (const auto left = difference_of(small)) {
    text += "--- of the shrunk program\n" + *left + small.text();
    text +=
        "--- clocks after each call, naive model\n" +
        naive::predict(small.trace(), small.machine, small.grid, naive_options(small), true).trace;
  }
  return text;
}

}  // namespace gridcast::checker
