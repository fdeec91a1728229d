#include "gridcast/calibrate/comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "gridcast/base/error.h"

namespace gridcast::calibrate {
namespace {

bool same_grid(const Compared& a, const Compared& b) {
  return a.program == b.program && a.grid == b.grid;
}

/// Brings the rows into their order and leaves one of each grid.
std::vector<Compared> merged(std::vector<Compared> rows) {
  std::ranges::stable_sort(rows, [](const Compared& a, const Compared& b) {
    return a.program != b.program ? a.program < b.program : machine::compare(a.grid, b.grid) < 0;
  });
  std::vector<Compared> result;
  for (auto first = rows.begin(); first != rows.end();) {
    const auto last = std::find_if(
        first, rows.end(), [&first](const Compared& row) { return !same_grid(*first, row); });
    std::vector<double> times;
    for (auto row = first; row != last; ++row) {
      times.push_back(row->measured);
    }
    result.push_back(*first);
    result.back().measured = median_of(std::move(times));
    first = last;
  }
  return result;
}

std::string name_of(const Compared& row, Subject subject) {
  return subject == Subject::grids ? row.grid.text() : row.program + " " + row.grid.text();
}

ComparedGroup group_of(std::span<const Compared> rows, std::int64_t processors,
                       Subject subject = Subject::grids) {
  std::vector<double> predicted;
  std::vector<double> measured;
  for (const Compared& row : rows) {
    predicted.push_back(row.predicted);
    measured.push_back(row.measured);
  }
  const auto name = [&](std::size_t row) { return name_of(rows[row], subject); };
  const auto least = [](const std::vector<double>& times) {
    return static_cast<std::size_t>(std::ranges::min_element(times) - times.begin());
  };
  ComparedGroup group;
  group.program = subject == Subject::grids ? rows.front().program : std::string();
  group.processors = processors;
  group.errors = errors_of(predicted, measured);
  group.tau = kendall_tau(predicted, measured);
  group.regret = regret_of(predicted, measured);
  group.chosen = name(least(predicted));
  group.fastest = name(least(measured));
  const OrderError order = order_error(predicted, measured);
  group.order_error = order.size();
  group.gain = order.gain;
  group.loss = order.loss;
  if (order.size() > 0.0) {
    group.promised = name(order.first);
    group.better = name(order.second);
  }
  return group;
}

/// The groups of variants, from the fewest processors on.
void add_variant_groups(std::vector<Compared> rows, std::vector<ComparedGroup>& groups) {
  const auto processors = [](const Compared& row) { return row.grid.processors(); };
  std::ranges::stable_sort(rows, {}, processors);
  for (auto first = rows.begin(); first != rows.end();) {
    const auto last =
        std::ranges::upper_bound(first, rows.end(), processors(*first), {}, processors);
    if (last - first > 1) {
      groups.push_back(group_of({first, last}, processors(*first), Subject::variants));
    }
    first = last;
  }
}

/// Times that differ by less, in parts of the least one, are in no order: published times have
/// three or four digits.
constexpr double same_time = 1e-3;

/// Numbers of pairs that are equal in a run of `count` equal values.
double pairs(std::size_t count) noexcept {
  return 0.5 * static_cast<double>(count) * (static_cast<double>(count) - 1.0);
}

/// Pairs of equal neighbours in a sorted order.
template <class Equal>
double tied_pairs(std::span<const std::size_t> order, Equal equal) {
  double ties = 0.0;
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first + 1;
    while (last < order.size() && equal(order[first], order[last])) {
      ++last;
    }
    ties += pairs(last - first);
    first = last;
  }
  return ties;
}

/// Sorts by value and counts the exchanges of neighbours that this takes (merge sort).
double count_exchanges(std::vector<std::size_t>& order, std::span<const double> values) {
  double exchanges = 0.0;
  std::vector<std::size_t> merged(order.size());
  for (std::size_t width = 1; width < order.size(); width *= 2) {
    for (std::size_t begin = 0; begin < order.size(); begin += 2 * width) {
      const std::size_t middle = std::min(begin + width, order.size());
      const std::size_t end = std::min(begin + 2 * width, order.size());
      std::size_t left = begin;
      std::size_t right = middle;
      for (std::size_t place = begin; place < end; ++place) {
        const bool from_right =
            right < end && (left == middle || values[order[right]] < values[order[left]]);
        exchanges += from_right ? static_cast<double>(middle - left) : 0.0;
        merged[place] = order[from_right ? right++ : left++];
      }
    }
    order.swap(merged);
  }
  return exchanges;
}

/// The smallest value so far of each prefix of places (a binary indexed tree).
class LeastOfPrefixes {
public:
  explicit LeastOfPrefixes(std::size_t places) : best_(places + 1, none) {}

  /// `item` with `value` at `place`.
  void add(std::size_t place, std::size_t item, double value) {
    for (std::size_t i = place + 1; i < best_.size(); i += i & (~i + 1)) {
      if (best_[i].item == no_item || value < best_[i].value) {
        best_[i] = {item, value};
      }
    }
  }

  /// The item with the smallest value at places below `end`; no_item if there is none.
  [[nodiscard]] std::size_t least(std::size_t end) const {
    Best least = none;
    for (std::size_t i = end; i > 0; i -= i & (~i + 1)) {
      if (best_[i].item != no_item && (least.item == no_item || best_[i].value < least.value)) {
        least = best_[i];
      }
    }
    return least.item;
  }

  static constexpr std::size_t no_item = std::numeric_limits<std::size_t>::max();

private:
  struct Best {
    std::size_t item;
    double value;
  };
  static constexpr Best none{no_item, 0.0};
  std::vector<Best> best_;
};

std::vector<std::size_t> sorted_by(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [values](std::size_t i) { return values[i]; });
  return order;
}

/// The groups of the rows of one program, which are sorted by number of processors.
void add_groups(std::span<const Compared> rows, std::vector<ComparedGroup>& groups) {
  groups.push_back(group_of(rows, 0));
  for (auto first = rows.begin(); first != rows.end();) {
    const std::int64_t processors = first->grid.processors();
    const auto last = std::find_if(first, rows.end(), [processors](const Compared& row) {
      return row.grid.processors() != processors;
    });
    if (last - first > 1) {
      groups.push_back(group_of({first, last}, processors));
    }
    first = last;
  }
}

}  // namespace

double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

Errors errors_of(std::span<const double> predicted, std::span<const double> measured) {
  Errors errors;
  std::vector<double> sizes;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    const double error = predicted[i] / measured[i] - 1.0;
    errors.bias += error;
    errors.mean += std::abs(error);
    sizes.push_back(std::abs(error));
  }
  errors.count = sizes.size();
  if (sizes.empty()) {
    return errors;
  }
  errors.bias /= static_cast<double>(errors.count);
  errors.mean /= static_cast<double>(errors.count);
  errors.worst = *std::ranges::max_element(sizes);
  errors.median = median_of(std::move(sizes));
  return errors;
}

std::optional<double> kendall_tau(std::span<const double> a, std::span<const double> b) {
  std::vector<std::size_t> order(a.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [a, b](std::size_t i, std::size_t j) {
    return a[i] != a[j] ? a[i] < a[j] : b[i] < b[j];
  });
  const auto same_a = [a](std::size_t i, std::size_t j) { return a[i] == a[j]; };
  const auto same_b = [b](std::size_t i, std::size_t j) { return b[i] == b[j]; };
  const double all = pairs(a.size());
  const double tied_a = tied_pairs(order, same_a);
  const double tied_both =
      tied_pairs(order, [&](std::size_t i, std::size_t j) { return same_a(i, j) && same_b(i, j); });
  const double opposed = count_exchanges(order, b);
  const double tied_b = tied_pairs(order, same_b);
  if (tied_a == all || tied_b == all) {
    return std::nullopt;
  }
  const double agreeing = all - tied_a - tied_b + tied_both - 2.0 * opposed;
  return agreeing / std::sqrt((all - tied_a) * (all - tied_b));
}

OrderError order_error(std::span<const double> predicted, std::span<const double> measured) {
  OrderError worst;
  if (predicted.empty()) {
    return worst;
  }
  const double least_predicted = *std::ranges::min_element(predicted);
  const double least_measured = *std::ranges::min_element(measured);
  if (!(least_predicted > 0.0 && least_measured > 0.0)) {
    return worst;  // a program that takes no time has no parts of it
  }
  // Of a pair (i, j) in the wrong order the error is e_j - e_i, so for each j the least e_i counts
  // among those that were predicted to be faster and are slower.
  const auto e = [&](std::size_t i) {
    return predicted[i] / least_predicted - measured[i] / least_measured;
  };
  const std::vector<std::size_t> by_measured = sorted_by(measured);
  const auto slower_than = [&](double seconds) {  // how many are measured to be slower
    const auto after = std::ranges::upper_bound(by_measured, seconds, {},
                                                [&](std::size_t i) { return measured[i]; });
    return static_cast<std::size_t>(by_measured.end() - after);
  };
  LeastOfPrefixes faster(predicted.size());
  const std::vector<std::size_t> by_predicted = sorted_by(predicted);
  auto next = by_predicted.begin();
  for (const std::size_t j : by_predicted) {
    for (; predicted[*next] < predicted[j] - same_time * least_predicted; ++next) {
      faster.add(slower_than(measured[*next]), *next, e(*next));
    }
    const std::size_t i = faster.least(slower_than(measured[j] + same_time * least_measured));
    if (i != LeastOfPrefixes::no_item && e(j) - e(i) > worst.size()) {
      worst = {i, j, (predicted[j] - predicted[i]) / least_predicted,
               (measured[i] - measured[j]) / least_measured};
    }
  }
  return worst;
}

double regret_of(std::span<const double> predicted, std::span<const double> measured) {
  if (predicted.empty()) {
    return 0.0;
  }
  const double least = *std::ranges::min_element(predicted);
  const double fastest = *std::ranges::min_element(measured);
  double chosen = 0.0;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    if (predicted[i] == least) {
      chosen = std::max(chosen, measured[i]);
    }
  }
  return chosen / fastest - 1.0;
}

Comparison compare_times(std::vector<Compared> rows, Subject subject) {
  if (rows.empty()) {
    throw InputError("no grid has both a predicted and a measured time",
                     "expected grids that both sides know");
  }
  Comparison result;
  result.subject = subject;
  result.rows = merged(std::move(rows));
  std::vector<double> predicted;
  std::vector<double> measured;
  for (const Compared& row : result.rows) {
    predicted.push_back(row.predicted);
    measured.push_back(row.measured);
  }
  result.errors = errors_of(predicted, measured);
  if (subject == Subject::variants) {
    add_variant_groups(result.rows, result.groups);
    return result;
  }
  const std::span<const Compared> all(result.rows);
  for (auto first = all.begin(); first != all.end();) {
    const auto last = std::find_if(
        first, all.end(), [&first](const Compared& row) { return row.program != first->program; });
    add_groups({first, last}, result.groups);
    first = last;
  }
  return result;
}

}  // namespace gridcast::calibrate
