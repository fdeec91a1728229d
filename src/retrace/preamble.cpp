#include "preamble.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <numeric>

namespace gridcast::trace {
namespace {

/// Where the value of NAME= stands in a line, if NAME is a whole word.
std::optional<std::size_t> value_at(std::string_view line, std::string_view name) {
  for (std::size_t at = line.find(name); at != std::string_view::npos;
       at = line.find(name, at + 1)) {
    const char before = at == 0 ? ' ' : line[at - 1];
    std::size_t next = at + name.size();
    next = std::min(line.find_first_not_of(' ', next), line.size());
    if ((before == ' ' || before == ';' || before == '\t') && next < line.size() &&
        line[next] == '=') {
      return std::min(line.find_first_not_of(' ', next + 1), line.size());
    }
  }
  return std::nullopt;
}

/// Puts `value` in place of the text after NAME= up to `end` or the end of the line.
void replace_value(std::string& line, std::string_view name, std::string_view value,
                   std::string_view end) {
  if (const auto at = value_at(line, name)) {
    const std::size_t last = std::min(line.find_first_of(end, *at), line.size());
    line.replace(*at, last - *at, value);
  }
}

std::string listed(const std::vector<std::int64_t>& numbers) {
  std::string text;
  for (const std::int64_t number : numbers) {
    text.append(text.empty() ? "" : " ").append(std::to_string(number));
  }
  return text;
}

std::string virtual_line(const std::vector<std::int64_t>& grid) {
  if (grid.empty()) {
    return "VProcCount=0;";
  }
  const std::int64_t count =
      std::accumulate(grid.begin(), grid.end(), std::int64_t{1}, std::multiplies<>());
  return "VProcCount=" + std::to_string(count) + ";     VPSRank=" + std::to_string(grid.size()) +
         ";     VPSSize= " + listed(grid) + ";";
}

}  // namespace

std::optional<std::int64_t> process_count_in(std::string_view line) {
  const auto at = value_at(line, "ProcCount");
  if (!at) {
    return std::nullopt;
  }
  std::int64_t count = 0;
  const auto read = std::from_chars(line.data() + *at, line.data() + line.size(), count);
  return read.ec == std::errc{} && count > 0 ? std::optional(count) : std::nullopt;
}

std::string as_virtual_run(std::string_view preamble, const std::vector<std::int64_t>& grid) {
  const std::string ones = listed(std::vector<std::int64_t>(grid.size(), 1));
  std::string text;
  bool has_virtual = false;
  while (!preamble.empty()) {
    const std::size_t end = std::min(preamble.find('\n'), preamble.size());
    std::string line(preamble.substr(0, end));
    preamble.remove_prefix(std::min(end + 1, preamble.size()));
    replace_value(line, "ProcCount", "1", "; \t");
    replace_value(line, "PSSize", ones, ";");
    if (value_at(line, "VProcCount")) {
      line = virtual_line(grid);
      has_virtual = true;
    }
    text.append(line).push_back('\n');
  }
  if (!has_virtual) {
    text.insert(0, virtual_line(grid) + "\n");
  }
  return text;
}

std::string new_preamble(const std::vector<std::int64_t>& grid, std::string_view file,
                         std::uint32_t line, std::string_view note) {
  const std::size_t rank = grid.empty() ? 1 : grid.size();
  const std::string place =
      " TIME=0.00000000 LINE=" + std::to_string(line) + " FILE=" + std::string(file) + "\n";
  std::string text = "RTS VERSION = 2889\n";
  text.append(note).append("\n \n ProcCount=1;      PSRank=").append(std::to_string(rank));
  text.append(";      PSSize= ").append(listed(std::vector<std::int64_t>(rank, 1)));
  text.append(";\n").append(virtual_line(grid)).append("\n \n");
  text.append("call_dvm_Init").append(place).append(" \nret_dvm_Init").append(place);
  return text.append(" \n");
}

}  // namespace gridcast::trace
