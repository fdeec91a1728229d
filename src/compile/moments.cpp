#include "moments.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <tuple>

namespace gridcast::model {
namespace {

using mapping::AxisRule;

/// Loops that lie alike but for where they begin and end.
using Likeness = std::tuple<double, std::vector<std::int64_t>, std::uint32_t, std::uint32_t,
                            std::vector<AxisRule>>;

class Buffers {
public:
  explicit Buffers(const Script::Builder& tables) : tables_(tables) {}

  /// For every holding the one that stands for it.
  [[nodiscard]] std::vector<std::uint32_t> representatives() const {
    std::vector<std::uint32_t> result(tables_.holdings.size());
    std::iota(result.begin(), result.end(), 0U);
    std::map<Likeness, std::vector<std::uint32_t>> alike;
    for (std::uint32_t id = 0; id < result.size(); ++id) {
      const HoldingSpec& spec = tables_.holdings[id];
      if (spec.powers.count > 0) {
        alike[likeness(spec)].push_back(id);
      }
    }
    for (auto& [key, ids] : alike) {
      std::stable_sort(ids.begin(), ids.end(), [this](std::uint32_t a, std::uint32_t b) {
        return iterations(a) > iterations(b);
      });
      std::vector<std::uint32_t> largest;
      for (const std::uint32_t id : ids) {
        const auto found = std::find_if(largest.begin(), largest.end(), [&](std::uint32_t other) {
          return lies_in(tables_.holdings[id], tables_.holdings[other]);
        });
        if (found == largest.end()) {
          largest.push_back(id);
        } else {
          result[id] = *found;
        }
      }
    }
    return result;
  }

private:
  [[nodiscard]] const PlacementSpec& loop(const HoldingSpec& spec) const {
    return tables_.placements[spec.placement];
  }

  [[nodiscard]] double iterations(std::uint32_t id) const {
    return mapping::elements_of(entries(tables_.ints, loop(tables_.holdings[id]).extents));
  }

  [[nodiscard]] Likeness likeness(const HoldingSpec& spec) const {
    const auto powers = entries(tables_.ints, spec.powers);
    const auto rules = entries(tables_.rules, loop(spec).rules);
    std::vector<AxisRule> kinds(rules.begin(), rules.end());
    for (AxisRule& rule : kinds) {
      if (rule.kind == AxisRule::Kind::linear) {
        rule.constant = 0;
      }
    }
    return {spec.bytes, {powers.begin(), powers.end()}, loop(spec).target, loop(spec).view, kinds};
  }

  /// Whether every element of the template that belongs to an iteration of `inner` belongs to one
  /// of `outer`. Precondition: alike.
  [[nodiscard]] bool lies_in(const HoldingSpec& inner, const HoldingSpec& outer) const {
    const auto rules = entries(tables_.rules, loop(inner).rules);
    const auto outer_rules = entries(tables_.rules, loop(outer).rules);
    const auto extents = entries(tables_.ints, loop(inner).extents);
    const auto outer_extents = entries(tables_.ints, loop(outer).extents);
    for (std::size_t i = 0; i < rules.size(); ++i) {
      if (rules[i].kind != AxisRule::Kind::linear) {
        continue;
      }
      const auto dim = static_cast<std::size_t>(rules[i].dim);
      const std::int64_t distance = rules[i].constant - outer_rules[i].constant;
      const std::int64_t steps = distance / rules[i].coefficient;
      if (distance % rules[i].coefficient != 0 || steps < 0 ||
          steps + extents[dim] > outer_extents[dim]) {
        return false;
      }
    }
    return std::equal(extents.begin(), extents.end(), outer_extents.begin(),
                      std::less_equal<>());  // also along dimensions that no rule names
  }

  const Script::Builder& tables_;
};

/// The most moments that are compared with each other.
constexpr std::size_t most_compared = 512;

/// Leaves out moments that another one includes.
void keep_largest(std::set<std::vector<std::uint32_t>>& moments) {
  if (moments.size() > most_compared) {
    return;
  }
  std::erase_if(moments, [&](const std::vector<std::uint32_t>& moment) {
    return std::any_of(moments.begin(), moments.end(), [&](const auto& other) {
      return other.size() > moment.size() &&
             std::includes(other.begin(), other.end(), moment.begin(), moment.end());
    });
  });
}

}  // namespace

void write_moments(const std::set<std::vector<std::uint32_t>>& moments, Script::Builder& tables) {
  const std::vector<std::uint32_t> representatives = Buffers(tables).representatives();
  std::set<std::vector<std::uint32_t>> written;
  for (std::vector<std::uint32_t> moment : moments) {
    for (std::uint32_t& id : moment) {
      id = representatives[id];
    }
    std::sort(moment.begin(), moment.end());
    written.insert(std::move(moment));
  }
  keep_largest(written);
  for (const std::vector<std::uint32_t>& moment : written) {
    const auto begin = static_cast<std::uint32_t>(tables.part_ids.size());
    tables.part_ids.insert(tables.part_ids.end(), moment.begin(), moment.end());
    tables.moments.push_back({begin, static_cast<std::uint32_t>(moment.size())});
  }
}

}  // namespace gridcast::model
