#include <istream>
#include <map>
#include <nlohmann/json.hpp>

#include "gridcast/base/error.h"
#include "gridcast/report/trace_files.h"

namespace gridcast::report {
namespace {

constexpr double seconds_per_microsecond = 1e-6;

/// Names of tracks as events come.
using TrackNames = std::map<std::int64_t, std::string>;

void take_event(const nlohmann::json& event, TrackNames& names, std::vector<TrackPhase>& phases) {
  const std::string kind = event.at("ph");
  if (kind == "M" && event.at("name") == "thread_name") {
    names[event.at("tid")] = event.at("args").at("name");
  } else if (kind == "X") {
    const double begin = event.at("ts").get<double>();
    phases.push_back({names.at(event.at("tid")), event.at("cat"), seconds_per_microsecond * begin,
                      seconds_per_microsecond * (begin + event.at("dur").get<double>())});
  }
}

void take_track(const nlohmann::json& track, std::vector<TrackPhase>& phases) {
  for (const nlohmann::json& phase : track.at("phases")) {
    phases.push_back({track.at("track"), phase.at("doing"), phase.at("begin"), phase.at("end")});
  }
}

}  // namespace

std::vector<TrackPhase> read_phases(std::istream& in, const std::string& file) {
  std::vector<TrackPhase> phases;
  try {
    TrackNames names;
    const nlohmann::json document = nlohmann::json::parse(in);
    if (document.contains("timeline")) {
      for (const nlohmann::json& track : document.at("timeline")) {
        take_track(track, phases);
      }
    } else {
      for (const nlohmann::json& event : document.at("traceEvents")) {
        take_event(event, names, phases);
      }
    }
  } catch (const std::exception&) {
    phases.clear();
  }
  if (phases.empty()) {
    throw InputError(
        file, 0, "has no run to draw",
        "expected what gridcast predict --json F --timeline, or --trace-events, writes");
  }
  return phases;
}

}  // namespace gridcast::report
