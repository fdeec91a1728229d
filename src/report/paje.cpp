#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ostream>
#include <vector>

#include "gridcast/base/printable.h"
#include "gridcast/report/trace_files.h"
#include "tracks.h"

namespace gridcast::report {
namespace {

/// The events that are used, with the fields of each in the order of its lines.
constexpr std::string_view paje_header = R"(%EventDef PajeDefineContainerType 0
%  Alias string
%  Type string
%  Name string
%EndEventDef
%EventDef PajeDefineStateType 1
%  Alias string
%  Type string
%  Name string
%EndEventDef
%EventDef PajeDefineEntityValue 2
%  Alias string
%  Type string
%  Name string
%  Color color
%EndEventDef
%EventDef PajeCreateContainer 3
%  Time date
%  Alias string
%  Type string
%  Container string
%  Name string
%EndEventDef
%EventDef PajeDestroyContainer 4
%  Time date
%  Type string
%  Name string
%EndEventDef
%EventDef PajeSetState 5
%  Time date
%  Type string
%  Container string
%  Value string
%  Place string
%EndEventDef
)";

/// A text in quotes: without quotes, and without line breaks.
std::string paje_text(std::string_view text) {
  std::string shown = printable(std::string(text));
  std::replace(shown.begin(), shown.end(), '"', '\'');
  return '"' + shown + '"';
}

void write_types(std::ostream& out) {
  constexpr std::array<std::string_view, model::doing_count> colours{
      "0.00 0.45 0.70", "0.34 0.71 0.91", "0.00 0.62 0.45", "0.78 0.31 0.00",
      "0.94 0.66 0.10", "0.80 0.47 0.65", "0.55 0.58 0.62"};
  out << "0 M 0 \"machine\"\n0 P M \"processor\"\n1 S P \"doing\"\n";
  for (std::size_t i = 0; i < model::doing_count; ++i) {
    const char* const name = model::name(static_cast<model::Doing>(i));
    out << fmt::format("2 {0} S \"{0}\" \"{1}\"\n", name, colours[i]);
  }
}

}  // namespace

void write_paje(std::ostream& out, const model::Timeline& timeline,
                const std::vector<Track>& tracks, const machine::Grid& grid,
                std::string_view title) {
  out << paje_header;
  write_types(out);
  out << fmt::format("3 0 m M 0 {}\n", paje_text(title));
  for (const Track& track : tracks) {
    out << fmt::format("3 0 p{} P m {}\n", track.processor, paje_text(track_name(track, grid)));
  }
  const std::vector<bool> shown = shown_processors(timeline, tracks);
  std::vector<std::uint32_t> order;
  for (std::size_t i = 0; i < timeline.phases.size(); ++i) {
    if (shown[timeline.phases[i].processor]) {
      order.push_back(static_cast<std::uint32_t>(i));
    }
  }
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return timeline.phases[a].begin < timeline.phases[b].begin;
  });
  std::vector<std::string> places;
  places.reserve(timeline.places.size());
  for (const std::string& place : timeline.places) {
    places.push_back(paje_text(place));
  }
  for (const std::uint32_t i : order) {
    const model::Phase& phase = timeline.phases[i];
    out << fmt::format("5 {:.12f} S p{} {} {}\n", phase.begin, phase.processor,
                       model::name(phase.doing), places[phase.place]);
  }
  for (const Track& track : tracks) {
    out << fmt::format("4 {:.12f} P p{}\n", timeline.execution_time, track.processor);
  }
  out << fmt::format("4 {:.12f} M m\n", timeline.execution_time);
}

}  // namespace gridcast::report
