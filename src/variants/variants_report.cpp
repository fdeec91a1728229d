#include "gridcast/variants/variants_report.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "gridcast/base/error.h"
#include "gridcast/compile/compile.h"
#include "gridcast/predict/predictor.h"

namespace gridcast::variants {
namespace {

constexpr std::size_t most_differences = 5;

model::Prediction predicted(const std::string& trace, const std::string& name,
                            const machine::Cluster& cluster, const model::ModelOptions& options,
                            const machine::Grid& grid) {
  const model::Compiled compiled = model::compile(trace::parse_program(trace, name));
  return model::Predictor(compiled.script, cluster, options).predict(grid);
}

double time_of(const Variant& variant, const BranchChoice& choice, const machine::Cluster& cluster,
               const model::ModelOptions& options, const machine::Grid& grid) {
  return predicted(variant.trace(choice), variant.name, cluster, options, grid)
      .intervals.front()
      .sums.execution_time;
}

/// The causes of a place, in the order of the struct.
struct Cause {
  const char* name;
  double PlaceCosts::*member;
};
constexpr Cause causes[] = {
    {"computing", &PlaceCosts::computing},         {"repeated work", &PlaceCosts::repeated},
    {"reductions", &PlaceCosts::reduction},        {"shadow edges", &PlaceCosts::shadow},
    {"remote access", &PlaceCosts::remote_access}, {"redistribution", &PlaceCosts::redistribution},
    {"input and output", &PlaceCosts::io},         {"waiting for others", &PlaceCosts::waiting}};

/// Where a processor is when it is through before the last one.
constexpr const char* end_of_program = "end of the program";

/// What every statement costs on a grid, by its place.
std::map<std::string, PlaceCosts> place_costs(const Variant& variant,
                                              const machine::Cluster& cluster,
                                              const model::ModelOptions& options,
                                              const machine::Grid& grid) {
  const std::map<std::int64_t, std::string> places = variant.places({});
  const model::Prediction prediction =
      predicted(variant.trace({}, true), variant.name, cluster, options, grid);
  const auto processors = static_cast<double>(grid.processors());
  std::map<std::string, PlaceCosts> costs;
  for (const model::IntervalResult& interval : prediction.intervals) {
    const bool marked = interval.info.type == trace::IntervalType::user &&
                        interval.info.expression && places.contains(*interval.info.expression);
    if (!marked) {
      continue;
    }
    const std::string& place = places.at(*interval.info.expression);
    PlaceCosts& sum = costs[place];
    const model::Characteristics& c = interval.sums;
    const auto of = [&](model::Operation kind) {
      const model::OperationTimes& times = c.operations[static_cast<std::size_t>(kind)];
      return (times.communication - times.synch) / processors;
    };
    sum.place = place;
    sum.computing += c.productive_time / processors;
    sum.repeated += c.insufficient_parallelism / processors;
    sum.reduction += of(model::Operation::reduction);
    sum.shadow += of(model::Operation::shadow);
    sum.remote_access += of(model::Operation::remote_access);
    sum.redistribution += of(model::Operation::redistribution);
    sum.io += of(model::Operation::io);
    sum.waiting += c.communication_synch / processors;
  }
  PlaceCosts& end = costs[end_of_program];
  end.place = end_of_program;
  end.waiting = prediction.intervals.front().sums.idle / processors;
  return costs;
}

std::vector<Difference> differences(const std::map<std::string, PlaceCosts>& best,
                                    const std::map<std::string, PlaceCosts>& other) {
  std::set<std::string> names;
  for (const auto* one : {&best, &other}) {
    for (const auto& [place, costs] : *one) {
      names.insert(place);
    }
  }
  const auto cost = [](const std::map<std::string, PlaceCosts>& costs, const std::string& place,
                       const Cause& cause) {
    const auto found = costs.find(place);
    return found == costs.end() ? 0.0 : found->second.*cause.member;
  };
  std::vector<Difference> result;
  for (const std::string& place : names) {
    for (const Cause& cause : causes) {
      const double more = cost(other, place, cause) - cost(best, place, cause);
      if (more != 0.0) {
        result.push_back({place, cause.name, more});
      }
    }
  }
  std::ranges::stable_sort(result, [](const Difference& a, const Difference& b) {
    return std::abs(a.seconds) > std::abs(b.seconds);
  });
  if (!result.empty()) {
    const double least = 1e-3 * std::abs(result.front().seconds);
    std::erase_if(result, [&](const Difference& one) { return std::abs(one.seconds) < least; });
  }
  result.resize(std::min(result.size(), most_differences));
  return result;
}

/// Compares as people see it: times that agree to 11 digits are equal.
double rounded(double time) {
  if (!(time > 0.0)) {
    return 0.0;
  }
  const double scale = std::pow(10.0, 10.0 - std::floor(std::log10(time)));
  return std::round(time * scale) / scale;
}

class Reporter {
public:
  Reporter(const VariantsFile& file, const machine::Cluster& cluster,
           const model::ModelOptions& options, std::span<const VariantRow> rows)
      : file_(file), cluster_(cluster), options_(options), rows_(rows) {}

  VariantsReport run() {
    VariantsReport report{file_.file, cluster_.name(), {}, {}, {}};
    for (const Variant& variant : file_.variants) {
      report.names.push_back(variant.name);
    }
    for (const std::int64_t count : common_counts()) {
      report.rankings.push_back(ranking(count));
    }
    report.rankings.push_back(ranking(0));
    report.to_write = report.names[report.rankings.back().variants.front().variant];
    return report;
  }

private:
  /// Numbers of processors that every variant has a row for; a search that tried many is shown at
  /// powers of two.
  [[nodiscard]] std::vector<std::int64_t> common_counts() const {
    std::map<std::int64_t, std::set<std::size_t>> variants;
    for (const VariantRow& row : rows_) {
      variants[row.grid.processors()].insert(row.variant);
    }
    std::erase_if(variants,
                  [&](const auto& entry) { return entry.second.size() < file_.variants.size(); });
    constexpr std::size_t many = 16;
    std::vector<std::int64_t> counts;
    for (const auto& [count, who] : variants) {
      if (variants.size() <= many || (count & (count - 1)) == 0) {
        counts.push_back(count);
      }
    }
    return counts;
  }

  /// The best row of each variant with so many processors (0: any number).
  [[nodiscard]] std::vector<VariantRow> best_rows(std::int64_t processors) const {
    std::map<std::size_t, VariantRow> best;
    for (const VariantRow& row : rows_) {
      if (processors != 0 && row.grid.processors() != processors) {
        continue;
      }
      const auto [found, is_new] = best.try_emplace(row.variant, row);
      const auto key = [](const VariantRow& one) {
        return std::pair(rounded(one.time), one.grid.processors());
      };
      if (!is_new && key(row) < key(found->second)) {
        found->second = row;
      }
    }
    std::vector<VariantRow> result;
    for (std::size_t i = 0; i < file_.variants.size(); ++i) {
      const auto found = best.find(i);
      if (found == best.end()) {
        throw InputError(file_.file, file_.variants[i].line,
                         "the variant '" + file_.variants[i].name + "' has no prediction",
                         "expected grids that the machine has processors for");
      }
      result.push_back(found->second);
    }
    return result;
  }

  VariantRanking ranking(std::int64_t processors) {
    VariantRanking result{processors, {}};
    for (const VariantRow& row : best_rows(processors)) {
      const Variant& variant = file_.variants[row.variant];
      const ExpectedTime time = variant.branches.empty()
                                    ? ExpectedTime{row.time, 0.0}
                                    : expected_time(variant, cluster_, options_, row.grid);
      result.variants.push_back(
          {row.variant, 0, row.grid, time.mean, time.deviation, row.efficiency, 1.0, {}});
    }
    std::ranges::stable_sort(result.variants, {},
                             [](const RankedVariant& one) { return rounded(one.time); });
    const RankedVariant& best = result.variants.front();
    const auto best_costs = costs_of(best);
    for (std::size_t i = 0; i < result.variants.size(); ++i) {
      RankedVariant& one = result.variants[i];
      const bool same = i > 0 && rounded(one.time) == rounded(result.variants[i - 1].time);
      one.rank = same ? result.variants[i - 1].rank : i + 1;
      one.relative = best.time > 0.0 ? one.time / best.time : 1.0;
      if (i > 0) {
        one.differences = differences(best_costs, costs_of(one));
      }
    }
    return result;
  }

  [[nodiscard]] std::map<std::string, PlaceCosts> costs_of(const RankedVariant& one) const {
    return place_costs(file_.variants[one.variant], cluster_, options_, one.grid);
  }

  const VariantsFile& file_;
  const machine::Cluster& cluster_;
  const model::ModelOptions& options_;
  std::span<const VariantRow> rows_;
};

}  // namespace

ExpectedTime expected_time(const Variant& variant, const machine::Cluster& cluster,
                           const model::ModelOptions& options, const machine::Grid& grid) {
  const double usual = time_of(variant, {}, cluster, options, grid);
  ExpectedTime result{usual, 0.0};
  double variance = 0.0;
  for (const Branch& branch : variant.branches) {
    double mean = 0.0;
    double square = 0.0;
    for (std::size_t i = 0; i < branch.cases.size(); ++i) {
      // The change of one execution: all executions take the case, and there are so many.
      const double executions = std::max(1.0, branch.executions);
      const double change =
          i == branch.usual()
              ? 0.0
              : (time_of(variant, {{branch.name, i}}, cluster, options, grid) - usual) / executions;
      mean += branch.cases[i].probability * change;
      square += branch.cases[i].probability * change * change;
    }
    result.mean += branch.executions * mean;
    variance += branch.executions * std::max(0.0, square - mean * mean);
  }
  result.deviation = std::sqrt(variance);
  return result;
}

VariantsReport report_variants(const VariantsFile& file, const machine::Cluster& cluster,
                               const model::ModelOptions& options,
                               std::span<const VariantRow> rows) {
  return Reporter(file, cluster, options, rows).run();
}

}  // namespace gridcast::variants
