#include "recording_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "gridcast/base/printable.h"
#include "gridcast/base/readable.h"
#include "gridcast/record/plan.h"
#include "gridcast/record/summary.h"
#include "json_text.h"
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
  const std::size_t slash = place.rfind('/');
  return slash == std::string::npos || place.find(" in ") != std::string::npos
             ? place
             : place.substr(slash + 1);
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
    json.key("made_by");
    json.string(made_by(rank, each));
    json.key("parent");
    json.integer(each.parent);
    json.key("rank");
    json.integer(each.rank);
    json.key("size");
    json.integer(each.size);
    json.key("topology");
    json.string(topology_words.at(static_cast<std::size_t>(each.topology)));
    json.key("extents");
    json.begin_array(Layout::line);
    for (const std::int32_t extent : each.extents) {
      json.integer(extent);
    }
    json.end_array();
    json.key("periodic");
    json.begin_array(Layout::line);
    for (const bool periodic : each.periodic) {
      json.boolean(periodic);
    }
    json.end_array();
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
    json.key("operation");
    json.string(rank.operations[static_cast<std::size_t>(call.operation)].name);
    json.key("place");
    json.string(places.of(rank, call.site));
    json.key("communicator");
    json.integer(call.communicator);
    json.key("calls");
    json.integer(static_cast<std::int64_t>(call.calls));
    json.key("bytes");
    json.number(call.bytes[0]);
    json.key("bytes_received");
    json.number(call.bytes[1]);
    json.key("seconds");
    json.number(call.duration);
    json.key("shortest");
    json.number(call.shortest);
    json.key("before");
    json.number(call.gap);
    json.key("shortest_before");
    json.number(call.least_gap);
    json.end_object();
  }
  json.end_array();
}

void put_rank(JsonWriter& json, const record::RankRecording& rank,
              const record::SitePlaces& places) {
  json.begin_object(Layout::line);
  json.key("rank");
  json.integer(rank.rank);
  json.key("state");
  json.string(state_words.at(static_cast<std::size_t>(rank.state)));
  json.key("warnings");
  json.begin_array(Layout::line);
  for (const std::string& line : record::warnings(rank)) {
    json.string(line);
  }
  json.end_array();
  json.key("seconds");
  json.number(rank.duration);
  json.key("events");
  json.integer(static_cast<std::int64_t>(rank.events));
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

std::string recording_json(const record::Recording& recording, bool verified) {
  const record::Manifest& manifest = recording.manifest;
  const record::SitePlaces places(recording);
  return json_text([&](JsonWriter& json) {
    json.begin_object(Layout::line);
    json.key("schema");
    json.string("gridcast.recording/1");
    json.key("grid");
    json.begin_array(Layout::line);
    for (const std::int32_t extent : manifest.grid.extents()) {
      json.integer(extent);
    }
    json.end_array();
    json.key("grid_verified");
    json.boolean(verified);
    json.key("extents");
    json.begin_array(Layout::line);
    for (const std::int64_t extent : manifest.extents) {
      json.integer(extent);
    }
    json.end_array();
    json.key("command");
    json.begin_array(Layout::line);
    for (const std::string& word : manifest.command) {
      json.string(word);
    }
    json.end_array();
    json.key("exit_code");
    if (manifest.exit_code) {
      json.integer(*manifest.exit_code);
    } else {
      json.null();
    }
    json.key("library");
    json.string(recording.ranks.front().library);
    json.key("ranks");
    json.begin_array(Layout::line);
    for (const record::RankRecording& rank : recording.ranks) {
      put_rank(json, rank, places);
    }
    json.end_array();
    json.end_object();
  });
}

}  // namespace gridcast::cli
