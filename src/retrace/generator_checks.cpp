/// What a description may say: anything that a reader or the model would refuse is an error here,
/// with the line of the description.

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <string>

#include "generator.h"
#include "gridcast/trace/limits.h"

namespace gridcast::trace {
namespace {

void check_rank(const Settings& where, std::string_view key, std::size_t rank, std::size_t most) {
  if (rank > most) {
    where.fail(key, std::to_string(rank) + " dimensions",
               "expected at most " + std::to_string(most));
  }
}

void check_position(const Settings& where, std::string_view key, std::int64_t position) {
  if (std::abs(position) > largest_position) {
    where.fail(key, "the position " + std::to_string(position) + " is out of range",
               "expected positions up to 2^40 in magnitude");
  }
}

void check_scale(const Settings& where, std::string_view key, std::int64_t scale) {
  if (std::abs(scale) > largest_scale) {
    where.fail(key, "elements lie " + std::to_string(scale) + " apart",
               "expected coefficients (with those of the pattern, and steps) up to 2^20");
  }
}

/// The index of an entry must not stand in an earlier one: the library maps each dimension once.
void check_once(const Settings& where, std::string_view key, const MappingText& mapping,
                std::size_t entry) {
  const auto end = mapping.axes.begin() + static_cast<std::ptrdiff_t>(entry);
  if (std::find(mapping.axes.begin(), end, mapping.axes[entry]) != end) {
    where.fail(key, "an index stands in two entries", "expected each index in one entry");
  }
}

}  // namespace

void Generator::check_grid(const Settings& where, const Extents& grid) {
  std::int64_t room = most_processors;
  for (const std::int64_t extent : grid) {
    if (extent < 1) {
      where.fail("grid", "an extent is smaller than 1", "expected numbers of processors from 1");
    }
    room = extent > largest_coefficient ? 0 : room / extent;
  }
  if (room < 1 || grid.size() > most_grid_dimensions) {
    where.fail("grid", "too many processors or dimensions",
               "expected up to 4 dimensions of up to 1000000, 2147483647 processors in all");
  }
}

void Generator::check_extents(const Settings& where, const Extents& extents,
                              std::int64_t element_size) {
  check_rank(where, "extents", extents.size(), most_dimensions);
  if (std::any_of(extents.begin(), extents.end(), [](std::int64_t n) { return n < 1; })) {
    where.fail("extents", "an extent is smaller than 1", "expected numbers of elements from 1");
  }
  if (!countable(extents, element_size)) {
    where.fail("extents", "too many elements", "expected an object whose bytes can be counted");
  }
}

void Generator::check_shadow(const Settings& where, const Extents& extents, const Extents& low,
                             const Extents& high) {
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const std::int64_t widest = std::max(low[i], high[i]);
    if (widest > extents[i]) {
      const bool given = low[i] > extents[i] && where.has("shadow_low");
      where.fail(given                      ? "shadow_low"
                 : where.has("shadow_high") ? "shadow_high"
                                            : "shadow",
                 "an edge of " + std::to_string(widest) + " elements along dimension " +
                     std::to_string(i + 1) + ", which has " + std::to_string(extents[i]),
                 "expected edges that are no wider than the array");
    }
  }
}

void Generator::check_inside(const Settings& where, const MappingText& mapping,
                             const Extents& extents, const std::vector<IndexRange>& ranges) {
  const bool runs = std::all_of(ranges.begin(), ranges.end(),
                                [](const IndexRange& range) { return range.count() > 0; });
  for (std::size_t i = 0; i < mapping.axes.size() && runs; ++i) {
    if (mapping.axes[i] < 0) {
      continue;
    }
    const bool moves = mapping.axes[i] > 0;
    const IndexRange fixed{.name = {}, .first = 0, .last = 0};
    const IndexRange& range = moves ? ranges[static_cast<std::size_t>(mapping.axes[i] - 1)] : fixed;
    const std::int64_t scale = moves ? mapping.coefficients[i] : 0;
    const std::int64_t last = range.first + (range.count() - 1) * range.step;
    for (const std::int64_t index : {range.first, last}) {
      const std::int64_t position = mapping.constants[i] + scale * index;
      if (position < 0 || position >= extents[i]) {
        where.fail(moves ? "loop" : "on",
                   (moves ? range.name + " = " + std::to_string(index) + " is" : std::string()) +
                       (moves ? " " : "the position " + std::to_string(position) + " is ") +
                       "outside of " + mapping.object + ", whose dimension " +
                       std::to_string(i + 1) + " has the elements 0 to " +
                       std::to_string(extents[i] - 1),
                   "expected iterations whose element exists: arrays begin at 0");
      }
    }
  }
}

void Generator::check_weights(const Settings& where, std::string_view key,
                              const std::vector<std::vector<double>>& lists) {
  constexpr double largest_weight = 1e12;
  constexpr std::size_t most_weights = 65536;
  check_rank(where, key, lists.size(), most_grid_dimensions);
  std::size_t count = 0;
  for (const std::vector<double>& list : lists) {
    count += list.size();
    const bool sound = std::all_of(list.begin(), list.end(), [](double weight) {
      return weight >= 0.0 && weight <= largest_weight;
    });
    if (!sound || !(std::accumulate(list.begin(), list.end(), 0.0) > 0.0)) {
      where.fail(key, "a number is negative or too large, or all are 0",
                 "expected numbers from 0 to 1e12, one of them positive per dimension");
    }
  }
  if (count > most_weights) {
    where.fail(key, std::to_string(count) + " numbers", "expected at most 65536");
  }
}

Generator::Composition Generator::compose(const Settings& where, std::string_view key,
                                          const MappingText& mapping, const Composition& pattern,
                                          std::size_t rank) {
  Composition composed{
      .target_rank = pattern.target_rank, .scale = Extents(rank, 0), .offset = Extents(rank, 0)};
  for (std::size_t i = 0; i < mapping.axes.size(); ++i) {
    if (mapping.axes[i] < 0) {
      continue;
    }
    const std::int64_t offset = mapping.constants[i] * pattern.scale[i] + pattern.offset[i];
    check_position(where, key, mapping.constants[i]);
    check_position(where, key, offset);
    if (mapping.axes[i] == 0) {
      continue;
    }
    const auto axis = static_cast<std::size_t>(mapping.axes[i] - 1);
    check_once(where, key, mapping, i);
    composed.scale[axis] = mapping.coefficients[i] * pattern.scale[i];
    composed.offset[axis] = offset;
    check_scale(where, key, composed.scale[axis]);
  }
  return composed;
}

void Generator::check_loop(const Settings& where, std::string_view key, const Composition& over,
                           const std::vector<IndexRange>& ranges) {
  check_rank(where, "loop", ranges.size(), most_dimensions);
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    check_position(where, key, over.offset[i] + over.scale[i] * ranges[i].first);
    check_scale(where, key, over.scale[i] * ranges[i].step);
  }
}

void Generator::check_remote(const Settings& where, const MappingText& mapping,
                             const std::vector<IndexRange>& ranges) {
  for (std::size_t i = 0; i < mapping.axes.size(); ++i) {
    if (mapping.axes[i] < 0) {
      continue;
    }
    check_position(where, "remote", mapping.constants[i]);
    if (mapping.axes[i] > 0) {
      check_once(where, "remote", mapping, i);
      const IndexRange& range = ranges[static_cast<std::size_t>(mapping.axes[i] - 1)];
      check_position(where, "remote", mapping.constants[i] + mapping.coefficients[i] * range.first);
      check_scale(where, "remote", mapping.coefficients[i] * range.step);
    }
  }
}

Generator::Section Generator::section(const Settings& where, std::string_view key,
                                      const SectionText& text, const Extents& extents) {
  if (text.ranges.size() != extents.size()) {
    where.fail(key,
               text.object + " has " + std::to_string(extents.size()) + " dimensions, not " +
                   std::to_string(text.ranges.size()),
               "expected an entry for each dimension");
  }
  Section made;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const IndexRange range =
        text.ranges[i].value_or(IndexRange{.name = {}, .first = 0, .last = extents[i] - 1});
    for (const std::int64_t end : {range.first, range.last}) {
      if (end < 0 || end >= extents[i]) {
        where.fail(key, "the position " + std::to_string(end) + " is outside of " + text.object,
                   "expected positions from 0 to " + std::to_string(extents[i] - 1));
      }
    }
    const bool whole = !text.ranges[i];
    made.first.push_back(whole ? -1 : range.first);
    made.last.push_back(whole ? -1 : range.last);
    made.step.push_back(whole ? -1 : range.step);
    if (range.count() != 1) {
      made.counts.push_back(range.count());
    }
  }
  return made;
}

}  // namespace gridcast::trace
