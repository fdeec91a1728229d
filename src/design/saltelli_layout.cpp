/// Recognises the runs of a Saltelli design by the values of the factors.

#include <algorithm>
#include <bit>
#include <map>

#include "gridcast/base/error.h"
#include "gridcast/design/sobol_indices.h"

namespace gridcast::design {
namespace {

using Order = SaltelliLayout::Order;

/// Groups of rows that belong to a base point, one after the other.
class GroupCheck {
public:
  GroupCheck(std::size_t factors, bool both_ways)
      : factors_(factors),
        both_ways_(both_ways),
        size_(both_ways ? 2 * factors + 2 : factors + 2),
        differs_(factors, false) {}

  void add(std::span<const double> row) {
    if (!possible_) {
      return;
    }
    rows_.insert(rows_.end(), row.begin(), row.end());
    if (rows_.size() == size_ * factors_) {
      check();
      rows_.clear();
    }
  }

  /// After the last row: whether all groups were whole, and every factor differed between A and B
  /// somewhere.
  [[nodiscard]] bool holds() const {
    return possible_ && rows_.empty() && std::ranges::all_of(differs_, [](bool is) { return is; });
  }

private:
  [[nodiscard]] double at(std::size_t row, std::size_t factor) const {
    return rows_[row * factors_ + factor];
  }

  void check() {
    const std::size_t last = size_ - 1;
    for (std::size_t factor = 0; factor < factors_; ++factor) {
      const double a = at(0, factor);
      const double b = at(last, factor);
      differs_[factor] = differs_[factor] || a != b;
      for (std::size_t mixed = 0; mixed < factors_; ++mixed) {
        possible_ = possible_ && at(1 + mixed, factor) == (mixed == factor ? b : a);
        if (both_ways_) {
          possible_ = possible_ && at(1 + factors_ + mixed, factor) == (mixed == factor ? a : b);
        }
      }
    }
  }

  std::size_t factors_;
  bool both_ways_;
  std::size_t size_;
  std::vector<bool> differs_;
  std::vector<double> rows_;
  bool possible_ = true;
};

/// Columns of whole matrices, each as one number that depends on all values and their order.
class MatrixCheck {
public:
  MatrixCheck(std::size_t factors, std::int64_t bases)
      : factors_(factors), bases_(bases), digests_((factors + 2) * factors, 0) {}

  void add(std::span<const double> row) {
    const auto matrix = static_cast<std::size_t>(rows_++ / bases_);
    for (std::size_t factor = 0; factor < factors_; ++factor) {
      std::uint64_t& digest = digests_[matrix * factors_ + factor];
      digest = (digest ^ std::bit_cast<std::uint64_t>(row[factor] + 0.0)) * 0x9E3779B97F4A7C15ULL;
      digest ^= digest >> 29U;
    }
  }

  [[nodiscard]] bool holds() const {
    for (std::size_t factor = 0; factor < factors_; ++factor) {
      const std::uint64_t a = digests_[factor];
      const std::uint64_t b = digests_[factors_ + factor];
      if (a == b) {
        return false;
      }
      for (std::size_t mixed = 0; mixed < factors_; ++mixed) {
        if (digests_[(2 + mixed) * factors_ + factor] != (mixed == factor ? b : a)) {
          return false;
        }
      }
    }
    return true;
  }

private:
  std::size_t factors_;
  std::int64_t bases_;
  std::int64_t rows_ = 0;
  std::vector<std::uint64_t> digests_;
};

/// What one case looks like so far.
struct CaseCheck {
  explicit CaseCheck(std::size_t factors) : one_way(factors, false), both_ways(factors, true) {}
  GroupCheck one_way;
  GroupCheck both_ways;
  std::int64_t rows = 0;
};

using TakeCase = std::function<void(const std::vector<double>&, std::span<const double>)>;

void read_cases(const Table& table, const Question& question, const TakeCase& take) {
  std::vector<std::size_t> columns = table.columns_of(question.cases);
  const std::size_t first = columns.size();
  const std::vector<std::size_t> factors = table.columns_of(question.factors);
  columns.insert(columns.end(), factors.begin(), factors.end());
  std::vector<double> key(first);
  table.read(columns, [&](std::span<const double> row) {
    std::copy_n(row.begin(), first, key.begin());
    take(key, row.subspan(first));
  });
}

bool is_by_matrix(const Table& table, const Question& question,
                  const std::map<std::vector<double>, CaseCheck>& cases) {
  const auto size = static_cast<std::int64_t>(question.factors.size()) + 2;
  std::map<std::vector<double>, MatrixCheck> checks;
  for (const auto& [key, one] : cases) {
    if (one.rows % size != 0) {
      return false;
    }
    checks.try_emplace(key, question.factors.size(), one.rows / size);
  }
  read_cases(table, question, [&](const std::vector<double>& key, std::span<const double> row) {
    checks.at(key).add(row);
  });
  return std::ranges::all_of(checks, [](const auto& entry) { return entry.second.holds(); });
}

}  // namespace

std::optional<SaltelliLayout> saltelli_layout(const Table& table, const Question& question) {
  constexpr std::size_t most_cases_looked_at = 64;
  std::map<std::vector<double>, CaseCheck> cases;
  bool too_many = false;
  read_cases(table, question, [&](const std::vector<double>& key, std::span<const double> row) {
    if (cases.size() > most_cases_looked_at) {
      too_many = true;
      return;
    }
    CaseCheck& one = cases.try_emplace(key, question.factors.size()).first->second;
    ++one.rows;
    one.one_way.add(row);
    one.both_ways.add(row);
  });
  if (too_many || cases.empty()) {
    return std::nullopt;
  }
  const std::int64_t rows = cases.begin()->second.rows;
  const auto factors = static_cast<std::int64_t>(question.factors.size());
  if (std::ranges::all_of(cases, [](const auto& entry) { return entry.second.one_way.holds(); })) {
    return SaltelliLayout{Order::by_base, false, rows / (factors + 2)};
  }
  if (std::ranges::all_of(cases,
                          [](const auto& entry) { return entry.second.both_ways.holds(); })) {
    return SaltelliLayout{Order::by_base, true, rows / (2 * factors + 2)};
  }
  if (is_by_matrix(table, question, cases)) {
    return SaltelliLayout{Order::by_matrix, false, rows / (factors + 2)};
  }
  return std::nullopt;
}

}  // namespace gridcast::design
