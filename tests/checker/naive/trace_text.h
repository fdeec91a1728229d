#pragma once
/// Reads the text of a trace for the naive model: simple, slow, on its own.

#include <string>
#include <vector>

namespace gridcast::naive {

/// One `NAME=value`, `NAME[i]=value` or `NAME[i][j]=value` (-1: no such index).
struct Parameter {
  std::string name;
  long first = -1;
  long second = -1;
  std::string value;
};

/// The lines after a call_ or a ret_ line.
class Parameters {
public:
  void add_line(const std::string& line);

  [[nodiscard]] bool has(const std::string& name) const;
  /// Whether a word such as "(AMView)" stands in the lines.
  [[nodiscard]] bool says(const std::string& words) const;
  /// The first value of that name; `otherwise` if there is none.
  [[nodiscard]] std::string text(const std::string& name, const std::string& otherwise = "0") const;
  [[nodiscard]] long number(const std::string& name, long otherwise = 0) const;
  /// NAME[0], NAME[1], ...
  [[nodiscard]] std::vector<long> list(const std::string& name) const;
  [[nodiscard]] const std::vector<Parameter>& all() const { return entries_; }

private:
  std::vector<Parameter> entries_;
  std::string text_;
};

/// One call of the library.
struct Call {
  std::string name;
  std::string file;
  long line = 0;
  double call_time = 0.0;  ///< seconds
  double ret_time = 0.0;   ///< seconds
  Parameters in, out;      ///< after the call_ and after the ret_ line
};

struct Trace {
  std::vector<Call> calls;         ///< after ret_dvm_Init
  std::vector<long> traced_shape;  ///< of the processors of the recorded run
  std::string first_file;          ///< of the first event line
  long first_line = 0;
};

/// docs/model.md §2.11: outermost calls; Event_ lines are skipped.
[[nodiscard]] Trace read_trace(const std::string& text);

}  // namespace gridcast::naive
