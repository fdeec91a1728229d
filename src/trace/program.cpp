#include "gridcast/trace/program.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "gridcast/base/byte_source.h"
#include "gridcast/base/line_reader.h"
#include "trace_reader.h"

namespace gridcast::trace {
namespace {

using OpenSource = std::function<std::unique_ptr<HashedSource>()>;

std::string read_all(HashedSource& source, TraceReader& reader, const std::string& name) {
  LineReader lines(source, name);
  while (const auto line = lines.next()) {
    reader.take_line(*line, lines.line());
  }
  return source.sha256();
}

/// Findings of a reading that is done again count once.
class FindingsOfReading {
public:
  explicit FindingsOfReading(std::vector<Finding>* findings)
      : findings_(findings), before_(findings == nullptr ? 0 : findings->size()) {}
  void begin_again() const {
    if (findings_ != nullptr) {
      findings_->resize(before_);
    }
  }

private:
  std::vector<Finding>* findings_;
  std::size_t before_;
};

Program read(const OpenSource& open, const std::string& name, const ReadOptions& options) {
  const FindingsOfReading findings(options.findings);
  auto reader = std::make_unique<TraceReader>(name, options, UnreturnedLines{});
  std::string sha256 = read_all(*open(), *reader, name);
  if (UnreturnedLines unreturned = reader->swallowing_calls(); !unreturned.empty()) {
    // A call_ line without its ret_ line looks like a call in which all later ones are nested; that
    // it is not one shows only at the end of the trace, so the rare damaged trace is read twice.
    findings.begin_again();
    reader = std::make_unique<TraceReader>(name, options, std::move(unreturned));
    read_all(*open(), *reader, name);
  }
  Program program = reader->finish();
  program.sha256 = std::move(sha256);
  return program;
}

}  // namespace

std::string Finding::text() const {
  return file + (line == 0 ? std::string() : ":" + std::to_string(line)) + ": " + problem;
}

Program shifted(Program program, double deviations) {
  for (std::size_t i = 0; i < program.deviations.size(); ++i) {
    Record& record = program.records[i];
    record.call_time =
        std::max(record.call_time + deviations * program.deviations[i].call_time, 0.0);
    record.ret_time = std::max(record.ret_time + deviations * program.deviations[i].ret_time, 0.0);
  }
  program.duration = 0.0;
  for (const Record& record : program.records) {
    program.duration += record.call_time + record.ret_time;
  }
  return program;
}

Program read_program(const std::filesystem::path& path, const ReadOptions& options) {
  const std::string name = path.string();
  return read([&] { return open_source(path, name); }, name, options);
}

Program parse_program(std::string_view text, const std::string& name, const ReadOptions& options) {
  return read([&] { return open_source(text, name); }, name, options);
}

}  // namespace gridcast::trace
