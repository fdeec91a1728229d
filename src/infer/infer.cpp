#include "gridcast/infer/infer.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "gridcast/base/error.h"
#include "gridcast/base/printable.h"
#include "gridcast/infer/program.h"

namespace gridcast::infer {
namespace {

void require_whole(const record::Recording& recording) {
  for (const record::RankRecording& rank : recording.ranks) {
    const std::vector<std::string> problems = record::warnings(rank);
    // The last of them, one-sided communication, is refused where it is.
    const bool one_sided = std::ranges::any_of(rank.shapes, [&rank](const record::Shape& shape) {
      return rank.operations[static_cast<std::size_t>(shape.operation)].kind ==
             record::Kind::one_sided;
    });
    if (problems.size() > (one_sided ? 1U : 0U)) {
      throw InputError(rank.file, 0, problems.front(), "expected a recording with all calls");
    }
  }
}

std::vector<std::int64_t> extents_of(const record::Recording& recording,
                                     const std::vector<std::int64_t>& told) {
  const std::string name = printable(recording.folder.string());
  const std::vector<std::int64_t>& extents =
      recording.manifest.extents.empty() ? told : recording.manifest.extents;
  if (extents.empty()) {
    throw InputError(name, 0, "recorded without the size of the problem",
                     "expected --extents N1xN2 with gridcast record, or here");
  }
  if (std::ssize(extents) < recording.manifest.grid.rank()) {
    throw InputError(
        name, 0,
        fmt::format("{} extents for the grid {}", extents.size(), recording.manifest.grid.text()),
        "expected as many as the grid has dimensions, or more");
  }
  return extents;
}

/// Only a process with neighbours along two dimensions tells whether messages along them are one
/// phase or two.
void require_pairs(const std::vector<Coordinates>& coordinates) {
  const auto any = [&](std::size_t i, std::size_t j) {
    return std::any_of(coordinates.begin(), coordinates.end(), [&](const Coordinates& each) {
      return each.grid()[i] > 1 && each.grid()[j] > 1;
    });
  };
  const std::size_t dimensions = coordinates.front().grid().size();
  for (std::size_t i = 0; i < dimensions; ++i) {
    for (std::size_t j = i + 1; j < dimensions; ++j) {
      if (any(i, i) && any(j, j) && !any(i, j)) {
        throw InputError(
            fmt::format("no run cuts dimensions {} and {} at once", i + 1, j + 1),
            "expected one, such as 2x2: whether messages along both are one phase is not told");
      }
    }
  }
}

/// Adds the places where a rank tests or probes: what it does next may depend on time.
void add_tests(const record::RankRecording& rank, const record::SitePlaces& sites, Places& places,
               std::set<std::int32_t>& tests) {
  for (const record::Shape& shape : rank.shapes) {
    const record::Operation& called = rank.operations[static_cast<std::size_t>(shape.operation)];
    if (called.kind == record::Kind::probe || called.name.starts_with("Test")) {
      tests.insert(places.number(sites.of(rank, shape.site)));
    }
  }
}

InputError with_tests(const InputError& error, const Runs& runs,
                      const std::set<std::int32_t>& tests) {
  if (tests.empty()) {
    return error;
  }
  Step step;
  step.places = tests;
  return {error.file(), error.line(),
          fmt::format("{}; the program tests or probes for messages at {}, and what it does then "
                      "may depend on time",
                      error.problem(), places_text(runs, step)),
          error.remedy()};
}

/// In how many equal parts a message of a phase goes: as many as there are shortest ways to a
/// partner that gets no other one.
std::int64_t parts_of(const Item& item, const Message& message, const Coordinates& at,
                      std::int32_t rank) {
  const auto alike = std::ranges::count_if(item.messages, [&message](const Message& other) {
    return other.partner == message.partner && other.incoming == message.incoming;
  });
  if (item.kind != ItemKind::start || alike > 1 || message.partner < 0 || message.partner == rank) {
    return 1;
  }
  const std::vector<Offset> offsets = at.offsets(rank, message.partner);
  const std::int64_t ways = std::ranges::count(offsets, distance(offsets.front()), distance);
  return message.bytes % ways == 0 ? ways : 1;
}

/// Splits messages that go both ways round rings of two processes: what a library sends to one
/// process it sends at once. False if there are none.
bool split_on_rings(Runs& runs) {
  for (std::size_t run = 0; run < runs.items.size(); ++run) {
    for (std::size_t rank = 0; rank < runs.items[run].size(); ++rank) {
      for (Item& item : runs.items[run][rank].items) {
        std::vector<Message> all;
        for (Message each : item.messages) {
          const std::int64_t parts =
              parts_of(item, each, runs.coordinates[run], static_cast<std::int32_t>(rank));
          each.bytes /= parts;
          all.insert(all.end(), static_cast<std::size_t>(parts), each);
        }
        runs.split = runs.split || all.size() > item.messages.size();
        item.messages = std::move(all);
      }
    }
  }
  return runs.split;
}

std::vector<std::string> long_loops(const Runs& runs, const Program& program) {
  constexpr double long_share = 0.1;
  std::set<std::string> found;
  for (const Statement& each : program.statements) {
    if (each.step->loop && !each.left_out && each.repeat != main_repeat &&
        seconds_of(*each.step) > long_share * seconds_of(*program.main)) {
      found.insert(fmt::format("{} (repeat = {})", places_text(runs, *each.step),
                               each.repeat.substr(0, each.repeat.find("  #"))));
    }
  }
  return {found.begin(), found.end()};
}

std::vector<std::string> farthest(const Runs& runs, const Program& program) {
  std::vector<std::string> found;
  for (std::size_t d = 0; d < program.reach.size(); ++d) {
    std::int32_t most = 0;
    for (const Coordinates& each : runs.coordinates) {
      most = std::max(most, each.grid()[d] - 1);
    }
    if (most > 1 && program.reach[d] == most) {
      found.push_back(fmt::format("{} along dimension {}", most, d + 1));
    }
  }
  return found;
}

}  // namespace

void require_describable(const record::Recording& recording) {
  require_whole(recording);
  const record::SitePlaces sites(recording);
  Places places;
  for (const record::RankRecording& rank : recording.ranks) {
    static_cast<void>(read_items(rank, sites, places));
  }
}

Inferred infer(std::vector<record::Recording> recordings,
               const std::vector<std::int64_t>& extents) {
  if (recordings.empty()) {
    throw InputError("no recorded runs", "expected folders of gridcast record");
  }
  Runs runs;
  for (const record::Recording& recording : recordings) {
    require_whole(recording);
    runs.extents.push_back(extents_of(recording, extents));
    if (runs.extents.back().size() != runs.extents.front().size()) {
      throw InputError(printable(recording.folder.string()), 0,
                       fmt::format("{} extents beside {}", runs.extents.back().size(),
                                   runs.extents.front().size()),
                       "expected as many in all runs");
    }
  }
  runs.coordinates = find_coordinates(recordings);
  require_pairs(runs.coordinates);
  runs.recordings = std::move(recordings);
  std::set<std::int32_t> tests;
  for (const record::Recording& recording : runs.recordings) {
    const record::SitePlaces sites(recording);
    runs.items.emplace_back();
    for (const record::RankRecording& rank : recording.ranks) {
      runs.items.back().push_back(read_items(rank, sites, runs.places));
      add_tests(rank, sites, runs.places, tests);
    }
  }
  std::vector<Step> steps;
  Program program;
  const auto find = [&] {
    steps = merge_ranks(runs);
    program = find_program(runs, steps);
  };
  try {
    find();
  } catch (const InputError& error) {
    try {
      if (!split_on_rings(runs)) {
        throw;
      }
      find();
    } catch (const InputError&) {
      throw with_tests(error, runs, tests);
    }
  }
  find_times(runs, program);
  return {.description = description_text(runs, program),
          .messages = program.messages,
          .iterations = program.iterations,
          .time_runs = program.time_runs,
          .main_loop = places_text(runs, *program.main),
          .other_loops = long_loops(runs, program),
          .farthest = farthest(runs, program)};
}

}  // namespace gridcast::infer
