/// Traces made of traces: the first byte says whether the rest is merged, averaged or interpolated;
/// a line of "=" is between two traces. Every set must give a trace that can be read, or be refused
/// with an error of one line.

#include <cstdio>
#include <sstream>
#include <vector>

#include "fuzz.h"
#include "gridcast/retrace/average.h"
#include "gridcast/retrace/interpolate.h"
#include "gridcast/retrace/merge.h"
#include "gridcast/trace/program.h"

namespace gridcast::fuzz {
namespace {

constexpr std::size_t most_traces = 4;
constexpr std::string_view border = "\n=====\n";

/// The traces of an input, as files.
std::vector<std::filesystem::path> files_of(std::string_view rest) {
  std::vector<std::filesystem::path> files;
  for (std::size_t i = 0; i < most_traces; ++i) {
    const std::size_t end = rest.find(border);
    files.push_back(scratch_file("p" + std::to_string(i) + "_" + std::to_string(i) + ".ptr"));
    write_file(files.back(), rest.substr(0, end));
    if (end == std::string_view::npos) {
      break;
    }
    rest.remove_prefix(end + border.size());
  }
  return files;
}

std::string made(char kind, const std::vector<std::filesystem::path>& files) {
  std::ostringstream out;
  if (kind == 'm') {
    trace::merge_traces(files, out);
  } else if (kind == 'a') {
    trace::average_traces(files, out);
  } else {
    std::vector<trace::SizedTrace> sized;
    for (const std::filesystem::path& file : files) {
      sized.push_back({file, 10.0 * static_cast<double>(sized.size() + 1)});
    }
    trace::interpolate_traces(sized, 25.0, out);
  }
  return out.str();
}

}  // namespace

const bool of_lines = true;

bool use_input(const std::string& input) {
  return accepted(input, [](const std::string& text) {
    const char kind = text.empty() ? 'm' : text[0];
    const std::string trace = made(kind, files_of(std::string_view(text).substr(!text.empty())));
    try {
      static_cast<void>(trace::parse_program(trace, "made.ptr"));
    } catch (const InputError& error) {
      // What is made must be readable.
      std::fprintf(stderr, "%s\n", error.what());
      std::abort();
    }
  });
}

}  // namespace gridcast::fuzz
