#include "gridcast/calibrate/measured.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <span>

#include "gridcast/base/byte_source.h"
#include "gridcast/base/characters.h"
#include "gridcast/base/error.h"

namespace gridcast::calibrate {
namespace {

constexpr std::size_t max_measured_bytes = std::size_t{64} << 20U;

struct TimeColumn {
  std::string_view name;
  double seconds;  ///< per unit of the column; 0: the unit that the caller names
};

constexpr std::array<TimeColumn, 10> time_columns{{{"seconds", 1.0},
                                                   {"milliseconds", 1e-3},
                                                   {"ms", 1e-3},
                                                   {"microseconds", 1e-6},
                                                   {"us", 1e-6},
                                                   {"time", 0.0},
                                                   {"median", 0.0},
                                                   {"mean", 0.0},
                                                   {"min", 0.0},
                                                   {"execution_time", 0.0}}};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// The fields of a line; a field in double quotes may hold commas, "" is a quote in it.
std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') {
      const bool doubled = quoted && i + 1 < line.size() && line[i + 1] == '"';
      if (doubled) {
        fields.back() += '"';
        ++i;
      } else {
        quoted = !quoted;
      }
    } else if (line[i] == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += line[i];
    }
  }
  for (std::string& field : fields) {
    field = trimmed(field);
  }
  return fields;
}

std::optional<double> whole_number(std::string_view text) {
  double value = 0.0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

/// Places of the columns that mean something.
struct Columns {
  std::optional<std::size_t> trace;
  std::optional<std::size_t> grid;
  std::array<std::optional<std::size_t>, machine::max_grid_rank> extents;
  std::optional<std::size_t> rank;
  std::optional<std::size_t> bytes;
  std::optional<std::size_t> from;
  std::optional<std::size_t> to;
  std::optional<std::size_t> pairs;
  std::size_t time = 0;
  double unit = 1.0;
  std::size_t count = 0;

  [[nodiscard]] bool runs() const noexcept { return grid || extents.front(); }
};

class MeasuredReader {
public:
  MeasuredReader(const std::string& file, double unit) : unit_(unit) { result_.file = file; }

  void take(std::string_view line) {
    ++line_;
    const std::string_view text = trimmed(line);
    if (text.empty() || text.starts_with('#')) {
      return;
    }
    const std::vector<std::string> fields = fields_of(text);
    if (!columns_) {
      columns_ = columns_of(fields);
      return;
    }
    if (fields.size() != columns_->count) {
      fail("has " + std::to_string(fields.size()) + " fields",
           "expected " + std::to_string(columns_->count) + ", one per column");
    }
    if (columns_->runs()) {
      take_run(fields);
    } else {
      take_messages(fields);
    }
  }

  Measured finish() {
    if (result_.runs.empty() && result_.messages.empty()) {
      line_ = 0;
      fail("holds no measured times",
           "expected a line with the names of the columns and a line per "
           "measured time");
    }
    return std::move(result_);
  }

private:
  [[noreturn]] void fail(const std::string& problem, const std::string& remedy) const {
    throw InputError(result_.file, line_, problem, remedy);
  }

  [[nodiscard]] Columns columns_of(std::vector<std::string> names) const {
    for (std::string& name : names) {
      name = lowered(name);
    }
    const auto place = [&names](std::string_view name) -> std::optional<std::size_t> {
      const auto found = std::ranges::find(names, name);
      if (found == names.end()) {
        return std::nullopt;
      }
      return static_cast<std::size_t>(found - names.begin());
    };
    Columns columns;
    columns.count = names.size();
    for (const char* name : {"variant", "program", "trace"}) {
      columns.trace = place(name) ? place(name) : columns.trace;
    }
    columns.grid = place("grid");
    for (std::size_t i = 0; i < columns.extents.size(); ++i) {
      columns.extents[i] = place("p" + std::to_string(i + 1));
    }
    columns.rank = place("rank");
    columns.bytes = place("bytes") ? place("bytes") : place("size");
    columns.from = place("from");
    columns.to = place("to");
    columns.pairs = place("pairs");
    const auto time = std::ranges::find_if(time_columns, [&place](const TimeColumn& column) {
      return place(column.name).has_value();
    });
    if (time == time_columns.end()) {
      fail("no column holds a time",
           "expected a column seconds, milliseconds, microseconds, time, median, mean or min");
    }
    columns.time = *place(time->name);
    columns.unit = time->seconds == 0.0 ? unit_ : time->seconds;
    if (!columns.runs() && !columns.bytes) {
      fail("no column says what was measured",
           "expected a column grid (4x2) or p1...p4 for runs of a program, bytes or size for "
           "messages");
    }
    return columns;
  }

  [[nodiscard]] double seconds(const std::vector<std::string>& fields) const {
    const std::optional<double> value = whole_number(fields[columns_->time]);
    if (!value || !(*value > 0.0)) {
      fail("'" + fields[columns_->time] + "' is not a measured time",
           "expected a number greater than 0");
    }
    return *value * columns_->unit;
  }

  [[nodiscard]] machine::Grid grid(const std::vector<std::string>& fields) const {
    try {
      if (columns_->grid) {
        return machine::Grid::parse(fields[*columns_->grid]);
      }
      std::vector<std::int64_t> extents;
      for (const std::optional<std::size_t>& place : columns_->extents) {
        if (place && !fields[*place].empty()) {
          extents.push_back(integer(fields[*place], "an extent of a grid", 1));
        }
      }
      const std::size_t rank = columns_->rank
                                   ? static_cast<std::size_t>(integer(fields[*columns_->rank],
                                                                      "a number of dimensions", 1))
                                   : 1;
      // Columns of dimensions that a grid does not have hold 1.
      while (extents.size() > rank && extents.back() == 1) {
        extents.pop_back();
      }
      return machine::Grid(extents);
    } catch (const InputError& error) {
      if (error.line() != 0) {
        throw;
      }
      fail(error.problem(), error.remedy());
    }
  }

  [[nodiscard]] std::int64_t integer(const std::string& text, const std::string& what,
                                     std::int64_t least) const {
    const std::optional<double> value = whole_number(text);
    constexpr double most = std::numeric_limits<std::int32_t>::max();
    if (!value || *value != std::floor(*value) || *value < static_cast<double>(least) ||
        *value > most) {
      fail("'" + text + "' is not " + what,
           "expected an integer of at least " + std::to_string(least));
    }
    return static_cast<std::int64_t>(*value);
  }

  [[nodiscard]] double bytes(std::string text) const {
    double factor = 1.0;
    if (text.ends_with('B') || text.ends_with('b')) {
      text.pop_back();
    }
    if (text.ends_with('K') || text.ends_with('k')) {
      factor = 1e3;
    } else if (text.ends_with('M')) {
      factor = 1e6;
    }
    if (factor > 1.0) {
      text.pop_back();
    }
    const std::optional<double> value = whole_number(trimmed(text));
    if (!value || *value < 0.0) {
      fail("'" + text + "' is not a number of bytes",
           "expected a number, as 1500 or 1.5K; K = KB = 1000, M = MB = 1000000");
    }
    return *value * factor;
  }

  void take_run(const std::vector<std::string>& fields) {
    MeasuredRun run;
    run.trace = columns_->trace ? fields[*columns_->trace] : std::string();
    run.grid = grid(fields);
    run.seconds = seconds(fields);
    run.line = line_;
    result_.runs.push_back(std::move(run));
  }

  void take_messages(const std::vector<std::string>& fields) {
    MeasuredMessages messages;
    const auto optional = [&](const std::optional<std::size_t>& column, const std::string& what,
                              std::int64_t least, std::int64_t otherwise) {
      return column && !fields[*column].empty() ? integer(fields[*column], what, least) : otherwise;
    };
    messages.bytes = bytes(fields[*columns_->bytes]);
    messages.from = optional(columns_->from, "the number of a processor", 0, 0);
    messages.to = optional(columns_->to, "the number of a processor", 0, 1);
    messages.pairs = optional(columns_->pairs, "a number of messages", 1, 1);
    messages.seconds = seconds(fields);
    messages.line = line_;
    if (messages.from == messages.to) {
      fail("a message from processor " + std::to_string(messages.from) + " to itself",
           "expected two different processors");
    }
    result_.messages.push_back(messages);
  }

  Measured result_;
  double unit_;
  std::size_t line_ = 0;
  std::optional<Columns> columns_;
};

}  // namespace

Measured parse_measured(std::string_view text, const std::string& name, double unit) {
  MeasuredReader reader(name, unit);
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    reader.take(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return reader.finish();
}

Measured read_measured(const std::filesystem::path& path, double unit) {
  // A pipe does not tell its size, and can be read once.
  const std::unique_ptr<ByteSource> source = open_source(path, path.string());
  std::string text;
  std::array<char, 1U << 16U> block{};
  while (const std::size_t count = source->read(block)) {
    text.append(block.data(), count);
    if (text.size() > max_measured_bytes) {
      throw InputError(path.string(), 0, "is too large for a file of measured times",
                       "expected at most 64 MiB");
    }
  }
  return parse_measured(text, path.string(), unit);
}

}  // namespace gridcast::calibrate
