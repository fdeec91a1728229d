#include "tracks.h"

#include <algorithm>
#include <cmath>
#include <ostream>
#include <span>
#include <sstream>

#include "processor_names.h"

namespace gridcast::report {
namespace {

/// Whether two processors do the same, in phases that end at the same times to this tolerance.
bool are_alike(std::span<const model::Phase* const> a, std::span<const model::Phase* const> b,
               double tolerance) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [tolerance](const model::Phase* x, const model::Phase* y) {
                      return x->place == y->place && x->activity == y->activity &&
                             x->doing == y->doing && std::abs(x->end - y->end) <= tolerance;
                    });
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
  constexpr double same = 1e-3;  // of the run
  std::vector<std::vector<const model::Phase*>> phases(timeline.processors);
  for (const model::Phase& phase : timeline.phases) {
    phases[phase.processor].push_back(&phase);
  }
  std::vector<Track> tracks;
  for (std::size_t p = 0; p < phases.size(); ++p) {
    const auto known = std::find_if(tracks.begin(), tracks.end(), [&](const Track& track) {
      return are_alike(phases[track.processor], phases[p], same * timeline.execution_time);
    });
    if (known == tracks.end()) {
      tracks.push_back({p, 1});
    } else {
      ++known->processors;
    }
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
