#include <algorithm>

#include "compiler.h"

namespace gridcast::model {
namespace {

template <class T>
Slice intern_list(std::span<const T> values, std::vector<T>& pool,
                  std::map<std::vector<T>, Slice>& known) {
  if (values.empty()) {
    return {};
  }
  const auto [at, is_new] = known.try_emplace(std::vector<T>(values.begin(), values.end()));
  if (is_new) {
    at->second = {static_cast<std::uint32_t>(pool.size()),
                  static_cast<std::uint32_t>(values.size())};
    pool.insert(pool.end(), values.begin(), values.end());
  }
  return at->second;
}

/// Finds the values as they stand somewhere in the pool, or appends them. For pools that stay
/// small.
template <class T>
Slice find_or_append(std::span<const T> values, std::vector<T>& pool) {
  if (values.empty()) {
    return {};
  }
  const auto at = std::search(pool.begin(), pool.end(), values.begin(), values.end());
  const auto begin = static_cast<std::uint32_t>(at - pool.begin());
  if (at == pool.end()) {
    pool.insert(pool.end(), values.begin(), values.end());
  }
  return {begin, static_cast<std::uint32_t>(values.size())};
}

}  // namespace

Slice TableBuilder::ints(std::span<const std::int64_t> values) {
  return intern_list(values, tables.ints, known_ints_);
}

Slice TableBuilder::reals(std::span<const double> values) {
  return intern_list(values, tables.reals, known_reals_);
}

Slice TableBuilder::part_ids(std::span<const std::uint32_t> values) {
  return intern_list(values, tables.part_ids, known_ids_);
}

Slice TableBuilder::rules(std::span<const mapping::AxisRule> values) {
  return intern_list(values, tables.rules, known_rules_);
}

Slice TableBuilder::slices(std::span<const Slice> values) {
  return find_or_append(values, tables.slices);
}

Slice TableBuilder::chars(std::string_view text) {
  return find_or_append(std::span<const char>(text), tables.chars);
}

}  // namespace gridcast::model
