#include <fmt/format.h>

#include <ostream>

#include "gridcast/base/json_writer.h"
#include "gridcast/report/trace_files.h"
#include "tracks.h"

namespace gridcast::report {
namespace {

/// The name of the process, or of a thread.
void put_name(JsonWriter& json, const char* what, std::int64_t thread, const std::string& name) {
  json.begin_object(Layout::line);
  json.member("ph", "M");
  json.member("pid", 0);
  json.member("tid", thread);
  json.member("name", what);
  json.key("args");
  json.begin_object(Layout::line);
  json.member("name", name);
  json.end_object();
  json.end_object();
}

void put_phase(JsonWriter& json, const model::Timeline& timeline, const model::Phase& phase) {
  constexpr double microseconds = 1e6;
  const std::string& place = timeline.places[phase.place];
  json.begin_object(Layout::line);
  json.member("ph", "X");
  json.member("pid", 0);
  json.member("tid", phase.processor);
  json.member("ts", microseconds * phase.begin);
  json.member("dur", microseconds * (phase.end - phase.begin));
  json.member("name", phase.doing == model::Doing::idle
                          ? "idle"
                          : fmt::format("{} {} {}", model::name(phase.doing),
                                        model::name(phase.activity), place));
  json.member("cat", model::name(phase.doing));
  json.key("args");
  json.begin_object(Layout::line);
  json.member("place", place);
  json.member("activity", model::name(phase.activity));
  json.end_object();
  json.end_object();
}

}  // namespace

void write_trace_events(std::ostream& out, const model::Timeline& timeline,
                        const std::vector<Track>& tracks, const machine::Grid& grid,
                        std::string_view title) {
  JsonWriter json(out);
  json.begin_object(Layout::lines);
  json.member("displayTimeUnit", "ms");
  json.key("otherData");
  json.begin_object(Layout::line);
  json.member("generator", "gridcast");
  json.member("grid", grid.text());
  json.member("processors", static_cast<std::int64_t>(timeline.processors));
  json.member("execution_time", timeline.execution_time);
  json.end_object();
  json.key("traceEvents");
  json.begin_array(Layout::lines);
  put_name(json, "process_name", 0, std::string(title));
  for (const Track& track : tracks) {
    put_name(json, "thread_name", static_cast<std::int64_t>(track.processor),
             track_name(track, grid));
  }
  const std::vector<bool> shown = shown_processors(timeline, tracks);
  for (const model::Phase& phase : timeline.phases) {
    if (shown[phase.processor]) {
      put_phase(json, timeline, phase);
    }
  }
  json.end_array();
  json.end_object();
  out.put('\n');
}

}  // namespace gridcast::report
