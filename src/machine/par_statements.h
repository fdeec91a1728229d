#pragma once
/// Statements of a .par file, before anything is known about what they mean ([Predictor2010 §2.4]).

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gridcast::machine::par {

/// `7`, `0.004`, `1e-3`.
struct Number {
  double value = 0.0;
  std::string text;  ///< as written
};

/// `ethernet`, `network`, the name of a cluster.
struct Word {
  std::string text;
};

/// `myrinet (4)`.
struct Call {
  std::string word;
  Number argument;
};

/// `b.CommType`.
struct Reference {
  std::string name;
  std::string attribute;
};

/// `4 x node`, `node`, in a topology `4`, in a table `4 (0.9)` or `64 2048 doubling`.
struct ListEntry {
  std::optional<Number> number;
  std::string name;
  std::vector<Number> arguments;  ///< behind the number: in parentheses, or one before the name
  std::size_t line = 0;
};

/// `{4 x a, 2 x b}`.
struct List {
  std::vector<ListEntry> entries;
};

using Value = std::variant<Number, Word, Call, Reference, List>;

/// `KEY = VALUE;` or `KEY.ATTRIBUTE = VALUE;`.
struct Statement {
  std::string key;        ///< as written; several words ("start time") joined by one space
  std::string attribute;  ///< as written; empty if there is none
  Value value;
  std::size_t line = 0;        ///< of the key
  std::size_t value_line = 0;  ///< of the value

  /// KEY or KEY.ATTRIBUTE, for messages.
  [[nodiscard]] std::string subject() const;
};

/// Reads all statements. Throws InputError with `file` and line for anything else between them.
std::vector<Statement> statements(std::string_view text, const std::string& file);

}  // namespace gridcast::machine::par
