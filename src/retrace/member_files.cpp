/// Which files hold the traces of a run ([Predictor2010 §2.5]; docs/traces.md).

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "gridcast/base/byte_source.h"
#include "gridcast/base/error.h"
#include "gridcast/base/line_reader.h"
#include "gridcast/base/natural_order.h"
#include "gridcast/retrace/merge.h"
#include "preamble.h"

namespace gridcast::trace {
namespace {

namespace fs = std::filesystem;

/// The file itself, or packed.
std::optional<fs::path> existing(const std::string& name) {
  std::error_code error;
  for (const std::string& candidate : {name, name + ".gz"}) {
    if (fs::is_regular_file(candidate, error)) {
      return fs::path(candidate);
    }
  }
  return std::nullopt;
}

std::string member_name(const std::string& program, std::int64_t process) {
  const std::string number = std::to_string(process);
  return program + number + "_" + number + ".ptr";
}

}  // namespace

std::int64_t process_count_of(const fs::path& path) {
  constexpr std::size_t longest_preamble = 10000;
  const std::string name = path.string();
  const auto source = open_source(path, name);
  LineReader lines(*source, name);
  while (const auto line = lines.next()) {
    if (const auto count = process_count_in(*line)) {
      return *count;
    }
    if (lines.line() > longest_preamble) {
      break;
    }
  }
  throw InputError(name, 0, "the trace does not say ProcCount",
                   "expected the preamble of a trace of the run-time library");
}

namespace {

/// True if a name matches a pattern in which '@' stands for any sequence of characters.
bool matches(std::string_view name, std::string_view pattern) {
  std::size_t n = 0;
  std::size_t p = 0;
  std::optional<std::size_t> star;
  std::size_t retry = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '@') {
      star = p++;
      retry = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (star) {
      p = *star + 1;
      n = ++retry;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('@', p) == std::string_view::npos;
}

std::vector<fs::path> matching_files(const std::string& program) {
  const fs::path pattern(program);
  fs::path directory = pattern.parent_path();
  const std::string name = pattern.filename().string();
  std::error_code error;
  std::vector<fs::path> found;
  for (const auto& entry :
       fs::directory_iterator(directory.empty() ? fs::path(".") : directory, error)) {
    const std::string candidate = entry.path().filename().string();
    const bool fits = matches(candidate, name) || matches(candidate, name + ".ptr") ||
                      matches(candidate, name + ".ptr.gz");
    const bool is_trace = candidate.ends_with(".ptr") || candidate.ends_with(".ptr.gz");
    if (fits && is_trace && entry.is_regular_file(error)) {
      found.push_back(directory.empty() ? fs::path(candidate) : entry.path());
    }
  }
  std::sort(found.begin(), found.end(), [](const fs::path& a, const fs::path& b) {
    return natural_less(a.string(), b.string());
  });
  return found;
}

}  // namespace

std::vector<fs::path> find_member_files(const std::string& program) {
  std::string base = program;
  for (const std::string_view ending : {".gz", ".ptr"}) {
    if (base.ends_with(ending)) {
      base.resize(base.size() - ending.size());
    }
  }
  if (auto single = existing(base + ".ptr")) {
    return {*single};
  }
  if (std::error_code error; fs::is_regular_file(program, error)) {
    return {fs::path(program)};
  }
  if (const auto first = existing(member_name(base, 0))) {
    const std::int64_t count = process_count_of(*first);
    std::vector<fs::path> members = {*first};
    for (std::int64_t process = 1; process < count; ++process) {
      const std::string name = member_name(base, process);
      const auto member = existing(name);
      if (!member) {
        throw InputError(
            name, 0, "the trace of process " + std::to_string(process) + " is missing",
            first->string() + " says that the run had " + std::to_string(count) + " processes");
      }
      members.push_back(*member);
    }
    return members;
  }
  if (base.find('@') != std::string::npos) {
    auto found = matching_files(base);
    if (found.empty()) {
      throw InputError(program, 0, "no trace matches this name",
                       "expected files NAME.ptr; '@' stands for any sequence of characters");
    }
    return found;
  }
  throw InputError(program, 0, "no trace of this program",
                   "expected " + base + ".ptr or " + member_name(base, 0));
}

}  // namespace gridcast::trace
