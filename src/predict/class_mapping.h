#pragma once
/// Internal: the placements of a script on one grid, seen by classes of processors. Speaks of
/// placements on the root grid of equal processors only; what else there is, `unsupported` names.

#include <array>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "gridcast/machine/grid.h"
#include "gridcast/mapping/class_layout.h"
#include "gridcast/network/class_messages.h"
#include "gridcast/network/transposition.h"
#include "gridcast/rules/options.h"
#include "gridcast/rules/script.h"
#include "stretches.h"

namespace gridcast::model {

using mapping::AxisCut;
using mapping::ClassLayout;
using mapping::ProcessorClasses;
using network::Spread;
using network::Transposition;

class ClassMapping {
public:
  ClassMapping(const Script& script, const ModelOptions& options);

  /// Why no grid of this script can be seen by classes; empty if there is no reason.
  [[nodiscard]] const char* unsupported() const noexcept { return unsupported_; }

  /// Works out everything for a grid. Returns why it cannot be done on this grid, or null.
  /// `repeat`: coordinates that are alike need not follow each other.
  const char* reset(const machine::Grid& grid, bool repeat);

  [[nodiscard]] const ModelOptions& options() const noexcept { return options_; }
  [[nodiscard]] const Script& script() const noexcept { return *script_; }
  [[nodiscard]] const ProcessorClasses& classes() const noexcept { return classes_; }
  [[nodiscard]] const ClassLayout& layout(PlacementId placement) const noexcept {
    return layouts_[placement];
  }

  /// The parts of the script that are looked at one after the other; a prediction begins in the
  /// first.
  [[nodiscard]] const std::vector<Stretch>& stretches() const noexcept { return stretches_; }
  /// Goes on to a stretch: classes() are its own from now on.
  void enter(std::size_t stretch);

  /// How a communication of the stretch spreads a section; null if it does something else.
  const Spread* spread(CommunicationId communication) {
    return known(communication).form == Known::Form::spread ? &known_[communication].spread
                                                            : nullptr;
  }
  /// The same of how it takes an array to another distribution.
  const Transposition* transposition(CommunicationId communication) {
    return known(communication).form == Known::Form::transposition
               ? &known_[communication].transposition
               : nullptr;
  }

private:
  /// What a communication is on the grid.
  struct Known {
    enum class Form : std::uint8_t { other, spread, transposition };
    bool possible = false;
    Form form = Form::other;
    std::uint64_t generation = 0;
    Spread spread;
    Transposition transposition;
  };
  void look_at_sections(CommunicationId communication, std::set<TargetId>& targets);
  const Known& known(CommunicationId communication);
  /// Roots of reductions, senders and receivers of sections, processor 0.
  void cut_around(const Asked& asked);
  const char* look_at(PlacementId placement) const;
  /// Which coordinates hold the same and have alike neighbours, per dimension; all of them if
  /// borders where sizes change are fewer than such kinds.
  void find_kinds(const Asked& asked);
  const char* cut_template(TargetId target, const machine::Grid& grid);
  /// Once per grid.
  void lay_out(PlacementId placement);

  const Script* script_;
  ModelOptions options_;
  const char* unsupported_ = nullptr;
  std::vector<Stretch> stretches_;  // one if the script is looked at as a whole
  bool split_ = false;
  machine::Grid grid_;
  bool repeat_ = false;
  std::array<ProcessorClasses::Kinds, machine::max_grid_rank> kinds_;
  std::uint64_t generation_ = 0;                                               // of the grid
  std::vector<std::uint64_t> laid_out_;                                        // per placement
  std::vector<Known> known_;                                                   // per communication
  std::vector<TargetId> targets_;                                              // of the placements
  std::vector<std::array<mapping::BlockCut, machine::max_grid_rank>> blocks_;  // per target
  std::vector<ClassLayout> layouts_;
  std::array<std::vector<std::int64_t>, machine::max_grid_rank> borders_;
  ProcessorClasses classes_;
};

/// What each class sends in an exchange of edges or of old values (docs/model.md §5).
void find_messages(const ClassMapping& mapping, const CommunicationSpec& spec,
                   network::ClassExchange& exchange);

}  // namespace gridcast::model
