#include "gridcast/design/design.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>

#include "gridcast/base/contract.h"
#include "gridcast/base/error.h"
#include "gridcast/design/random.h"

namespace gridcast::design {
namespace {

/// Bounds the memory of a Latin hypercube: 4 bytes per factor and run.
constexpr std::int64_t most_latin_runs = 10'000'000;
/// Points of the Sobol' sequence are numbered with 32 bits; more runs of other kinds are no design.
constexpr std::int64_t most_points = std::numeric_limits<std::uint32_t>::max();

constexpr std::array<std::pair<DesignKind, std::string_view>, 6> kinds{{
    {DesignKind::full_factorial, "full-factorial"},
    {DesignKind::latin_hypercube, "latin-hypercube"},
    {DesignKind::sobol, "sobol"},
    {DesignKind::saltelli, "saltelli"},
    {DesignKind::random, "random"},
    {DesignKind::plackett_burman, "plackett-burman"},
}};

/// What a stream of random numbers is for.
enum Purpose : std::uint64_t { shuffle = 1, place = 2, shift = 3, value = 4 };

std::vector<std::uint32_t> shuffled(std::int64_t count, std::uint64_t seed, std::size_t factor) {
  std::vector<std::uint32_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0U);
  Random random{seed, shuffle, factor};
  for (std::size_t left = order.size(); left > 1; --left) {
    std::swap(order[left - 1], order[random.below(left)]);
  }
  return order;
}

void require_runs(const DesignOptions& options, std::int64_t most) {
  if (!options.runs || *options.runs < 1 || *options.runs > most) {
    throw InputError(
        "the design '" + std::string(name(options.kind)) + "' has no usable number of runs",
        "expected runs = N with N in 1 ... " + std::to_string(most));
  }
}

std::int64_t factorial_runs(const std::vector<Factor>& factors) {
  std::int64_t product = 1;
  for (const Factor& factor : factors) {
    const std::int64_t levels = factor.levels();
    if (levels > most_points / product) {
      throw InputError("the full factorial has more than " + std::to_string(most_points) + " runs",
                       "expected fewer levels");
    }
    product *= levels;
  }
  return product;
}

/// A screening looks at two ends: more listed values would silently be left out.
void require_two_values(const Factor& factor) {
  const auto* list = std::get_if<ValueList>(&factor.range);
  if (list != nullptr && list->values.size() != 2) {
    throw InputError("the factor '" + factor.name + "' has " + std::to_string(list->values.size()) +
                         " values in a Plackett-Burman design",
                     "expected two values or a range");
  }
}

}  // namespace

std::string_view name(DesignKind kind) noexcept {
  for (const auto& [known, text] : kinds) {
    if (known == kind) {
      return text;
    }
  }
  return {};
}

DesignKind parse_design_kind(std::string_view text) {
  std::string names;
  for (const auto& [kind, known] : kinds) {
    if (known == text) {
      return kind;
    }
    names += (names.empty() ? "" : ", ") + std::string(known);
  }
  throw InputError("unknown kind of design '" + std::string(text) + "'", "expected " + names);
}

Design::Design(std::vector<Factor> factors, const DesignOptions& options)
    : factors_(std::move(factors)), options_(options) {
  for (std::size_t i = 0; i < factors_.size(); ++i) {
    validate(factors_[i]);
    for (std::size_t j = 0; j < i; ++j) {
      if (factors_[i].name == factors_[j].name) {
        throw InputError("the factor '" + factors_[i].name + "' is given twice",
                         "expected each name once");
      }
    }
  }
  if (options_.foldover && options_.kind != DesignKind::plackett_burman) {
    throw InputError("a design of kind '" + std::string(name(options_.kind)) + "' has no foldover",
                     "expected kind plackett-burman, or no foldover");
  }
  if (factors_.empty()) {
    return;
  }
  count_runs();
  prepare();
}

void Design::count_runs() {
  switch (options_.kind) {
    case DesignKind::full_factorial:
      if (options_.runs) {
        throw InputError("the runs of a full factorial follow from its levels",
                         "expected no runs, or another kind");
      }
      runs_ = factorial_runs(factors_);
      return;
    case DesignKind::plackett_burman: {
      std::ranges::for_each(factors_, require_two_values);
      const std::int64_t base = options_.runs.value_or(plackett_burman_runs(factors_.size()));
      screening_ = plackett_burman(base);
      if (screening_->factors() < factors_.size()) {
        throw InputError(
            std::to_string(base) + " runs are too few for " + std::to_string(factors_.size()) +
                " factors",
            "expected at least " + std::to_string(plackett_burman_runs(factors_.size())) + " runs");
      }
      runs_ = options_.foldover ? 2 * base : base;
      return;
    }
    case DesignKind::latin_hypercube:
      require_runs(options_, most_latin_runs);
      break;
    case DesignKind::sobol:
    case DesignKind::random:
      require_runs(options_, most_points);
      break;
    case DesignKind::saltelli: {
      const auto per_base = static_cast<std::int64_t>(factors_.size()) + 2;
      require_runs(options_, most_points / per_base);
      runs_ = *options_.runs * per_base;
      return;
    }
  }
  runs_ = *options_.runs;
}

void Design::prepare() {
  if (options_.kind == DesignKind::latin_hypercube) {
    for (std::size_t factor = 0; factor < factors_.size(); ++factor) {
      shares_.push_back(shuffled(runs_, options_.seed, factor));
    }
  } else if (options_.kind == DesignKind::sobol) {
    prepare_points(factors_.size());
  } else if (options_.kind == DesignKind::saltelli) {
    prepare_points(2 * factors_.size());
  } else if (screening_ && options_.foldover) {
    screening_ = foldover(*screening_);
  }
}

void Design::prepare_points(std::size_t dimensions) {
  if (dimensions > max_sobol_dimensions) {
    throw InputError("a Sobol' sequence has no " + std::to_string(dimensions) + " dimensions",
                     "expected at most " +
                         std::to_string(max_sobol_dimensions * factors_.size() / dimensions) +
                         " factors");
  }
  coordinates_ = sobol_sequence(dimensions);
  for (std::size_t i = 0; i < dimensions && options_.seed != 0; ++i) {
    const std::uint64_t bits = Random{options_.seed, shift, i}.next() >> 32U;
    coordinates_[i].shift(static_cast<std::uint32_t>(bits));
  }
}

/// A run of Saltelli's scheme takes a factor from the first or from the second half of the
/// dimensions of a point: run 0 of a point all from the first, run k + 1 all from the second, run
/// i + 1 factor i from the second.
double Design::mixed_fraction(std::size_t factor, std::uint64_t run) const {
  const std::size_t per_base = factors_.size() + 2;
  const std::size_t mixture = run % per_base;
  const bool second = mixture == factor + 1 || mixture + 1 == per_base;
  return coordinates_[factor + (second ? factors_.size() : 0)].at(
      static_cast<std::uint32_t>(run / per_base));
}

double Design::fraction(std::size_t factor, std::int64_t index) const {
  const auto number = static_cast<std::uint64_t>(index);
  if (options_.kind == DesignKind::latin_hypercube) {
    const double within = Random{options_.seed, place, factor, number}.uniform();
    return (shares_[factor][number] + within) / static_cast<double>(runs_);
  }
  if (options_.kind == DesignKind::sobol) {
    return coordinates_[factor].at(static_cast<std::uint32_t>(number));
  }
  if (options_.kind == DesignKind::saltelli) {
    return mixed_fraction(factor, number);
  }
  return Random{options_.seed, value, factor, number}.uniform();
}

std::vector<double> Design::factorial_run(std::int64_t index) const {
  std::vector<double> values(factors_.size());
  for (std::size_t factor = factors_.size(); factor-- > 0;) {
    const std::int64_t levels = factors_[factor].levels();
    values[factor] = factors_[factor].level(index % levels);
    index /= levels;
  }
  return values;
}

std::vector<double> Design::run(std::int64_t index) const {
  expects(index >= 0 && index < runs_, "the design has the run");
  if (options_.kind == DesignKind::full_factorial) {
    return factorial_run(index);
  }
  std::vector<double> values;
  values.reserve(factors_.size());
  for (std::size_t factor = 0; factor < factors_.size(); ++factor) {
    if (screening_) {
      const bool high = screening_->at(static_cast<std::size_t>(index), factor) > 0;
      values.push_back(high ? factors_[factor].high() : factors_[factor].low());
    } else {
      values.push_back(factors_[factor].at(fraction(factor, index)));
    }
  }
  return values;
}

}  // namespace gridcast::design
