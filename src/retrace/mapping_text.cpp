#include "mapping_text.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "gridcast/trace/limits.h"

namespace gridcast::trace {
namespace {

/// The parts between separators outside parentheses.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == separator && depth == 0)) {
      parts.push_back(trimmed(text.substr(begin, i - begin)));
      begin = i + 1;
    } else if (text[i] == '(') {
      ++depth;
    } else if (text[i] == ')') {
      --depth;
    }
  }
  return parts;
}

struct Indexed {
  std::string object;
  std::vector<std::string_view> entries;
};

/// "A[x, y]".
Indexed read_indexed(const Settings& where, std::string_view key, std::string_view text) {
  text = trimmed(text);
  const std::size_t open = text.find('[');
  if (open == std::string_view::npos || text.back() != ']' ||
      !is_name(trimmed(text.substr(0, open)))) {
    where.fail(key, "\"" + std::string(text) + "\" cannot be read", "expected NAME[ENTRY, ENTRY]");
  }
  return {.object = std::string(trimmed(text.substr(0, open))),
          .entries = split(text.substr(open + 1, text.size() - open - 2), ',')};
}

/// One entry as coefficient * index + constant.
void append_linear(const Settings& where, std::string_view key, std::string_view entry,
                   const std::vector<std::string>& indices, MappingText& mapping) {
  Names names = where.names();
  for (const std::string& index : indices) {
    names[index] = 0.0;
  }
  const double constant = where.evaluated(key, entry, names);
  std::int64_t axis = 0;
  double coefficient = 0.0;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    names[indices[i]] = 1.0;
    const double slope = where.evaluated(key, entry, names) - constant;
    names[indices[i]] = 3.0;
    const double thrice = where.evaluated(key, entry, names) - constant;
    names[indices[i]] = 0.0;
    if (std::fabs(thrice - 3.0 * slope) > 1e-9 * std::max(1.0, std::fabs(thrice)) ||
        (slope != 0.0 && axis != 0)) {
      where.fail(key, "\"" + std::string(entry) + "\" is not linear in one index",
                 "expected COEFFICIENT*INDEX + CONSTANT");
    }
    if (slope != 0.0) {
      axis = static_cast<std::int64_t>(i + 1);
      coefficient = slope;
    }
  }
  if (std::fabs(coefficient) > static_cast<double>(largest_coefficient)) {
    where.fail(key, "\"" + std::string(entry) + "\" has a coefficient that is too large",
               "expected coefficients up to a million");
  }
  mapping.axes.push_back(axis);
  mapping.coefficients.push_back(where.whole_of(key, coefficient));
  mapping.constants.push_back(where.whole_of(key, constant));
}

/// "first : last : step".
void read_bounds(const Settings& where, std::string_view key, std::string_view text,
                 IndexRange& range) {
  const auto parts = split(text, ':');
  if (parts.size() < 2 || parts.size() > 3) {
    where.fail(key, "\"" + std::string(text) + "\" is not a range",
               "expected FIRST : LAST or FIRST : LAST : STEP");
  }
  range.first = where.whole_of(key, parts[0], where.names());
  range.last = where.whole_of(key, parts[1], where.names());
  range.step = parts.size() == 3 ? where.whole_of(key, parts[2], where.names()) : 1;
  if (range.step == 0 || std::abs(range.step) > largest_scale) {
    where.fail(key, "the step is " + std::to_string(range.step),
               "expected a step that is not 0, up to 2^20 in magnitude");
  }
}

}  // namespace

std::int64_t IndexRange::count() const {
  return std::max<std::int64_t>(0, (last - first + step) / step);
}

IndexRange read_range(const Settings& where, std::string_view key, std::string_view text) {
  IndexRange range;
  const std::size_t equals = text.find('=');
  const std::string_view name = trimmed(text.substr(0, std::min(equals, text.size())));
  if (equals == std::string_view::npos || !is_name(name)) {
    where.fail(key, "\"" + std::string(text) + "\" cannot be read",
               "expected INDEX = FIRST : LAST or INDEX = FIRST : LAST : STEP");
  }
  range.name = std::string(name);
  if (where.names().contains(range.name)) {
    where.fail(key, "the index '" + range.name + "' is a parameter or an outer index already",
               "expected another name");
  }
  read_bounds(where, key, text.substr(equals + 1), range);
  return range;
}

MappingText read_mapping(const Settings& where, std::string_view key, std::string_view text,
                         const std::vector<std::string>& indices) {
  const Indexed indexed = read_indexed(where, key, text);
  MappingText mapping;
  mapping.object = indexed.object;
  for (const std::string_view entry : indexed.entries) {
    if (entry == "*") {
      mapping.axes.push_back(-1);
      mapping.coefficients.push_back(0);
      mapping.constants.push_back(0);
    } else {
      append_linear(where, key, entry, indices, mapping);
    }
  }
  return mapping;
}

SectionText read_section(const Settings& where, std::string_view key, std::string_view text) {
  const Indexed indexed = read_indexed(where, key, text);
  SectionText section;
  section.object = indexed.object;
  for (const std::string_view entry : indexed.entries) {
    IndexRange range;
    const bool whole = entry == "*";
    if (!whole && entry.find(':') == std::string_view::npos) {
      range.first = range.last = where.whole_of(key, entry, where.names());
    } else if (!whole) {
      read_bounds(where, key, entry, range);
    }
    section.ranges.push_back(whole ? std::nullopt : std::optional(range));
  }
  return section;
}

}  // namespace gridcast::trace
