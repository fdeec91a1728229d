#pragma once
/// The informational lines of one call, taken apart into NAME = value and NAME[i] = value.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace gridcast::trace {

/// The name of a parameter with its hash; made from literals at compile time.
class ParameterName {
public:
  // NOLINTNEXTLINE(google-explicit-constructor): a literal is a name
  consteval ParameterName(const char* text) : text_(text), hash_(hash_of(text_)) {}

  [[nodiscard]] constexpr std::string_view text() const noexcept { return text_; }
  [[nodiscard]] constexpr std::uint32_t hash() const noexcept { return hash_; }

  [[nodiscard]] static constexpr std::uint32_t hash_of(std::string_view text) noexcept {
    std::uint32_t hash = 2166136261U;  // FNV-1a
    for (const char c : text) {
      hash = (hash ^ static_cast<std::uint8_t>(c)) * 16777619U;
    }
    return hash;
  }

private:
  std::string_view text_;
  std::uint32_t hash_;
};

/// One `NAME = value`, `NAME[first] = value` or `NAME[first][second] = value`.
struct Parameter {
  static constexpr std::int32_t no_index = -1;
  std::string_view name;
  std::string_view value;  ///< up to the next blank or `;`
  std::uint32_t hash = 0;
  std::int32_t first = no_index;
  std::int32_t second = no_index;

  [[nodiscard]] bool is(const ParameterName& other) const noexcept {
    return hash == other.hash() && name == other.text();
  }
};

class Parameters {
public:
  /// Takes `text` (lines separated by `\n`) apart; it must outlive the use of the values. Names are
  /// whole words: `Rank` is not found in `PSRank`, `Ptr` not in `ALoc.Ptr`.
  void parse(std::string_view text);

  /// Value of the first `NAME = value`.
  [[nodiscard]] std::optional<std::string_view> scalar(const ParameterName& name) const;

  /// Values of NAME[0], NAME[1], … until one is missing.
  [[nodiscard]] std::vector<std::string_view> list(const ParameterName& name) const;

  /// Value of the first NAME[index].
  [[nodiscard]] std::optional<std::string_view> element(const ParameterName& name,
                                                        std::size_t index) const;

  [[nodiscard]] const std::vector<Parameter>& all() const noexcept { return entries_; }

private:
  std::vector<Parameter> entries_;
};

}  // namespace gridcast::trace
