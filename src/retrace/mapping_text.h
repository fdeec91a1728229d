#pragma once
/// The notations of program descriptions for ranges "i = 1 : n-2 : 2", mappings "A[i, 2*j+1, *]"
/// and sections "A[0:n-1, 3, *]".

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gridcast/trace/calls.h"
#include "settings.h"

namespace gridcast::trace {

/// "name = first : last : step", the step may be left out.
struct IndexRange {
  std::string name;
  std::int64_t first = 0, last = 0, step = 1;

  /// Number of the values.
  [[nodiscard]] std::int64_t count() const;
};

[[nodiscard]] IndexRange read_range(const Settings& where, std::string_view key,
                                    std::string_view text);

/// "A[i, 2*j+1, *]": an entry per dimension of A, in the form of the library (AlignmentRule).
struct MappingText {
  std::string object;
  std::vector<std::int64_t> axes, coefficients, constants;
};

/// `indices`: the names of the dimensions that are mapped.
[[nodiscard]] MappingText read_mapping(const Settings& where, std::string_view key,
                                       std::string_view text,
                                       const std::vector<std::string>& indices);

/// "A[first:last:step, element, *]".
struct SectionText {
  std::string object;
  std::vector<std::optional<IndexRange>> ranges;  ///< none for '*'
};

[[nodiscard]] SectionText read_section(const Settings& where, std::string_view key,
                                       std::string_view text);

}  // namespace gridcast::trace
