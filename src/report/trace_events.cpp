#include <fmt/format.h>

#include <ostream>

#include "gridcast/base/json_writer.h"
#include "gridcast/report/trace_files.h"
#include "tracks.h"

namespace gridcast::report {
namespace {

void put_text(JsonWriter& json, const char* key, const std::string& text) {
  json.key(key);
  json.string(text);
}

void put_integer(JsonWriter& json, const char* key, std::int64_t value) {
  json.key(key);
  json.integer(value);
}

void put_number(JsonWriter& json, const char* key, double value) {
  json.key(key);
  json.number(value);
}

/// The name of the process, or of a thread.
void put_name(JsonWriter& json, const char* what, std::int64_t thread, const std::string& name) {
  json.begin_object(Layout::line);
  put_text(json, "ph", "M");
  put_integer(json, "pid", 0);
  put_integer(json, "tid", thread);
  put_text(json, "name", what);
  json.key("args");
  json.begin_object(Layout::line);
  put_text(json, "name", name);
  json.end_object();
  json.end_object();
}

void put_phase(JsonWriter& json, const model::Timeline& timeline, const model::Phase& phase) {
  constexpr double microseconds = 1e6;
  const std::string& place = timeline.places[phase.place];
  json.begin_object(Layout::line);
  put_text(json, "ph", "X");
  put_integer(json, "pid", 0);
  put_integer(json, "tid", phase.processor);
  put_number(json, "ts", microseconds * phase.begin);
  put_number(json, "dur", microseconds * (phase.end - phase.begin));
  put_text(json, "name",
           phase.doing == model::Doing::idle ? "idle"
                                             : fmt::format("{} {} {}", model::name(phase.doing),
                                                           model::name(phase.activity), place));
  put_text(json, "cat", model::name(phase.doing));
  json.key("args");
  json.begin_object(Layout::line);
  put_text(json, "place", place);
  put_text(json, "activity", model::name(phase.activity));
  json.end_object();
  json.end_object();
}

}  // namespace

void write_trace_events(std::ostream& out, const model::Timeline& timeline,
                        const std::vector<Track>& tracks, const machine::Grid& grid,
                        std::string_view title) {
  JsonWriter json(out);
  json.begin_object(Layout::lines);
  put_text(json, "displayTimeUnit", "ms");
  json.key("otherData");
  json.begin_object(Layout::line);
  put_text(json, "generator", "gridcast");
  put_text(json, "grid", grid.text());
  put_integer(json, "processors", static_cast<std::int64_t>(timeline.processors));
  put_number(json, "execution_time", timeline.execution_time);
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
