#include "gridcast/base/toml_limits.h"

#include <vector>

#include "gridcast/base/error.h"

namespace gridcast {
namespace {

constexpr std::size_t deepest_toml = 200;

/// Walks over a text and counts the levels of nesting, without knowing more of TOML than texts,
/// comments and brackets.
class TomlLevels {
public:
  TomlLevels(std::string_view text, const std::string& name) : rest_(text), name_(name) {}

  void require_shallow() {
    while (!rest_.empty()) {
      const char character = rest_.front();
      if (character == '"' || character == '\'') {
        skip_text(character);
        continue;
      }
      if (character == '#') {
        drop(rest_.find('\n'));
        continue;
      }
      count(character);
      drop(1);
    }
  }

private:
  void count(char character) {
    switch (character) {
      case '\n':
        // Arrays go on over lines, a key of the file's own level begins anew.
        parts_ = 0;
        break;
      case '.':
        ++parts_;
        break;
      case '[':
      case '{':
        outer_.push_back(parts_ + 1);
        levels_ += parts_ + 1;
        parts_ = 0;
        break;
      case ']':
      case '}':
        if (!outer_.empty()) {
          levels_ -= outer_.back();
          outer_.pop_back();
        }
        parts_ = 0;
        break;
      case ',':
        parts_ = 0;
        break;
      default:
        break;
    }
    if (levels_ + parts_ > deepest_toml) {
      throw InputError(
          name_, line_,
          "keys or values are nested more than " + std::to_string(deepest_toml) + " levels deep",
          "expected TOML with fewer dotted parts, tables and lists inside each other");
    }
  }

  /// A text in single or triple quotes; one that does not end is the parser's to refuse.
  void skip_text(char quote) {
    const std::string three(3, quote);
    const bool long_text = rest_.starts_with(three);
    drop(long_text ? 3 : 1);
    while (!rest_.empty()) {
      if (quote == '"' && rest_.front() == '\\') {
        drop(2);
      } else if (long_text ? rest_.starts_with(three) : rest_.front() == quote) {
        drop(long_text ? 3 : 1);
        return;
      } else if (!long_text && rest_.front() == '\n') {
        return;
      } else {
        drop(1);
      }
    }
  }

  void drop(std::size_t count) {
    const std::string_view dropped = rest_.substr(0, count);
    for (const char character : dropped) {
      line_ += character == '\n' ? 1 : 0;
    }
    rest_.remove_prefix(dropped.size());
  }

  std::string_view rest_;
  const std::string& name_;
  std::size_t line_ = 1;
  std::size_t parts_ = 0;           ///< dots since the last key began
  std::size_t levels_ = 0;          ///< of what is open
  std::vector<std::size_t> outer_;  ///< levels of each open bracket
};

}  // namespace

void require_shallow_toml(std::string_view text, const std::string& name) {
  TomlLevels(text, name).require_shallow();
}

}  // namespace gridcast
