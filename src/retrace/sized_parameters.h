#pragma once
/// The whole numbers among the parameters of a call, with their places in the text.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gridcast::trace {

struct SizedParameter {
  std::string_view name;    ///< without index
  std::string_view index;   ///< "[0]", "[1][2]" or empty
  std::string_view digits;  ///< the value as it stands in the text
  std::size_t at = 0;       ///< of the digits
  std::size_t nth = 0;      ///< which of the parameters with this name and index
  std::int64_t value = 0;

  [[nodiscard]] std::string full_name() const { return std::string(name) + std::string(index); }
};

/// What a parameter may do from size to size.
enum class ParameterRole : std::uint8_t {
  size,  ///< a polynomial in the size
  kind,  ///< the same at all sizes
  free,  ///< means nothing to the model: a polynomial if it can be, else as it is
};

class SizedParameters {
public:
  /// `text` must outlive the object.
  explicit SizedParameters(std::string_view text);

  [[nodiscard]] const std::vector<SizedParameter>& all() const noexcept { return all_; }

  /// The role of one of all(). A value that nobody reads (last index and step of a whole dimension,
  /// coefficient and constant of a replicated one) is free whatever its name: it may be
  /// uninitialised memory.
  [[nodiscard]] ParameterRole role(const SizedParameter& parameter,
                                   std::string_view function) const;

  /// The value of the parameter with the same name, index and number of occurrence.
  [[nodiscard]] std::optional<std::int64_t> find(const SizedParameter& wanted) const;

private:
  /// The value of NAME with the index.
  [[nodiscard]] std::optional<std::int64_t> value_of(std::string_view name,
                                                     std::string_view index) const;
  [[nodiscard]] bool is_unread(const SizedParameter& parameter) const;

  std::vector<SizedParameter> all_;
};

}  // namespace gridcast::trace
