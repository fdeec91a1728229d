#pragma once
/// A `Script`: a program compiled for prediction. Everything that does not depend on the grid is
/// done once here: objects are resolved to placements, equal loops and transfers share one
/// description, runs of ordinary calls are folded into one operation. A prediction walks the
/// operations and works out each description at most once per grid.
///
/// All tables are flat arrays of plain structs that refer to each other by index, so that a script
/// is one block of memory: ranks of a node share a single copy (see `pack` and `Script::attach`).

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gridcast/figures/characteristics.h"
#include "gridcast/machine/cluster.h"
#include "gridcast/mapping/layout.h"
#include "gridcast/rules/block_specs.h"
#include "gridcast/rules/ids.h"
#include "gridcast/rules/slice.h"
#include "gridcast/trace/program.h"

namespace gridcast::model {

/// A processor system; the first one is the root grid.
struct ViewSpec {
  /// The whole grid, a part of the parent, or the parent in a new shape.
  enum class Kind : std::uint32_t { root, part, reshaped };
  Kind kind = Kind::root;
  ViewId parent = {};
  Slice traced = {};  ///< ints: the parent's shape in the traced run
  Slice first = {};   ///< ints: lower bounds (part) or the new shape (reshaped)
  Slice last = {};    ///< ints: upper bounds (part)
  auto operator<=>(const ViewSpec&) const = default;
};

/// A template distributed on a view.
struct TargetSpec {
  /// Blocks by the rule, of given lengths, or by weights of the elements.
  enum class Weights : std::uint32_t { none, lengths, elements };
  /// Blocks of arrays follow --block-rule and the performance of processors, those of domains their
  /// rule, or --block-rule.
  enum class Cut : std::uint32_t { array, domain, ceil, balanced, first, last };
  Cut cut = Cut::array;
  Slice extents = {};  ///< ints
  ViewId view = root_view;
  Slice axes = {};      ///< ints, per dimension of the view: template dimension (0-based) or -1
  Slice divisors = {};  ///< ints, per template dimension; empty: all 1
  Weights weights = Weights::none;
  Slice lists = {};  ///< slices of reals, per dimension of the view (genblk_, setelw_)
  auto operator<=>(const TargetSpec&) const = default;
};

/// An array or the iterations of a loop, laid over a target; without one, replicated on a view.
struct PlacementSpec {
  TargetId target = {};
  ViewId view = root_view;
  Slice rules = {};    ///< rules, per template dimension
  Slice extents = {};  ///< ints
  auto operator<=>(const PlacementSpec&) const = default;
};

/// Shadow edges of one array in a group.
struct ShadowPart {
  PlacementId placement = {};
  std::uint32_t rings = 0;        ///< dimensions of the array, one bit each, along which edges wrap
  std::int64_t element_size = 0;  ///< bytes
  Slice low = {}, high = {};      ///< ints: widths per dimension
  std::int64_t tuple_limit = 1;
  auto operator<=>(const ShadowPart&) const = default;
};

/// An array copy: position k of each dimension with more than one element goes to position k.
/// Without sections all elements of an array go to where they will be: a redistribution.
struct CopyPart {
  PlacementId from = {};  ///< placement; none: a buffer in every processor's memory
  PlacementId to = {};
  std::int64_t element_size = 0;  ///< of the source
  Slice from_section,
      to_section;  ///< ints: first, step, count per dimension (step may be negative)
  auto operator<=>(const CopyPart&) const = default;
};

/// A remote-access buffer: what each processor needs of an array.
struct RemotePart {
  PlacementId array;   ///< placement
  PlacementId reader;  ///< placement of the loop; none: every processor of the view needs it
  ViewId view = root_view;
  std::int64_t element_size = 0;
  Slice needs;  ///< rules, per dimension of the array: linear in a loop dimension (iterations
                ///< counted from 0), constant, or replicated (whole)
  auto operator<=>(const RemotePart&) const = default;
};

/// A set of transfers that is the same each time it happens.
struct CommunicationSpec {
  /// What is sent: edges, values of a reduction, elements of an array to its new distribution or to
  /// another array, those that a buffer holds, former values that a pipeline reads; or what a
  /// statement over blocks says: messages of a phase, send-receives in turn, single messages and
  /// those that are matched with them, a collective operation.
  enum class Kind : std::uint32_t {
    nothing,
    shadow,
    reduction,
    move,
    copy,
    remote,
    old_values,
    phase,
    turns,
    send,
    receive,
    collective,
  };
  Kind kind = Kind::nothing;
  ViewId view = root_view;     ///< the current processor system when it starts
  Slice parts = {};            ///< part_ids: indices into the table of its kind
  PlacementId placement = {};  ///< reduction, old_values: the loop
  double bytes = 0.0;          ///< reduction
  StatementId statement = {};  ///< of those over blocks
  auto operator<=>(const CommunicationSpec&) const = default;
};

/// Measured times of an iteration of a loop in blocks of several shapes.
struct ShapeSpec {
  Slice points;  ///< reals, three each: outer and inner iterations, seconds per iteration
  Slice file;    ///< chars
  std::int64_t line = 0;
  auto operator<=>(const ShapeSpec&) const = default;
};

/// A pipelined loop.
struct PipelineSpec {
  PlacementId placement = {};  ///< the loop
  ViewId view = root_view;     ///< current processor system
  Slice parts = {};            ///< part_ids of ShadowParts: the New group
  PortionId portion = {};      ///< one without bounds, if the shape of blocks counts
  std::int64_t portions = 0;   ///< their number, if the program says it; else 0
  auto operator<=>(const PipelineSpec&) const = default;
};

/// What is known of a call of dopl_ beside its loop.
struct PortionSpec {
  /// ints: the part that it executed, first, step, count per dimension (iterations counted from 0);
  /// empty: all of the loop.
  Slice bounds;
  ShapeId shape;  ///< how time depends on the shape of blocks
  auto operator<=>(const PortionSpec&) const = default;
};

/// Something that processors keep in memory: their part of an array with its edges, or a
/// remote-access buffer (docs/model.md, "Memory").
struct HoldingSpec {
  PlacementId placement = {};  ///< array: its own; buffer: of the loop that reads; none: no loop
  ViewId view = root_view;     ///< buffer without a loop: everybody here has it
  Slice low = {}, high = {};   ///< ints, array: widths of the edges per dimension
  double bytes = 0.0;          ///< array: of an element; buffer: of what one iteration needs
  Slice powers =
      {};  ///< ints, buffer: how many of its dimensions follow each dimension of the loop
  auto operator<=>(const HoldingSpec&) const = default;
};

/// An interval of the program: its place in the tree, and where it comes from.
struct IntervalSpec {
  std::int32_t parent = -1;
  std::int32_t level = 0;
  trace::IntervalType type = trace::IntervalType::main;
  bool has_expression = false;
  std::int64_t expression = 0;
  std::int64_t count = 1;
  Slice file;  ///< chars
  std::int64_t line = 0;
  std::array<std::int64_t, operation_count> operations{};  ///< counted operations, nested included
};

/// A line of the program's source.
struct PlaceSpec {
  Slice file;  ///< chars
  std::int64_t line = 0;
  auto operator<=>(const PlaceSpec&) const = default;
};

/// One step of a prediction.
struct Op {
  /// What the step does, and which of its members it uses.
  enum class Kind : std::uint8_t {
    work,            ///< call, ret: rule 1 on the current view
    io_work,         ///< call: time of processor 0 in an I/O function
    broadcast,       ///< call: bytes that processor 0 sends to the others
    share,           ///< call: loop time, shared as placement `a` (portion `b`) is
    begin_interval,  ///< a: interval
    end_interval,    ///< a: interval that ends
    enter_view,      ///< a: view
    leave_view,      ///< a: the view left, b: the view returned to
    synchronize,     ///< operation
    start,           ///< operation, a: communication, b: token
    send,            ///< the same without synchronisation (sendsh_)
    wait,            ///< operation, b: token
    transfer,        ///< operation, a: communication: blocking, synchronised before
    exchange,        ///< the same without synchronisation before
    copied,          ///< a: communication: ret is local copying, shared by what is written
    pipeline,        ///< a: pipeline, call: time of the loop
    block_work,      ///< a: statement: what each process computes
    repeat,          ///< a: statement: what follows is done so often
    end_repeat,
  };
  /// What the operation costs in the run-time library (docs/model.md §2.16).
  enum class Cost : std::uint8_t { none, collective, load, array };
  Kind kind = Kind::work;
  Operation operation = Operation::io;
  Cost cost = Cost::none;
  std::uint32_t a = none;
  std::uint32_t b = none;
  PlaceId place = {};  ///< of a program compiled with Detail::places
  double call = 0.0;   ///< seconds
  double ret = 0.0;    ///< seconds

  // What a and b are, by kind.
  [[nodiscard]] PlacementId placement() const noexcept { return PlacementId(a); }
  [[nodiscard]] PortionId portion() const noexcept { return PortionId(b); }
  [[nodiscard]] CommunicationId communication() const noexcept { return CommunicationId(a); }
  [[nodiscard]] PipelineId pipeline() const noexcept { return PipelineId(a); }
  [[nodiscard]] IntervalId interval() const noexcept { return IntervalId(a); }
  [[nodiscard]] StatementId statement() const noexcept { return StatementId(a); }
  /// The processor system from then on.
  [[nodiscard]] ViewId view() const noexcept { return ViewId(kind == Kind::leave_view ? b : a); }
};

/// Seconds that an operation costs each of the processors of the current system in the run-time
/// library; nothing on one processor.
[[nodiscard]] inline double cost_of(const Op& op, const machine::LibraryCosts& library,
                                    std::size_t processors) noexcept {
  return processors == 1                   ? 0.0
         : op.cost == Op::Cost::collective ? library.collective
         : op.cost == Op::Cost::load       ? library.load
         : op.cost == Op::Cost::array      ? library.array.value_or(library.collective)
                                           : 0.0;
}

/// The tables of a script; `Array` is std::vector while it is built and std::span afterwards.
template <template <class...> class Array>
struct ScriptTables {
  Array<Op> ops;
  Array<IntervalSpec> intervals;  ///< depth first, 0 = the whole program
  Array<ViewSpec> views;
  Array<TargetSpec> targets;
  Array<PlacementSpec> placements;
  Array<ShadowPart> shadow_parts;
  Array<CopyPart> copy_parts;
  Array<RemotePart> remote_parts;
  Array<CommunicationSpec> communications;
  Array<PipelineSpec> pipelines;
  Array<PortionSpec> portions;
  Array<ShapeSpec> shapes;
  Array<HoldingSpec> holdings;
  Array<Slice> moments;  ///< part_ids: holdings that there are at the same time
  Array<PlaceSpec> places;
  Array<DomainSpec> domains;
  Array<StatementSpec> statements;
  Array<MessageSpec> messages;
  Array<trace::FormulaStep> formulas;
  Array<mapping::AxisRule> rules;
  Array<std::int64_t> ints;
  Array<double> reals;
  Array<Slice> slices;
  Array<std::uint32_t> part_ids;
  Array<char> chars;

  /// Calls `f` with each table of all of these, always in the same order.
  template <class F, class... Self>
  static void for_each(F&& f, Self&... self) {
    f(self.ops...);
    f(self.intervals...);
    f(self.views...);
    f(self.targets...);
    f(self.placements...);
    f(self.shadow_parts...);
    f(self.copy_parts...);
    f(self.remote_parts...);
    f(self.communications...);
    f(self.pipelines...);
    f(self.portions...);
    f(self.shapes...);
    f(self.holdings...);
    f(self.moments...);
    f(self.places...);
    f(self.domains...);
    f(self.statements...);
    f(self.messages...);
    f(self.formulas...);
    f(self.rules...);
    f(self.ints...);
    f(self.reals...);
    f(self.slices...);
    f(self.part_ids...);
    f(self.chars...);
  }
};

template <class T>
using ConstSpan = std::span<const T>;
template <class T>
using Vector = std::vector<T>;

/// Figures of the program as a whole.
struct ScriptHeader {
  std::uint32_t tokens = 0;    ///< asynchronous operations that can be pending at a time
  std::int32_t grid_rank = 1;  ///< highest rank of a distribution (docs/model.md §7)
  std::array<std::int64_t, 8>
      reference_extents{};     ///< extents along PS dimensions of the largest distributed array
  double duration = 0.0;       ///< Σ(call + ret) of the trace, seconds
  double portion_start = 0.0;  ///< Tirecv + Twrecv of the traced run, seconds; 0: not known
  trace::Recording recording;  ///< what was taken off before
};

/// A program compiled for prediction: tables in one block of memory, which copies share.
class Script {
public:
  using Builder = ScriptTables<Vector>;
  using Tables = ScriptTables<ConstSpan>;

  Script() = default;

  /// A script that owns its memory.
  Script(const Builder& tables, const ScriptHeader& header);

  /// A script in memory that somebody else owns and that outlives it; `bytes` came from pack() and
  /// is aligned to 8.
  static Script attach(std::span<const std::byte> bytes);

  /// The whole script as one block.
  [[nodiscard]] std::span<const std::byte> pack() const noexcept { return bytes_; }

  [[nodiscard]] const Tables& tables() const noexcept { return tables_; }
  /// A copy of the tables, to write another script.
  [[nodiscard]] Builder builder() const;
  [[nodiscard]] const ScriptHeader& header() const noexcept { return header_; }

  [[nodiscard]] std::span<const std::int64_t> ints(Slice slice) const noexcept {
    return entries(tables_.ints, slice);
  }
  [[nodiscard]] std::span<const double> reals(Slice slice) const noexcept {
    return entries(tables_.reals, slice);
  }
  [[nodiscard]] std::span<const mapping::AxisRule> rules(Slice slice) const noexcept {
    return entries(tables_.rules, slice);
  }
  [[nodiscard]] std::span<const std::uint32_t> part_ids(Slice slice) const noexcept {
    return entries(tables_.part_ids, slice);
  }
  [[nodiscard]] std::string_view text(Slice slice) const noexcept {
    return {tables_.chars.data() + slice.begin, slice.count};
  }
  /// Extents of the reference array along the dimensions of the grid ([Forecasting §2.3]).
  [[nodiscard]] std::span<const std::int64_t> reference_extents() const noexcept {
    return {header_.reference_extents.data(), static_cast<std::size_t>(header_.grid_rank)};
  }

private:
  void attach_tables();

  std::shared_ptr<const std::vector<std::byte>> owned_;
  std::span<const std::byte> bytes_;
  Tables tables_;
  ScriptHeader header_;
};

}  // namespace gridcast::model
