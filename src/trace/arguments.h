#pragma once
/// The parameters of one call as numbers and references, with errors that name the place.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gridcast/trace/calls.h"
#include "gridcast/trace/limits.h"
#include "objects.h"
#include "parameters.h"

namespace gridcast::trace {

/// A call for messages: where it stands in the trace, and its name.
struct CallPlace {
  const std::string* file = nullptr;  ///< the trace
  std::size_t line = 0;               ///< of the call_ line
  std::string_view function;

  /// Throws InputError "FILE:LINE: FUNCTION: PROBLEM (EXPECTED)".
  [[noreturn]] void fail(const std::string& problem, const std::string& expected) const;
};

/// The informational lines after the call_ line, or those after the ret_ line. The functions whose
/// name begins with `find` leave a missing parameter empty, the others throw InputError; both throw
/// for a value that is not a number.
class Arguments {
public:
  void parse(std::string_view text) {
    text_ = text;
    parameters_.parse(text);
  }
  void set_place(const CallPlace& place) { place_ = place; }
  [[nodiscard]] const CallPlace& place() const noexcept { return place_; }

  [[nodiscard]] std::optional<std::int64_t> find_integer(const ParameterName& name) const;
  [[nodiscard]] std::int64_t integer(const ParameterName& name) const;
  /// True if the parameter is there and a number of that range.
  [[nodiscard]] bool is_integer(const ParameterName& name, std::int64_t least,
                                std::int64_t most) const;

  /// Hexadecimal of any width, 0x allowed; 0 for NULL and for -1 (all digits f).
  [[nodiscard]] std::optional<Reference> find_reference(const ParameterName& name) const;
  [[nodiscard]] Reference reference(const ParameterName& name) const;

  /// The digits of the reference as the trace has them, for messages.
  [[nodiscard]] std::string_view written(const ParameterName& name) const;

  /// NAME[0], NAME[1], …: empty if there is none.
  [[nodiscard]] Extents find_list(const ParameterName& name) const;
  /// At least one element; with `rank` exactly so many.
  [[nodiscard]] Extents list(const ParameterName& name,
                             std::optional<std::size_t> rank = std::nullopt) const;

  /// One element of a list. Lists that describe dimensions hold uninitialised memory where a
  /// dimension does not use them, so they are read element by element. Throws InputError if the
  /// element is missing or no number.
  [[nodiscard]] std::int64_t element(const ParameterName& name, std::size_t index) const;
  /// The same with values up to largest_coefficient.
  [[nodiscard]] std::int64_t coefficient(const ParameterName& name, std::size_t index) const;

  [[nodiscard]] double real(const Parameter& parameter) const;
  [[nodiscard]] std::int64_t integer(const Parameter& parameter) const;

  [[nodiscard]] const Parameters& parameters() const noexcept { return parameters_; }
  [[nodiscard]] std::string_view text() const noexcept { return text_; }

  [[noreturn]] void missing(const ParameterName& name) const;

private:
  std::string_view text_;
  Parameters parameters_;
  CallPlace place_;
};

/// The word without unprintable characters, shortened: for messages.
[[nodiscard]] std::string shortened(std::string_view word);

}  // namespace gridcast::trace
