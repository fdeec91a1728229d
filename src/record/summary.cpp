#include "gridcast/record/summary.h"

#include <cxxabi.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <set>
#include <system_error>
#include <tuple>
#include <utility>

#include "gridcast/base/command.h"
#include "gridcast/base/printable.h"

namespace gridcast::record {
namespace {

/// What a program writes to standard output; empty if it cannot be started.
std::string written_by(std::vector<std::string> words) {
  try {
    return output_of(std::move(words)).out;
  } catch (const std::system_error&) {
    return {};
  }
}

std::string readable_function(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  return printable(status == 0 ? std::string_view(text.get()) : std::string_view(name));
}

}  // namespace

std::vector<CallSummary> summarise(const RankRecording& rank) {
  std::vector<CallSummary> calls;
  std::map<std::tuple<std::int32_t, std::int32_t, std::int32_t>, std::size_t> known;
  std::vector<std::size_t> of_shape(rank.shapes.size());
  for (std::size_t i = 1; i < rank.shapes.size(); ++i) {
    const Shape& shape = rank.shapes[i];
    const auto [entry, added] =
        known.try_emplace({shape.operation, shape.site, shape.communicator}, calls.size());
    if (added) {
      calls.push_back({shape.operation, shape.site, shape.communicator});
    }
    of_shape[i] = entry->second;
  }
  EventReader events(rank);
  for (Event event; events.next(event);) {
    CallSummary& call = calls[of_shape[event.shape]];
    const Shape& shape = rank.shapes[event.shape];
    call.shortest = call.calls == 0 ? event.duration : std::min(call.shortest, event.duration);
    call.least_gap = call.calls == 0 ? event.gap : std::min(call.least_gap, event.gap);
    ++call.calls;
    call.bytes[0] += static_cast<double>(shape.bytes[0]);
    call.bytes[1] += static_cast<double>(shape.bytes[1]);
    call.duration += event.duration;
    call.gap += event.gap;
  }
  // A rank may have been killed between a definition and its first event.
  std::erase_if(calls, [](const CallSummary& call) { return call.calls == 0; });
  return calls;
}

std::vector<std::string> source_lines(const std::string& module,
                                      const std::vector<std::uint64_t>& addresses) {
  std::vector<std::string> words{"addr2line", "-e", module};
  for (const std::uint64_t address : addresses) {
    words.push_back(fmt::format("{:#x}", address));
  }
  const std::string output = written_by(words);
  std::vector<std::string> lines;
  lines.reserve(addresses.size());
  for (std::size_t begin = 0; begin < output.size() && lines.size() < addresses.size();) {
    const std::size_t end = std::min(output.find('\n', begin), output.size());
    std::string line = output.substr(begin, end - begin);
    line = line.substr(0, line.find(" (discriminator"));
    const bool unknown = line.starts_with("??") || line.ends_with(":?") || line.ends_with(":0");
    lines.push_back(unknown ? "" : printable(line));
    begin = end + 1;
  }
  lines.resize(addresses.size());
  return lines;
}

SitePlaces::SitePlaces(const Recording& recording) {
  std::map<std::string, std::set<std::uint64_t>> addresses;
  for (const RankRecording& rank : recording.ranks) {
    for (const Site& site : rank.sites) {
      if (site.module >= 0 && is_unchanged(rank.modules[static_cast<std::size_t>(site.module)])) {
        addresses[rank.modules[static_cast<std::size_t>(site.module)].path].insert(site.offset);
      }
    }
  }
  for (const auto& [module, offsets] : addresses) {
    const std::vector<std::uint64_t> asked(offsets.begin(), offsets.end());
    const std::vector<std::string> lines = source_lines(module, asked);
    for (std::size_t i = 0; i < asked.size(); ++i) {
      lines_[{module, asked[i]}] = lines[i];
    }
  }
}

std::string SitePlaces::line_of(const RankRecording& rank, const Site& site) const {
  if (site.module < 0) {
    return {};
  }
  const auto line =
      lines_.find({rank.modules[static_cast<std::size_t>(site.module)].path, site.offset});
  return line == lines_.end() ? std::string() : line->second;
}

std::string SitePlaces::of(const RankRecording& rank, std::int32_t site) const {
  if (site < 0) {
    return "unknown";
  }
  const Site& found = rank.sites[static_cast<std::size_t>(site)];
  if (std::string line = line_of(rank, found); !line.empty()) {
    return line;
  }
  if (found.module < 0) {
    return fmt::format("{:#x}", found.offset);
  }
  const std::string caller =
      found.caller < 0 ? std::string()
                       : line_of(rank, rank.sites[static_cast<std::size_t>(found.caller)]);
  const std::string& module = rank.modules[static_cast<std::size_t>(found.module)].path;
  const std::string address = fmt::format(
      "{}+{:#x}", printable(std::filesystem::path(module).filename().string()), found.offset);
  return (caller.empty() ? "" : caller + std::string(through)) +
         (found.function.empty() ? address : readable_function(found.function) + " in " + address);
}

bool is_unchanged(const Module& module) {
  struct stat status {};
  return module.size >= 0 && stat(module.path.c_str(), &status) == 0 &&
         status.st_size == module.size &&
         std::int64_t{status.st_mtim.tv_sec} * 1000000000 + status.st_mtim.tv_nsec ==
             module.modified;
}

}  // namespace gridcast::record
