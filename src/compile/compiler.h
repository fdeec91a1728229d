#pragma once
/// Internal: turns the calls of a program into the tables of a script. The state of the objects is
/// that of the run so far; nothing here knows the grid.

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "gridcast/base/error.h"
#include "gridcast/compile/compile.h"
#include "gridcast/rules/script.h"
#include "gridcast/trace/program.h"
#include "moments.h"

namespace gridcast::model {

/// Builds the tables; equal lists and descriptions are stored once.
class TableBuilder {
public:
  Slice ints(std::span<const std::int64_t> values);
  Slice reals(std::span<const double> values);
  Slice rules(std::span<const mapping::AxisRule> values);
  Slice slices(std::span<const Slice> values);
  Slice part_ids(std::span<const std::uint32_t> values);
  Slice chars(std::string_view text);

  ViewId view(const ViewSpec& spec) { return intern(spec, tables.views, views_); }
  TargetId target(const TargetSpec& spec) { return intern(spec, tables.targets, targets_); }
  PlacementId placement(const PlacementSpec& spec) {
    return intern(spec, tables.placements, placements_);
  }
  Id<ShadowPart> shadow(const ShadowPart& part) {
    return intern(part, tables.shadow_parts, shadow_parts_);
  }
  Id<MovePart> move(const MovePart& part) { return intern(part, tables.move_parts, move_parts_); }
  Id<CopyPart> copy(const CopyPart& part) { return intern(part, tables.copy_parts, copy_parts_); }
  Id<RemotePart> remote(const RemotePart& part) {
    return intern(part, tables.remote_parts, remote_parts_);
  }
  CommunicationId communication(const CommunicationSpec& spec) {
    return intern(spec, tables.communications, communications_);
  }
  PipelineId pipeline(const PipelineSpec& spec) {
    return intern(spec, tables.pipelines, pipelines_);
  }
  HoldingId holding(const HoldingSpec& spec) { return intern(spec, tables.holdings, holdings_); }
  PlaceId place(const PlaceSpec& spec) { return intern(spec, tables.places, places_); }
  PortionId portion(const PortionSpec& spec) { return intern(spec, tables.portions, portions_); }
  ShapeId shape(const ShapeSpec& spec) { return intern(spec, tables.shapes, shapes_); }

  Script::Builder tables;

private:
  template <class Spec>
  static Id<Spec> intern(const Spec& spec, std::vector<Spec>& table,
                         std::map<Spec, Id<Spec>>& known) {
    const auto [at, is_new] = known.try_emplace(spec, static_cast<std::uint32_t>(table.size()));
    if (is_new) {
      table.push_back(spec);
    }
    return at->second;
  }

  std::map<std::vector<std::int64_t>, Slice> known_ints_;
  std::map<std::vector<double>, Slice> known_reals_;
  std::map<std::vector<std::uint32_t>, Slice> known_ids_;
  std::map<std::vector<mapping::AxisRule>, Slice> known_rules_;
  std::map<ViewSpec, Id<ViewSpec>> views_;
  std::map<TargetSpec, Id<TargetSpec>> targets_;
  std::map<PlacementSpec, Id<PlacementSpec>> placements_;
  std::map<ShadowPart, Id<ShadowPart>> shadow_parts_;
  std::map<MovePart, Id<MovePart>> move_parts_;
  std::map<CopyPart, Id<CopyPart>> copy_parts_;
  std::map<RemotePart, Id<RemotePart>> remote_parts_;
  std::map<CommunicationSpec, Id<CommunicationSpec>> communications_;
  std::map<PipelineSpec, Id<PipelineSpec>> pipelines_;
  std::map<PortionSpec, Id<PortionSpec>> portions_;
  std::map<ShapeSpec, Id<ShapeSpec>> shapes_;
  std::map<HoldingSpec, Id<HoldingSpec>> holdings_;
  std::map<PlaceSpec, Id<PlaceSpec>> places_;
};

/// Objects of the run so far.
struct TargetState {
  std::vector<std::int64_t> extents;
  std::vector<std::int64_t> periodic;  ///< per dimension, 1: its ends are neighbours; empty: none
  std::vector<std::int64_t> divisors;
  TargetSpec::Weights weights = TargetSpec::Weights::none;
  std::vector<std::vector<double>> lists;
  TargetId spec;  ///< none: not distributed yet
  ViewId view = root_view;
};

struct ArrayState {
  std::vector<std::int64_t> extents;
  std::vector<std::int64_t> low, high;
  std::int64_t element_size = 0;
  bool aligned = false;
  std::uint32_t target = none;  ///< number of the target; valid if aligned
  std::vector<mapping::AxisRule> rules;
  bool stays_local = false;  ///< never aligned: every processor has its own
  HoldingId holding;         ///< where it lies now; none: not asked for yet
};

struct LoopState {
  std::int64_t rank = 0;
  bool mapped = false;
  PlacementId placement;
  std::vector<std::int64_t> first, step, extents;
  bool across = false;
  PipelineId pipeline;
  CommunicationId old_values;  ///< communication; none: nothing to exchange
  bool old_values_done = false;
  /// Exchanges that start or end at the return of a later dopl_ (counted from 1; 0: at endpl_).
  std::vector<std::pair<std::size_t, trace::Slot>> starts_at, waits_at;
  std::size_t portions_run = 0;
};

struct ShadowGroupState {
  struct Entry {
    trace::Slot array = trace::no_object;
    std::vector<std::int64_t> low, high;
    std::int64_t tuple_limit = 1;
  };
  std::vector<Entry> entries;
};

struct BufferState {
  bool created = false;
  RemotePart part;                       ///< with the array where it was when the buffer was made
  trace::Slot array = trace::no_object;  ///< moves of it before a load count
  std::vector<std::int64_t> extents;     ///< of the array: another one may have taken its slot
  HoldingId holding;
};

class Compiler {
public:
  Compiler(const trace::Program& program, Detail detail, const LoopShapes* shapes = nullptr);
  Compiled run();

  // One handler per kind of call.
  void on(const trace::Ordinary&);
  void on(const trace::BeginInterval& call);
  void on(const trace::EndInterval&);
  void on(const trace::InputOutput& call);
  void on(const trace::BeginIoStatement&);
  void on(const trace::EndIoStatement&);
  void on(const trace::CreateSystem& call);
  void on(const trace::ReshapeSystem& call);
  void on(const trace::GetSystem& call);
  void on(const trace::DeleteSystem& call);
  void on(const trace::GetMachine& call);
  void on(const trace::GetMachineElement& call);
  void on(const trace::MapMachine& call);
  void on(const trace::RunTask& call);
  void on(const trace::StopTask&);
  void on(const trace::CreateTemplate& call);
  void on(const trace::DeleteTemplate& call);
  void on(const trace::DivideBlocks& call);
  void on(const trace::SetWeights& call);
  void on(const trace::SetBlockLengths& call);
  void on(const trace::Distribute& call);
  void on(const trace::Redistribute& call);
  void on(const trace::GetTemplate& call);
  void on(const trace::CreateArray& call);
  void on(const trace::DeleteArray& call);
  void on(const trace::Align& call);
  void on(const trace::Realign& call);
  void on(const trace::CopyArrays& call);
  void on(const trace::WaitCopy& call);
  void on(const trace::ElementAccess& call);
  void on(const trace::CreateLoop& call);
  void on(const trace::MapLoop& call);
  void on(const trace::RunLoop& call);
  void on(const trace::EndLoop& call);
  void on(const trace::Across& call);
  void on(const trace::CreateReductionGroup& call);
  void on(const trace::CreateReduction& call);
  void on(const trace::InsertReduction& call);
  void on(const trace::DeleteReduction& call);
  void on(const trace::DeleteReductionGroup& call);
  void on(const trace::StartReduction& call);
  void on(const trace::WaitReduction& call);
  void on(const trace::CreateShadowGroup& call);
  void on(const trace::InsertShadow& call);
  void on(const trace::DeleteShadowGroup& call);
  void on(const trace::StartShadow& call);
  void on(const trace::WaitShadow& call);
  void on(const trace::SendShadow& call);
  void on(const trace::ReceiveShadow& call);
  void on(const trace::ExportFirst& call);
  void on(const trace::ImportLast& call);
  void on(const trace::CreateRemoteBuffer& call);
  void on(const trace::CreatePointBuffer& call);
  void on(const trace::DeleteBuffer& call);
  void on(const trace::LoadBuffer& call);
  void on(const trace::WaitBuffer& call);
  void on(const trace::CreateBufferGroup& call);
  void on(const trace::InsertBuffer& call);
  void on(const trace::DeleteBufferGroup& call);
  void on(const trace::LoadBufferGroup& call);
  void on(const trace::WaitBufferGroup& call);

private:
  /// Kinds of asynchronous operations, each with its own objects.
  enum class Pending : std::uint8_t { reduction, shadow, copy, buffer, buffer_group };

  // --- operations ------------------------------------------------------------------------------
  void work(double call, double ret);
  void io_work(double time);
  void push(Op op);
  void count(Operation operation);
  void share(PlacementId placement, PortionId portion, double call);
  /// The whole call by rule 1.
  void ordinary() { work(record().call_time, record().ret_time); }
  void start(Pending kind, trace::Slot slot, Operation operation, CommunicationId communication,
             Op::Kind op = Op::Kind::start);
  void wait(Pending kind, trace::Slot slot, Operation operation);
  void copied_ret(CommunicationId communication);

  // --- errors ----------------------------------------------------------------------------------
  [[nodiscard]] const trace::Record& record() const { return *record_; }
  [[nodiscard]] InputError error(const std::string& problem, const std::string& remedy) const;
  template <class State>
  State& object(std::vector<State>& states, trace::Slot slot, const char* what) {
    if (slot >= states.size()) {
      throw error(std::string(what) + " that does not exist",
                  "expected the call that creates it before");
    }
    return states[slot];
  }
  void check_index(std::int64_t value, const char* what) const;
  void warn_once(const std::string& text);

  // --- placements ------------------------------------------------------------------------------
  [[nodiscard]] ViewId current_view() const { return view_stack_.back().view; }
  ViewId view_of(trace::Slot system) const;
  ViewId view_of_machine(trace::Slot slot) const;
  std::vector<mapping::AxisRule> axis_rules(const trace::AlignmentRule& rule, std::size_t rank,
                                            std::size_t pattern_rank);
  /// What a rule over a pattern means for the template: target number (none: replicated) and rules.
  struct Composed {
    std::uint32_t target = none;
    std::vector<mapping::AxisRule> rules;
  };
  Composed compose_over(const trace::AlignmentRule& rule, std::size_t rank);
  PlacementId placement_of(const ArrayState& array);
  PlacementId placement_over(std::uint32_t target, std::span<const mapping::AxisRule> rules,
                             std::span<const std::int64_t> extents);
  void distribute(TargetState& target, ViewId view, std::span<const std::int64_t> axes);
  void note_reference(const TargetState& target, std::span<const std::int64_t> axes);
  std::uint32_t target_number(trace::Slot slot, const char* what);
  void align(ArrayState& array, const trace::AlignmentRule& rule);

  // --- communications --------------------------------------------------------------------------
  CommunicationId nothing();
  CommunicationId shadow_communication(trace::Slot group);
  [[nodiscard]] std::uint32_t rings_of(const ArrayState& array) const;
  /// `wraps`: along periodic dimensions the first and the last exchange edges, too.
  std::vector<std::uint32_t> shadow_parts(trace::Slot group, bool wraps);
  /// The part of a buffer as its array lies now.
  std::uint32_t loaded_part(const BufferState& buffer);
  CommunicationId remote_communication(std::span<const std::uint32_t> parts);
  CommunicationId move_communication(std::span<const std::uint32_t> parts);
  CommunicationId copy_communication(const trace::Section& from, const trace::Section& to);
  std::vector<std::int64_t> section_of(const trace::Section& section, const ArrayState& array);
  void blocking(Operation operation, CommunicationId communication, bool counts);
  LoopState& loop_of(trace::Slot slot);
  /// How the time of the loop at this call depends on the shape of blocks; none: not known.
  ShapeId shape_of_place();
  /// What a call of dopl_ executes; none: all of the loop, whatever the shape of blocks.
  PortionId portion_of(const trace::RunLoop& call, const LoopState& loop);
  void attach_across(LoopState& loop);
  void exchange(Operation operation, CommunicationId communication);
  void check_weights(std::span<const std::vector<double>> lists, const char* what) const;
  void run_scheduled(LoopState& loop, std::size_t at);
  [[nodiscard]] std::size_t portions_ahead(trace::Slot loop) const;
  std::vector<std::int64_t> widths(const trace::Extents& given, std::span<const std::int64_t> own);
  std::vector<mapping::AxisRule> buffer_needs(const trace::CreateRemoteBuffer& call,
                                              const ArrayState& array, const LoopState& loop);

  // --- memory ----------------------------------------------------------------------------------
  void find_local_arrays();
  [[nodiscard]] bool is_in_memory(const ArrayState& array) const;
  HoldingId holding_of(ArrayState& array);
  HoldingId holding_of(const RemotePart& part, std::span<const std::int64_t> extents);
  /// Notes what there is now, `leaving` besides (arrays where they were before they moved).
  void note_memory(std::vector<std::uint32_t> leaving = {});
  [[nodiscard]] std::vector<std::uint32_t> holdings_over(std::uint32_t target);
  void moved(std::uint32_t target);

  void finish_intervals();
  void collect_reference();

  /// Where operations of the current call belong; none unless places are asked for.
  [[nodiscard]] PlaceId place_of_call();

  const trace::Program& program_;
  Detail detail_;
  const LoopShapes* loop_shapes_;
  std::map<std::uint32_t, ShapeId> shapes_of_places_;  // by place of the program
  const trace::Record* record_ = nullptr;
  TableBuilder build_;
  ScriptHeader header_;
  std::vector<std::string> warnings_;
  std::set<std::string> warned_;

  // folding of ordinary calls: operations since this index commute
  std::size_t segment_ = 0;
  bool in_io_statement_ = false;

  // intervals in order of creation
  std::vector<IntervalSpec> intervals_;
  /// What tells the intervals of one parent apart: docs/model.md §2.9.
  using IntervalKey = std::tuple<std::uint32_t, trace::IntervalType, std::int64_t, Slice,
                                 std::optional<std::int64_t>>;
  std::map<IntervalKey, std::uint32_t> interval_numbers_;
  std::vector<std::uint32_t> interval_stack_;

  struct Running {
    std::uint32_t machine = 0;  ///< number; none if unknown
    ViewId view = root_view;
  };
  std::vector<Running> view_stack_{Running{}};
  std::vector<std::vector<std::int64_t>> traced_shapes_;  ///< per view
  std::vector<ViewId> systems_;                           ///< view per slot, none if unknown
  std::vector<std::uint32_t> machines_;                   ///< number per slot, none if unknown
  std::vector<ViewId> machine_views_{
      root_view};  ///< by number, none if not mapped; 0: the program's
  /// Elements of task arrays: number of the template and index, number of the machine.
  std::map<std::pair<std::uint32_t, trace::Extents>, std::uint32_t> elements_;
  std::vector<TargetState> targets_;         ///< by number; numbers are never used again
  std::vector<std::uint32_t> target_slots_;  ///< number per slot
  std::vector<ArrayState> arrays_;
  std::vector<bool> array_exists_;
  std::vector<LoopState> loops_;
  PlacementId last_mapped_;  ///< placement of the loop mapped last
  std::vector<std::vector<trace::Slot>> reduction_groups_;
  std::vector<double> reduction_bytes_;
  std::vector<ShadowGroupState> shadow_groups_;
  std::vector<BufferState> buffers_;
  std::vector<std::vector<trace::Slot>> buffer_groups_;
  std::optional<trace::Across> pending_across_;
  std::map<std::pair<Pending, trace::Slot>, std::uint32_t> pending_;  ///< token
  std::vector<std::uint32_t> free_tokens_;

  std::set<std::size_t> local_arrays_;  ///< records that create arrays that are never aligned
  Moments moments_;

  struct Reference {
    double elements = 0.0;
    std::vector<std::int64_t> extents;
  };
  Reference reference_;
};

}  // namespace gridcast::model
