#include "csv_table.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <optional>
#include <set>
#include <string_view>

#include "gridcast/base/error.h"

namespace gridcast::design {
namespace {

/// Longer lines are no table of runs.
constexpr std::size_t longest_csv_line = std::size_t{1} << 20U;

/// Reads records; a quoted cell may hold the separator and line ends.
class CsvReader {
public:
  CsvReader(const std::filesystem::path& path, char separator)
      : name_(path.string()), in_(path, std::ios::binary), separator_(separator) {
    if (!in_) {
      throw InputError(name_, 0, "cannot be read", "expected a CSV file");
    }
  }

  /// The next record that is not empty; false at the end.
  bool next(std::vector<std::string>& cells) {
    while (std::getline(in_, text_)) {
      ++line_;
      begin_ = line_;
      complete_quotes();
      if (line_ == 1 && text_.starts_with("\xEF\xBB\xBF")) {
        text_.erase(0, 3);
      }
      if (text_.ends_with('\r')) {
        text_.pop_back();
      }
      if (!text_.empty() && !text_.starts_with('#')) {
        split(cells);
        return true;
      }
    }
    return false;
  }

  /// Line on which the last record begins.
  [[nodiscard]] std::size_t line() const noexcept { return begin_; }

private:
  void complete_quotes() {
    while (std::ranges::count(text_, '"') % 2 != 0) {
      std::string more;
      if (text_.size() > longest_csv_line || !std::getline(in_, more)) {
        throw InputError(name_, begin_, "a quotation mark is not closed", "expected CSV");
      }
      ++line_;
      text_ += '\n' + more;
    }
  }

  void split(std::vector<std::string>& cells) const {
    cells.assign(1, {});
    bool quoted = false;
    for (std::size_t i = 0; i < text_.size(); ++i) {
      const char character = text_[i];
      if (character == '"') {
        if (quoted && i + 1 < text_.size() && text_[i + 1] == '"') {
          cells.back() += '"';
          ++i;
        } else {
          quoted = !quoted;
        }
      } else if (character == separator_ && !quoted) {
        cells.emplace_back();
      } else {
        cells.back() += character;
      }
    }
  }

  std::string name_;
  std::ifstream in_;
  char separator_;
  std::string text_;
  std::size_t line_ = 0;
  std::size_t begin_ = 0;
};

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// A number; "+" and "-" alone are the levels of a two-level design.
std::optional<double> number_in(std::string_view cell) {
  std::string_view text = trimmed(cell);
  if (text == "+" || text == "-") {
    return text == "+" ? 1.0 : -1.0;
  }
  if (text.starts_with('+')) {
    text.remove_prefix(1);
  } else if (text.starts_with("\xE2\x88\x92")) {  // the minus sign of typesetting
    const std::optional<double> positive = number_in(text.substr(3));
    return positive ? std::optional(-*positive) : std::nullopt;
  }
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

char separator_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::string line;
  do {
    line.clear();
  } while (std::getline(in, line) && (line.empty() || line.starts_with('#') || line == "\r"));
  const auto count = [&](char character) { return std::ranges::count(line, character); };
  if (count(',') > 0) {
    return ',';
  }
  return count(';') > 0 ? ';' : count('\t') > 0 ? '\t' : ',';
}

class CsvTable final : public Table {
public:
  explicit CsvTable(const std::filesystem::path& path)
      : path_(path), name_(path.string()), separator_(separator_of(path)) {
    CsvReader reader(path_, separator_);
    std::vector<std::string> names;
    std::vector<std::string> first;
    if (!reader.next(names)) {
      throw InputError(name_, 1, "has no line of names",
                       "expected CSV: names, then a line per run");
    }
    const std::size_t line = reader.line();
    width_ = names.size();
    if (!reader.next(first)) {
      throw InputError(name_, line, "has no runs", "expected a line of numbers per run");
    }
    require_width(first, reader.line());
    std::set<std::string> seen;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::string name(trimmed(names[i]));
      if (!number_in(first[i])) {
        continue;
      }
      if (name.empty() || !seen.insert(name).second) {
        throw InputError(
            name_, line,
            name.empty() ? "a column has no name" : "the column '" + name + "' is there twice",
            "expected each column with a name of its own");
      }
      names_.push_back(name);
      places_.push_back(i);
    }
    if (names_.empty()) {
      throw InputError(name_, reader.line(), "has no numbers",
                       "expected a line of numbers per run");
    }
  }

  [[nodiscard]] const std::string& origin() const noexcept override { return name_; }
  [[nodiscard]] const std::vector<std::string>& columns() const noexcept override { return names_; }
  [[nodiscard]] const Roles& roles() const noexcept override { return roles_; }

  std::size_t read(std::span<const std::size_t> columns, const TakeValues& take) const override {
    CsvReader reader(path_, separator_);
    std::vector<std::string> cells;
    std::vector<double> values(columns.size());
    static_cast<void>(reader.next(cells));
    while (reader.next(cells)) {
      require_width(cells, reader.line());
      for (std::size_t i = 0; i < columns.size(); ++i) {
        const std::optional<double> value = number_in(cells[places_[columns[i]]]);
        if (!value) {
          throw InputError(name_, reader.line(),
                           "'" + cells[places_[columns[i]]] + "' in the column '" +
                               names_[columns[i]] + "' is no number",
                           "expected a finite number");
        }
        values[i] = *value;
      }
      take(values);
    }
    return 0;
  }

private:
  void require_width(const std::vector<std::string>& cells, std::size_t line) const {
    if (cells.size() != width_) {
      throw InputError(name_, line, "has " + std::to_string(cells.size()) + " cells",
                       "expected " + std::to_string(width_) + ", as in the line of names");
    }
  }

  std::filesystem::path path_;
  std::string name_;
  char separator_;
  std::size_t width_ = 0;
  std::vector<std::string> names_;
  std::vector<std::size_t> places_;  ///< of the named columns in a record
  Roles roles_;
};

}  // namespace

std::unique_ptr<Table> open_csv(const std::filesystem::path& path) {
  return std::make_unique<CsvTable>(path);
}

}  // namespace gridcast::design
