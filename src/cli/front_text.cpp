#include "front_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

#include "gridcast/base/error.h"
#include "gridcast/base/readable.h"
#include "gridcast/machine/placement.h"

namespace gridcast::cli {
namespace {

double front_share(const std::string& whole, std::string_view text) {
  double percent = 0.0;
  if (text.ends_with('%')) {
    text.remove_suffix(1);
  }
  const char* const last = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), last, percent);
  if (error != std::errc() || rest != last || !std::isfinite(percent) || percent < 0.0) {
    throw InputError("--front " + whole, "expected percentages such as 0,5,10, or none");
  }
  return percent / 100.0;
}

std::string placed_text(const search::Outcome& outcome) {
  return outcome.placement == 0
             ? ""
             : ", placed by " +
                   machine::placement_of(outcome.grid, outcome.placement).text(outcome.grid.rank());
}

/// What is certain of a line.
std::string front_proof(const search::FrontEntry& entry, bool heuristic) {
  return entry.proven ? ""
         : heuristic  ? ", unproven"
                      : fmt::format(", proof stopped: at least {}", entry.at_least);
}

/// "5000 processors (50x100), 1.26 s".
std::string front_line(const search::FrontEntry& entry, bool heuristic) {
  const search::Outcome& outcome = entry.outcome;
  const std::string at_most = entry.proven || heuristic ? "" : "at most ";
  const std::int64_t processors = outcome.grid.cores();
  const std::string number =
      entry.by_nodes ? counted(entry.nodes, "node") : counted(processors, "processor");
  const std::string grid = entry.by_nodes ? fmt::format("{} on {}", outcome.grid.text(),
                                                        counted(processors, "processor"))
                                          : outcome.grid.text();
  return fmt::format("{}{} ({}{}), {}{}", at_most, number, grid, placed_text(outcome),
                     seconds_text(outcome.execution_time), front_proof(entry, heuristic));
}

}  // namespace

std::vector<double> parse_front(const std::string& text) {
  std::vector<double> shares;
  if (text == "none") {
    return shares;
  }
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    shares.push_back(front_share(text, std::string_view(text).substr(begin, end - begin)));
    begin = end + 1;
  }
  std::ranges::sort(shares);
  shares.erase(std::unique(shares.begin(), shares.end()), shares.end());
  return shares;
}

std::string front_text(std::span<const search::FrontEntry> front, bool heuristic) {
  if (front.empty()) {
    return {};
  }
  std::string text = "Fewest processors, and fewest nodes, within a share of the fastest time\n";
  for (const search::FrontEntry& entry : front) {
    const std::string share =
        entry.by_nodes ? std::string(7, ' ') : fmt::format("{:>5g} %", 100.0 * entry.within);
    text += fmt::format("{}  {}\n", share, front_line(entry, heuristic));
  }
  return wrapped(text);
}

void put_front(JsonWriter& json, std::span<const search::FrontEntry> front) {
  json.begin_array(Layout::line);
  for (const search::FrontEntry& entry : front) {
    const machine::Grid& grid = entry.outcome.grid;
    json.begin_object(Layout::line);
    json.member("within", entry.within);
    json.member("by", entry.by_nodes ? "nodes" : "processors");
    json.member("grid", grid.extents());
    json.member("processors", grid.processors());
    json.member("threads", grid.threads());
    json.member("cores", grid.cores());
    json.member("nodes", entry.nodes);
    json.member("placement",
                machine::placement_of(grid, entry.outcome.placement).text(grid.rank()));
    json.member("execution_time", entry.outcome.execution_time);
    json.member("proven", entry.proven);
    json.member("at_least", entry.at_least);
    json.end_object();
  }
  json.end_array();
}

}  // namespace gridcast::cli
