/// Traces, also compressed ones: every one must either be read or be refused with an error of one
/// line.

#include "fuzz.h"
#include "gridcast/trace/consistency.h"
#include "gridcast/trace/info.h"
#include "gridcast/trace/program.h"

namespace gridcast::fuzz {
namespace {

constexpr std::string_view gzip_magic = "\x1f\x8b";

trace::Program program_of(const std::string& input) {
  if (!input.starts_with(gzip_magic)) {
    return trace::parse_program(input, "fuzz.ptr");
  }
  static const std::filesystem::path file = scratch_file("trace.ptr.gz");
  write_file(file, input);
  return trace::read_program(file);
}

}  // namespace

const bool of_lines = true;

bool use_input(const std::string& input) {
  return accepted(input, [](const std::string& text) {
    const trace::Program program = program_of(text);
    const auto info = trace::summarise(program);
    if (trace::to_text(info).empty() || info.calls != program.records.size()) {
      std::abort();
    }
    static_cast<void>(trace::check_order(program));
  });
}

}  // namespace gridcast::fuzz
