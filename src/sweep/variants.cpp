#include "variants.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <set>
#include <utility>

#include "gridcast/base/contract.h"
#include "gridcast/base/error.h"
#include "gridcast/design/random.h"
#include "gridcast/evaluate/evaluator.h"

namespace gridcast::sweep {
namespace {

/// Candidates that are kept in memory to draw samples from; more are enumerated for each variant.
constexpr std::uint64_t most_kept = std::uint64_t{1} << 20U;

/// Random numbers of samples do not depend on those of the design.
constexpr std::uint64_t sample_purpose = 0x67726964;

bool same_candidates(const search::SearchSpace& a, const search::SearchSpace& b) {
  return a.rank == b.rank && a.reference_extents == b.reference_extents &&
         a.max_processors == b.max_processors;
}

/// `count` different numbers below `limit`, ascending, each choice equally likely (Floyd's method).
std::vector<std::uint64_t> choose(std::uint64_t count, std::uint64_t limit,
                                  design::Random& random) {
  std::set<std::uint64_t> chosen;
  for (std::uint64_t last = limit - count; last < limit; ++last) {
    if (!chosen.insert(random.below(last + 1)).second) {
      chosen.insert(last);
    }
  }
  return {chosen.begin(), chosen.end()};
}

/// Of the values of all factors those of parameters of programs.
std::vector<double> values_of_programs(std::span<const design::Factor> factors,
                                       const std::vector<double>& values) {
  std::vector<double> chosen;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    if (!program_parameter(factors[i].name).empty()) {
      chosen.push_back(values[i]);
    }
  }
  return chosen;
}

search::Selection selection(const GridLimits& limits) noexcept {
  return limits.not_bad ? search::Selection::not_bad : search::Selection::all;
}

}  // namespace

std::string assignment(const std::string& name, double value) {
  std::array<char, 64> digits{};
  const auto [end, status] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  return name + "=" + std::string(digits.data(), end);
}

std::vector<design::Factor> all_factors(const DatasetDesign& design) {
  std::vector<design::Factor> factors;
  if (design.sizes) {
    factors.push_back({size_factor, design::ValueList{design.sizes->values}});
  }
  factors.insert(factors.end(), design.parameters.begin(), design.parameters.end());
  return factors;
}

std::string program_parameter(const std::string& name) {
  constexpr std::string_view prefix = "program.";
  return name.starts_with(prefix) ? name.substr(prefix.size()) : std::string();
}

std::vector<std::vector<double>> program_settings(const DatasetDesign& design) {
  constexpr std::size_t most_settings = 10'000;
  const bool any = std::ranges::any_of(design.parameters, [](const design::Factor& factor) {
    return !program_parameter(factor.name).empty();
  });
  if (!any) {
    return {{}};
  }
  const design::Design runs(all_factors(design), design.options);
  std::set<std::vector<double>> settings;
  for (std::int64_t run = 0; run < runs.runs(); ++run) {
    settings.insert(values_of_programs(runs.factors(), runs.run(run)));
    if (settings.size() > most_settings) {
      throw InputError(design.file, design.design_line,
                       "parameters of programs have more than 10000 different values",
                       "expected fewer runs, or parameters with few values");
    }
  }
  return {settings.begin(), settings.end()};
}

Variants::Variants(const DatasetInputs& inputs)
    : inputs_(&inputs),
      design_(all_factors(inputs.design), inputs.design.options),
      settings_(program_settings(inputs.design)),
      traces_(inputs.design.sizes ? 1 : static_cast<std::int64_t>(inputs.design.traces.size())),
      count_(0) {
  const std::int64_t per_run = traces_ * static_cast<std::int64_t>(inputs.clusters.size());
  if (design_.runs() > std::numeric_limits<std::int32_t>::max() / per_run) {
    throw InputError("the data set has too many variants", "expected at most 2^31 - 1");
  }
  count_ = design_.runs() * per_run;
}

Variant Variants::at(std::int64_t number) const {
  expects(number >= 0 && number < count_, "the data set has the variant");
  const auto machines = static_cast<std::int64_t>(inputs_->clusters.size());
  Variant variant;
  variant.number = number;
  variant.trace = static_cast<std::size_t>(number % traces_);
  variant.machine = static_cast<std::size_t>(number / traces_ % machines);
  variant.values = design_.run(number / traces_ / machines);
  const auto setting =
      std::ranges::lower_bound(settings_, values_of_programs(design_.factors(), variant.values));
  variant.script =
      static_cast<std::size_t>((setting - settings_.begin()) * traces_) + variant.trace;
  if (inputs_->design.sizes) {
    const std::vector<double>& sizes = inputs_->design.sizes->values;
    variant.script =
        static_cast<std::size_t>(std::ranges::find(sizes, variant.values.front()) - sizes.begin());
  }
  return variant;
}

machine::Cluster Variants::cluster(const Variant& variant) const {
  machine::Cluster cluster = inputs_->clusters[variant.machine];
  const std::size_t first = inputs_->design.sizes ? 1 : 0;
  for (std::size_t i = first; i < variant.values.size(); ++i) {
    if (!program_parameter(design_.factors()[i].name).empty()) {
      continue;
    }
    cluster.set(assignment(design_.factors()[i].name, variant.values[i]));
  }
  return cluster;
}

void VariantGrids::open(const Variant& variant, const std::optional<machine::Cluster>& cluster) {
  position_ = 0;
  stream_.reset();
  const std::optional<GridLimits>& limits = inputs_->design.limits;
  if (!limits) {
    if (list_.empty()) {
      list_ = inputs_->design.grids;
    }
    return;
  }
  list_.clear();
  if (!cluster) {
    list_.emplace_back();
    return;
  }
  const search::SearchSpace searched = space(variant.script, cluster->processors());
  if (limits->sample) {
    draw_sample(variant.number, searched);
  } else {
    stream_.emplace(searched, selection(*limits));
  }
}

std::optional<machine::Grid> VariantGrids::next() {
  if (!stream_) {
    if (static_cast<std::size_t>(position_) == list_.size()) {
      return std::nullopt;
    }
    return list_[static_cast<std::size_t>(position_++)];
  }
  while (const std::optional<machine::Grid> grid = stream_->next()) {
    if (grid->processors() >= inputs_->design.limits->min_processors) {
      ++position_;
      return grid;
    }
  }
  return std::nullopt;
}

std::uint64_t VariantGrids::count(std::size_t script, std::int64_t processors) const {
  if (!inputs_->design.limits) {
    return inputs_->design.grids.size();
  }
  const GridLimits& limits = *inputs_->design.limits;
  const search::SearchSpace searched = space(script, processors);
  const std::uint64_t all =
      search::count_candidates(searched, selection(limits)) - skipped(searched);
  return limits.sample ? std::min(all, static_cast<std::uint64_t>(*limits.sample)) : all;
}

search::SearchSpace VariantGrids::space(std::size_t script, std::int64_t processors) const {
  const GridLimits& limits = *inputs_->design.limits;
  search::SearchSpace result;
  result.reference_extents = reference_extents(inputs_->scripts[script]);
  result.rank = limits.rank.value_or(inputs_->scripts[script].header().grid_rank);
  result.reference_extents.resize(static_cast<std::size_t>(result.rank), 0);
  result.max_processors = std::min(processors, limits.max_processors.value_or(processors));
  result.block_rule = inputs_->options.at(script).block_rule;
  search::validate(result);
  return result;
}

/// Candidates with fewer processors than the limits want; they come first.
std::uint64_t VariantGrids::skipped(const search::SearchSpace& space) const {
  const GridLimits& limits = *inputs_->design.limits;
  if (limits.min_processors == 1) {
    return 0;
  }
  search::SearchSpace below = space;
  below.max_processors = std::min(space.max_processors, limits.min_processors - 1);
  return search::count_candidates(below, selection(limits));
}

void VariantGrids::draw_sample(std::int64_t variant, const search::SearchSpace& space) {
  const GridLimits& limits = *inputs_->design.limits;
  const std::uint64_t first = skipped(space);
  const std::uint64_t all = search::count_candidates(space, selection(limits)) - first;
  design::Random random{inputs_->design.options.seed, sample_purpose,
                        static_cast<std::uint64_t>(variant)};
  std::vector<std::uint64_t> places =
      choose(std::min(all, static_cast<std::uint64_t>(*limits.sample)), all, random);
  for (std::uint64_t& place : places) {
    place += first;
  }
  list_ = grids_at(space, places);
}

std::vector<machine::Grid> VariantGrids::grids_at(const search::SearchSpace& space,
                                                  const std::vector<std::uint64_t>& places) {
  std::vector<machine::Grid> chosen;
  if (candidates_space_ && same_candidates(*candidates_space_, space)) {
    for (const std::uint64_t place : places) {
      chosen.push_back(candidates_[place]);
    }
    return chosen;
  }
  const search::Selection wanted = selection(*inputs_->design.limits);
  const bool keep = search::count_candidates(space, wanted) <= most_kept;
  candidates_.clear();
  candidates_space_.reset();
  search::CandidateStream stream(space, wanted);
  auto place = places.begin();
  for (std::uint64_t number = 0; keep || place != places.end(); ++number) {
    const std::optional<machine::Grid> grid = stream.next();
    if (!grid) {
      break;
    }
    if (place != places.end() && *place == number) {
      chosen.push_back(*grid);
      ++place;
    }
    if (keep) {
      candidates_.push_back(*grid);
    }
  }
  if (keep) {
    candidates_space_ = space;
  }
  return chosen;
}

}  // namespace gridcast::sweep
