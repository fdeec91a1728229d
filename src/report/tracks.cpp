#include "tracks.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <ostream>
#include <sstream>
#include <tuple>

#include "processor_names.h"

namespace gridcast::report {
namespace {

/// A phase as far as it tells processors apart.
using Told = std::tuple<std::uint32_t, model::Activity, model::Doing, std::int64_t>;

Told told(const model::Phase& phase, double unit) {
  return {phase.place, phase.activity, phase.doing, std::llround(phase.end / unit)};
}

}  // namespace

std::vector<Track> tracks_of_processors(const model::Timeline& timeline) {
  std::vector<Track> tracks(timeline.processors);
  for (std::size_t p = 0; p < tracks.size(); ++p) {
    tracks[p].processor = p;
  }
  return tracks;
}

std::vector<Track> tracks_of_classes(const model::Timeline& timeline) {
  // The processors are split by their first phases, then by their second ones, and so on: classes
  // are known without keeping the phases once more.
  const double unit = std::max(timeline.execution_time, 1e-300) * 1e-9;
  std::vector<std::size_t> class_of(timeline.processors, 0);
  std::map<std::pair<std::size_t, Told>, std::size_t> next;
  std::size_t classes = 1;
  for (const model::Phase& phase : timeline.phases) {
    std::size_t& own = class_of[phase.processor];
    const auto [entry, fresh] = next.try_emplace({own, told(phase, unit)}, classes);
    classes += fresh ? 1 : 0;
    own = entry->second;
  }
  std::map<std::size_t, std::size_t> known;
  std::vector<Track> tracks;
  for (std::size_t p = 0; p < class_of.size(); ++p) {
    const auto [entry, fresh] = known.try_emplace(class_of[p], tracks.size());
    if (fresh) {
      tracks.push_back({p, 0});
    }
    ++tracks[entry->second].processors;
  }
  return tracks;
}

std::vector<bool> shown_processors(const model::Timeline& timeline,
                                   const std::vector<Track>& tracks) {
  std::vector<bool> shown(timeline.processors, false);
  for (const Track& track : tracks) {
    shown[track.processor] = true;
  }
  return shown;
}

std::string track_name(const Track& track, const machine::Grid& grid) {
  return processor_name(track.processor, grid) +
         (track.processors > 1 ? " and " + std::to_string(track.processors - 1) + " like it" : "");
}

double expected_bytes(TraceWriter write, const model::Timeline& timeline,
                      const std::vector<Track>& tracks, const machine::Grid& grid,
                      std::string_view title) {
  constexpr std::size_t sample_size = 1000;
  const std::vector<bool> shown = shown_processors(timeline, tracks);
  const auto is_shown = [&](const model::Phase& phase) { return bool(shown[phase.processor]); };
  const auto count = static_cast<std::size_t>(
      std::count_if(timeline.phases.begin(), timeline.phases.end(), is_shown));
  model::Timeline sample{{}, timeline.places, timeline.processors, timeline.execution_time, {}};
  const auto size = [&] {
    std::ostringstream out;
    write(out, sample, tracks, grid, title);
    return static_cast<double>(out.str().size());
  };
  const double without = size();
  // Phases of the whole run: later times are longer numbers.
  const std::size_t step = count / sample_size + 1;
  std::size_t seen = 0;
  for (const model::Phase& phase : timeline.phases) {
    if (is_shown(phase) && seen++ % step == 0) {
      sample.phases.push_back(phase);
    }
  }
  const auto sampled = static_cast<double>(std::max<std::size_t>(sample.phases.size(), 1));
  return without + (size() - without) * static_cast<double>(count) / sampled;
}

}  // namespace gridcast::report
