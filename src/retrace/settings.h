#pragma once
/// One table of a program description, with values checked as they are taken and errors that name
/// the file and line.

#include <toml++/toml.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "expression.h"

namespace gridcast::trace {

class Settings {
public:
  /// `file` (for messages) and `names` (what expressions may use) must outlive the object.
  Settings(const toml::table& table, const std::string& file, const Names& names)
      : table_(&table), file_(&file), names_(&names) {}

  /// Line of the table in the description.
  [[nodiscard]] std::uint32_t line() const;
  [[nodiscard]] const Names& names() const noexcept { return *names_; }

  /// True if a key is there. The functions below throw InputError for a missing key and a value of
  /// the wrong type; each counts the key as known.
  [[nodiscard]] bool has(std::string_view key) const;

  [[nodiscard]] bool is_text(std::string_view key) const;
  [[nodiscard]] bool is_list(std::string_view key) const;
  [[nodiscard]] std::string text(std::string_view key) const;
  /// A list of texts; a single text is a list of one.
  [[nodiscard]] std::vector<std::string> texts(std::string_view key) const;
  [[nodiscard]] bool flag(std::string_view key, bool otherwise) const;
  /// A list of truth values; a single one is a list of one.
  [[nodiscard]] std::vector<bool> flags(std::string_view key) const;
  /// Numbers are written as numbers or as expressions.
  [[nodiscard]] double real(std::string_view key) const;
  [[nodiscard]] double not_negative(std::string_view key) const;
  [[nodiscard]] std::int64_t whole(std::string_view key) const;
  [[nodiscard]] std::int64_t whole(std::string_view key, std::int64_t otherwise) const;
  [[nodiscard]] std::vector<std::int64_t> wholes(std::string_view key) const;
  /// A list of numbers; a single one is a list of one.
  [[nodiscard]] std::vector<double> numbers(std::string_view key) const;
  /// A list of lists of numbers.
  [[nodiscard]] std::vector<std::vector<double>> reals(std::string_view key) const;
  /// Tables under a key ([[key]] or { … }), none if it is missing.
  [[nodiscard]] std::vector<Settings> tables(std::string_view key) const;
  [[nodiscard]] std::optional<Settings> table(std::string_view key) const;
  /// A list of texts and tables { … }, each a text or a table; a single one is a list of one.
  [[nodiscard]] std::vector<std::pair<std::string, std::optional<Settings>>> entries(
      std::string_view key) const;
  /// The keys of the table, in the order of the file.
  [[nodiscard]] std::vector<std::string> keys() const;

  /// The same table with other names for its expressions.
  [[nodiscard]] Settings with(const Names& names) const { return {*table_, *file_, names}; }

  /// Expressions out of texts that the caller has taken apart; `key` is where they stand.
  [[nodiscard]] double evaluated(std::string_view key, std::string_view expression,
                                 const Names& names) const;
  [[nodiscard]] std::int64_t whole_of(std::string_view key, std::string_view expression,
                                      const Names& names) const;
  [[nodiscard]] std::int64_t whole_of(std::string_view key, double value) const;

  /// An expression that the grid and the process decide, too.
  [[nodiscard]] Formula formula(std::string_view key, const BlockNames& of_block) const;

  /// Throws InputError for a key that nobody has asked for. `expected`: the keys that there are.
  void finish(const std::string& expected) const;

  /// Where the value of a key stands.
  [[nodiscard]] std::uint32_t line_of(std::string_view key) const;

  [[noreturn]] void fail(std::string_view key, const std::string& problem,
                         const std::string& expected) const;

private:
  [[nodiscard]] const toml::node& node(std::string_view key) const;
  [[nodiscard]] double number_in(std::string_view key, const toml::node& node) const;

  const toml::table* table_;
  const std::string* file_;
  const Names* names_;
  mutable std::set<std::string, std::less<>> known_;
};

/// Parses a description. Throws InputError with the file and line of a syntax error.
[[nodiscard]] toml::table parse_description(std::string_view text, const std::string& file);

}  // namespace gridcast::trace
