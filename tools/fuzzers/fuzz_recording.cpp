/// Files of recorded ranks and manifests of runs: an input that begins with "GC" is a file of a
/// rank.

#include "fuzz.h"
#include "gridcast/record/recording.h"

namespace gridcast::fuzz {

const bool of_lines = false;

bool use_input(const std::string& input) {
  if (!input.starts_with("GC")) {
    return accepted(input, [](const std::string& text) {
      static_cast<void>(record::manifest_text(record::parse_manifest(text, "recording.toml")));
    });
  }
  static const std::filesystem::path file = scratch_file("rank-0.gcr");
  write_file(file, input);
  return accepted(input, [](const std::string&) {
    const record::RankRecording rank = record::read_rank(file);
    record::EventReader events(rank);
    std::uint64_t count = 0;
    for (record::Event event; events.next(event); ++count) {
      if (event.shape == 0 || event.shape >= rank.shapes.size() || !(event.gap >= 0.0) ||
          !(event.duration >= 0.0)) {
        std::abort();
      }
    }
    if (count != rank.events || record::warnings(rank).size() > 8) {
      std::abort();
    }
  });
}

}  // namespace gridcast::fuzz
