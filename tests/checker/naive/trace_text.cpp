#include "trace_text.h"

#include <cctype>
#include <optional>
#include <sstream>

namespace gridcast::naive {
namespace {

bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Takes "[7]" at `at`; -1 if there is none (but, say, a format with brackets).
long take_index(const std::string& line, std::size_t& at) {
  const std::size_t close = line.find_first_not_of("0123456789", at + 1);
  if (at >= line.size() || line[at] != '[' || close == std::string::npos || close == at + 1 ||
      line[close] != ']') {
    return -1;
  }
  const long index = std::stol(line.substr(at + 1, close - at - 1));
  at = close + 1;
  return index;
}

struct Event {
  char kind = 'c';  ///< c: call_, r: ret_, e: Event_
  std::string name, file;
  double time = 0.0;
  long line = 0;
};

std::optional<Event> event_of(const std::string& line) {
  Event event;
  std::istringstream words(line);
  std::string first;
  words >> first;
  if (first.starts_with("call_")) {
    event.name = first.substr(5);
  } else if (first.starts_with("ret_")) {
    event.kind = 'r';
    event.name = first.substr(4);
  } else if (first.starts_with("Event_")) {
    event.kind = 'e';
    event.name = first.substr(6);
  } else {
    return std::nullopt;
  }
  for (std::string word; words >> word;) {
    if (word.starts_with("TIME=")) {
      event.time = std::stod(word.substr(5));
    } else if (word.starts_with("LINE=")) {
      event.line = std::stol(word.substr(5));
    } else if (word.starts_with("FILE=")) {
      event.file = word.substr(5);
    }
  }
  return event;
}

/// "PSSize= 1 2;" or "VPSSize= 2 2;".
std::vector<long> extents_after(const std::string& line, const std::string& name) {
  const std::size_t at = line.find(name);
  std::vector<long> extents;
  if (at != std::string::npos && (at == 0 || line[at - 1] == ' ')) {
    std::istringstream rest(line.substr(at + name.size()));
    for (long extent = 0; rest >> extent;) {
      extents.push_back(extent);
    }
  }
  return extents;
}

/// Puts events together to calls.
class Reader {
public:
  void line(const std::string& line) {
    if (const auto event = event_of(line)) {
      take(*event);
    } else if (!started_) {
      preamble(line);
    } else if (open_.size() == 1 && !in_results_) {
      call_.in.add_line(line);
    } else if (in_results_) {
      trace_.calls.back().out.add_line(line);
    }
  }

  Trace finish() {
    trace_.traced_shape = virtual_ ? virtual_shape_ : real_shape_;
    return trace_;
  }

private:
  void take(const Event& event) {
    if (trace_.first_file.empty()) {
      trace_.first_file = event.file;
      trace_.first_line = event.line;
    }
    if (!started_) {
      started_ = event.kind == 'r' && event.name == "dvm_Init";
      return;
    }
    if (event.kind == 'e') {
      return;
    }
    if (!open_.empty()) {
      call_.ret_time += event.time;
    }
    if (event.kind == 'c') {
      if (open_.empty()) {
        call_ = Call{event.name, event.file, event.line, event.time, 0.0, {}, {}};
      }
      open_.push_back(event.name);
      in_results_ = false;
      return;
    }
    while (!open_.empty() && open_.back() != event.name) {
      open_.pop_back();
    }
    if (!open_.empty()) {
      open_.pop_back();
    }
    if (open_.empty()) {
      trace_.calls.push_back(call_);
      in_results_ = true;
    }
  }

  void preamble(const std::string& line) {
    if (line.find("VProcCount=") != std::string::npos) {
      virtual_ = line.find("VProcCount=0") == std::string::npos;
    }
    if (const auto found = extents_after(line, "VPSSize="); !found.empty()) {
      virtual_shape_ = found;
    }
    if (const auto found = extents_after(line, "PSSize="); !found.empty()) {
      real_shape_ = found;
    }
  }

  Trace trace_;
  Call call_;
  std::vector<std::string> open_;
  std::vector<long> real_shape_, virtual_shape_;
  bool started_ = false;
  bool in_results_ = false;
  bool virtual_ = false;
};

}  // namespace

void Parameters::add_line(const std::string& line) {
  text_ += line + "\n";
  std::size_t at = 0;
  while (at < line.size()) {
    if (!in_name(line[at])) {
      ++at;
      continue;
    }
    Parameter parameter;
    while (at < line.size() && in_name(line[at])) {
      parameter.name += line[at++];
    }
    parameter.first = take_index(line, at);
    parameter.second = take_index(line, at);
    while (at < line.size() && line[at] == ' ') {
      ++at;
    }
    if (at >= line.size() || line[at] != '=') {
      continue;
    }
    ++at;
    while (at < line.size() && line[at] == ' ') {
      ++at;
    }
    while (at < line.size() && line[at] != ' ' && line[at] != ';') {
      parameter.value += line[at++];
    }
    entries_.push_back(parameter);
  }
}

bool Parameters::has(const std::string& name) const {
  for (const Parameter& parameter : entries_) {
    if (parameter.name == name) {
      return true;
    }
  }
  return false;
}

bool Parameters::says(const std::string& words) const {
  return text_.find(words) != std::string::npos;
}

std::string Parameters::text(const std::string& name, const std::string& otherwise) const {
  for (const Parameter& parameter : entries_) {
    if (parameter.name == name && parameter.first == -1) {
      return parameter.value;
    }
  }
  return otherwise;
}

long Parameters::number(const std::string& name, long otherwise) const {
  const std::string found = text(name, "");
  return found.empty() ? otherwise : std::stol(found);
}

std::vector<long> Parameters::list(const std::string& name) const {
  std::vector<long> values;
  for (const Parameter& parameter : entries_) {
    if (parameter.name == name && parameter.first == static_cast<long>(values.size())) {
      values.push_back(std::stol(parameter.value));
    }
  }
  return values;
}

Trace read_trace(const std::string& text) {
  Reader reader;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    reader.line(line);
  }
  return reader.finish();
}

}  // namespace gridcast::naive
