#pragma once
/// The steps of a program, with what each rank of each run did at each of them.

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "gridcast/infer/coordinates.h"
#include "gridcast/infer/fold.h"

namespace gridcast::infer {

/// The recorded runs of a program, read.
struct Runs {
  std::vector<record::Recording> recordings;
  std::vector<std::vector<std::int64_t>> extents;  ///< of the problem, per run
  std::vector<Coordinates> coordinates;            ///< per run
  std::vector<std::vector<RankItems>> items;       ///< per run and rank
  Places places;
  bool split = false;  ///< messages round rings of two processes count as one for each way

  [[nodiscard]] const Item& item(std::size_t run, std::size_t rank,
                                 const Occurrence& occurrence) const {
    return items[run][rank].items[static_cast<std::size_t>(occurrence.item)];
  }
  /// "runs/2x2".
  [[nodiscard]] std::string name(std::size_t run) const;
};

/// What a rank did at a step.
struct Instance {
  std::size_t run = 0;
  std::size_t rank = 0;
  std::int64_t count = 0;               ///< iterations, of a loop
  std::vector<Occurrence> occurrences;  ///< of an item
};

/// A step: a loop, or items of the same places.
struct Step {
  bool loop = false;
  std::vector<Step> body;
  ItemKind kind = ItemKind::start;
  std::set<std::int32_t> places;
  std::string operation;
  std::set<Offset> offsets;  ///< to partners
  std::vector<Instance> instances;

  [[nodiscard]] const Instance* of(std::size_t run, std::size_t rank) const;
};

/// The steps of all ranks of all runs in one order: each rank's sequence is matched with those
/// before it by places, operations and directions.
[[nodiscard]] std::vector<Step> merge_ranks(const Runs& runs);

/// Seconds that all processes of all runs compute in a step.
[[nodiscard]] double seconds_of(const Step& step);

/// The loop whose iterations are the program's: the one at the top that computes longest; null if
/// there is none.
[[nodiscard]] const Step* main_loop(const std::vector<Step>& steps);

/// The step itself; of a loop the first one inside.
[[nodiscard]] const Step& first_of(const Step& step);

/// "solver.c:36, 40": where the first step is.
[[nodiscard]] std::string places_text(const Runs& runs, const Step& step);

}  // namespace gridcast::infer
