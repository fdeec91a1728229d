#include "recording_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <array>

#include "gridcast/base/json_writer.h"
#include "gridcast/base/printable.h"
#include "gridcast/base/readable.h"
#include "gridcast/record/plan.h"
#include "gridcast/record/summary.h"
#include "shell_words.h"

namespace gridcast::cli {
namespace {

constexpr std::array<const char*, 3> state_words{"running", "finished", "aborted"};
constexpr std::array<const char*, 4> topology_words{"flat", "cartesian", "graph", "inter"};

std::string made_by(const record::RankRecording& rank, const record::Communicator& communicator) {
  return communicator.operation < 0 || communicator.operation >= std::ssize(rank.operations)
             ? "world"
             : rank.operations[static_cast<std::size_t>(communicator.operation)].name;
}

/// "2x2 periodic in 1".
std::string grid_words(const record::Communicator& communicator) {
  if (communicator.extents.empty()) {
    return counted(communicator.size, "rank");
  }
  std::vector<std::size_t> periodic;
  for (std::size_t i = 0; i < communicator.periodic.size(); ++i) {
    if (communicator.periodic[i]) {
      periodic.push_back(i + 1);
    }
  }
  return fmt::format("{}{}{}", fmt::join(communicator.extents, "x"),
                     periodic.empty() ? "" : " periodic in ", fmt::join(periodic, ", "));
}

/// A path's file and line.
std::string short_place(const std::string& place) {
  const std::size_t end = place.find(record::through);
  const std::size_t slash = place.rfind('/', end);
  const bool no_line = end == std::string::npos && place.find(" in ") != std::string::npos;
  return slash == std::string::npos || no_line ? place : place.substr(slash + 1);
}

std::string rank_text(const record::RankRecording& rank, const record::SitePlaces& places) {
  const std::vector<record::CallSummary> calls = record::summarise(rank);
  double within = 0.0;
  for (const record::CallSummary& call : calls) {
    within += call.duration;
  }
  std::string text = fmt::format("rank {}: {} in {}, {} within them, {}\n", rank.rank,
                                 counted(static_cast<std::int64_t>(rank.events), "call"),
                                 seconds_text(rank.duration), seconds_text(within),
                                 state_words.at(static_cast<std::size_t>(rank.state)));
  for (const std::string& line : record::warnings(rank)) {
    text += "  warning: " + line + "\n";
  }
  for (std::size_t i = 0; i < rank.communicators.size(); ++i) {
    text += fmt::format("  communicator {}: {}, {}\n", i, made_by(rank, rank.communicators[i]),
                        grid_words(rank.communicators[i]));
  }
  text += fmt::format("  {:<20} {:<28} {:>4} {:>10} {:>10} {:>10} {:>10} {:>10}\n", "operation",
                      "place", "comm", "calls", "bytes", "time", "shortest", "before");
  for (const record::CallSummary& call : calls) {
    text += fmt::format("  {:<20} {:<28} {:>4} {:>10} {:>10} {:>10} {:>10} {:>10}\n",
                        rank.operations[static_cast<std::size_t>(call.operation)].name,
                        short_place(places.of(rank, call.site)),
                        call.communicator < 0 ? "" : fmt::format("{}", call.communicator),
                        call.calls, bytes_text(call.bytes[0]), seconds_text(call.duration),
                        seconds_text(call.shortest), seconds_text(call.gap));
  }
  return text;
}

void put_communicators(JsonWriter& json, const record::RankRecording& rank) {
  json.key("communicators");
  json.begin_array(Layout::line);
  for (const record::Communicator& each : rank.communicators) {
    json.begin_object(Layout::line);
    json.member("made_by", made_by(rank, each));
    json.member("parent", each.parent);
    json.member("rank", each.rank);
    json.member("size", each.size);
    json.member("topology", topology_words.at(static_cast<std::size_t>(each.topology)));
    json.member("extents", each.extents);
    json.member("periodic", each.periodic);
    json.end_object();
  }
  json.end_array();
}

void put_calls(JsonWriter& json, const record::RankRecording& rank,
               const record::SitePlaces& places) {
  json.key("calls");
  json.begin_array(Layout::line);
  for (const record::CallSummary& call : record::summarise(rank)) {
    json.begin_object(Layout::line);
    json.member("operation", rank.operations[static_cast<std::size_t>(call.operation)].name);
    json.member("place", places.of(rank, call.site));
    json.member("communicator", call.communicator);
    json.member("calls", call.calls);
    json.member("bytes", call.bytes[0]);
    json.member("bytes_received", call.bytes[1]);
    json.member("seconds", call.duration);
    json.member("shortest", call.shortest);
    json.member("before", call.gap);
    json.member("shortest_before", call.least_gap);
    json.end_object();
  }
  json.end_array();
}

void put_rank(JsonWriter& json, const record::RankRecording& rank,
              const record::SitePlaces& places) {
  json.begin_object(Layout::line);
  json.member("rank", rank.rank);
  json.member("state", state_words.at(static_cast<std::size_t>(rank.state)));
  json.member("warnings", record::warnings(rank));
  json.member("seconds", rank.duration);
  json.member("events", rank.events);
  put_communicators(json, rank);
  put_calls(json, rank, places);
  json.end_object();
}

}  // namespace

std::string recording_text(const record::Recording& recording, bool verified) {
  const record::Manifest& manifest = recording.manifest;
  std::string text = fmt::format(
      "grid {}{}{}{}\n", manifest.grid.text(), verified ? " (the program's own)" : " (as told)",
      manifest.extents.empty() ? "" : ", extents " + record::extents_text(manifest.extents),
      manifest.exit_code ? fmt::format(", exit code {}", *manifest.exit_code)
                         : ", not seen to end");
  text += "command: " + shell_line(manifest.command) + "\n";
  text += recording.ranks.front().library.empty()
              ? ""
              : printable(recording.ranks.front().library.substr(
                    0, recording.ranks.front().library.find(','))) +
                    "\n";
  const record::SitePlaces places(recording);
  for (const record::RankRecording& rank : recording.ranks) {
    text += rank_text(rank, places);
  }
  return text;
}

void write_recording(std::ostream& out, const record::Recording& recording, bool verified) {
  const record::Manifest& manifest = recording.manifest;
  const record::SitePlaces places(recording);
  JsonWriter json(out);
  json.begin_object(Layout::line);
  json.member("schema", "gridcast.recording/1");
  json.member("grid", manifest.grid.extents());
  json.member("grid_verified", verified);
  json.member("extents", manifest.extents);
  json.member("command", manifest.command);
  json.member("exit_code", manifest.exit_code);
  json.member("library", recording.ranks.front().library);
  json.key("ranks");
  json.begin_array(Layout::line);
  for (const record::RankRecording& rank : recording.ranks) {
    put_rank(json, rank, places);
  }
  json.end_array();
  json.end_object();
  out << '\n';
}

std::string check_recorded(const record::Recording& recording) {
  const bool verified = record::verify_grid(recording);
  std::uint64_t calls = 0;
  for (const record::RankRecording& rank : recording.ranks) {
    calls += rank.events;
    for (const std::string& line : record::warnings(rank)) {
      spdlog::warn("rank {} {}", rank.rank, line);
    }
  }
  return fmt::format(
      "recorded {} of {} in {}; the grid {} is {}",
      counted(static_cast<std::int64_t>(calls), "call"),
      counted(std::ssize(recording.ranks), "rank"), recording.folder.string(),
      recording.manifest.grid.text(),
      verified ? "that of the program" : "as you say: the program makes none itself");
}

}  // namespace gridcast::cli
