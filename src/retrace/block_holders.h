#pragma once
/// Which block of a parallel loop one process of a run executes, from the calls of its trace alone:
/// processes that the mapping gives the same block have equal keys (docs/model.md §9, §3).

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "gridcast/trace/calls.h"
#include "gridcast/trace/program.h"

namespace gridcast::trace {

/// Coordinates of a process along the dimensions that split a loop.
using BlockKey = std::vector<std::int64_t>;

class BlockHolder {
public:
  /// `process`: the number of the process in its processor system, last dimension fastest.
  BlockHolder(const Program& program, std::size_t process);

  /// Follows one call.
  void take(const Call& call);

  /// The block that this process holds of a loop; empty optional if the trace does not tell.
  [[nodiscard]] std::optional<BlockKey> block_of(Slot loop) const;

private:
  /// A processor system as this process sees it.
  struct System {
    Extents extents;
    std::optional<Extents> coordinates;  ///< of this process; none: it is not in the system
  };
  /// How a dimension of a template is filled: by a dimension (from 0), a constant, or everywhere.
  struct Position {
    enum class Kind : std::uint8_t { dimension, constant, replicated };
    Kind kind = Kind::constant;
    std::size_t dimension = 0;
  };
  struct Target {
    std::optional<System> system;  ///< none: not distributed
    std::vector<std::int64_t> axes;
  };
  /// An array or a loop over a template; no template: replicated on the current system.
  struct Placement {
    Slot target = no_object;
    std::vector<Position> positions;  ///< one per dimension of the template
  };

  [[nodiscard]] const System& current() const { return stack_.back(); }
  [[nodiscard]] System system_of(Slot slot) const;
  [[nodiscard]] Placement placement(const AlignmentRule& rule) const;

  void take_call(const CreateSystem& call);
  void take_call(const ReshapeSystem& call);
  void take_call(const GetSystem& call);
  void take_call(const MapMachine& call);
  void take_call(const GetMachine& call);
  void take_call(const RunTask& call);
  void take_call(const StopTask& call);
  void take_call(const CreateTemplate& call);
  void take_call(const Distribute& call);
  void take_call(const Redistribute& call);
  void take_call(const GetTemplate& call);
  void take_call(const CreateArray& call);
  void take_call(const Align& call);
  void take_call(const Realign& call);
  void take_call(const CreateLoop& call);
  void take_call(const MapLoop& call);
  template <class Other>
  void take_call(const Other& /*call*/) {}

  std::vector<std::optional<System>> systems_, machines_;
  std::vector<System> stack_;
  std::vector<Target> targets_;
  std::vector<Placement> arrays_, loops_;
};

}  // namespace gridcast::trace
