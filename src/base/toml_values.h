#pragma once
/// Files in TOML: parsed within limits, and values that are refused with their line if they are of
/// another kind.

#include <toml++/toml.h>

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "gridcast/base/error.h"

namespace gridcast {

[[nodiscard]] inline std::size_t line_of(const toml::node& node) {
  return node.source().begin.line;
}

/// Throws InputError with the line of a syntax error, or if it nests deeper than any file of a
/// user. `remedy`: what to say then.
[[nodiscard]] toml::table parse_toml(std::string_view text, const std::string& name,
                                     const std::string& remedy);

/// Throws InputError if the file cannot be read; `expected`: "a design file (.toml)".
[[nodiscard]] std::string toml_text(const std::filesystem::path& path, const std::string& expected);

/// Values of one file; `what` names a value in messages.
class TomlValues {
public:
  using Keys = std::initializer_list<std::string_view>;

  explicit TomlValues(const std::string& file)
      : file_(file), folder_(std::filesystem::path(file).parent_path()) {}

  [[nodiscard]] const std::string& file() const noexcept { return file_; }

  /// Throws InputError about the line.
  [[noreturn]] void refuse(std::size_t line, const std::string& problem,
                           const std::string& remedy) const;
  /// Refuses keys of the table that are not named.
  void only(const toml::table& table, Keys keys, const std::string& what) const;
  [[nodiscard]] const toml::table& table(const toml::node& node, const std::string& what) const;
  /// A list with at least one element.
  [[nodiscard]] const toml::array& array(const toml::node& node, const std::string& what) const;
  [[nodiscard]] std::string text(const toml::node& node, const std::string& what) const;
  [[nodiscard]] bool boolean(const toml::node& node, const std::string& what) const;
  [[nodiscard]] double number(const toml::node& node, const std::string& what) const;
  /// A whole number that is not below `least`.
  [[nodiscard]] std::int64_t whole(const toml::node& node, const std::string& what,
                                   std::int64_t least) const;
  /// A list with at least one number.
  [[nodiscard]] std::vector<double> numbers(const toml::node& node, const std::string& what) const;
  /// Relative to the folder of the file.
  [[nodiscard]] std::filesystem::path path(const toml::node& node, const std::string& what) const;
  /// Refuses a table without the key.
  [[nodiscard]] const toml::node& required(const toml::table& table, std::string_view key,
                                           const std::string& example) const;

  /// Adds file and line to an error about one value.
  template <class Step>
  auto checked(std::size_t line, Step&& step) const -> decltype(step()) {
    try {
      return step();
    } catch (const InputError& error) {
      if (!error.file().empty()) {
        throw;
      }
      refuse(line, error.problem(), error.remedy());
    }
  }

private:
  std::string file_;
  std::filesystem::path folder_;
};

}  // namespace gridcast
