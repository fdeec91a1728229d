#pragma once
/// Internal: turns the calls of a program into the tables of a script. The state of the objects is
/// that of the run so far; nothing here knows the grid.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "gridcast/base/error.h"
#include "gridcast/compile/compile.h"
#include "gridcast/rules/script.h"
#include "gridcast/trace/program.h"
#include "moments.h"

namespace gridcast::model {

/// A table of a script in which equal rows stand once.
template <class Row>
class DistinctRows {
public:
  explicit DistinctRows(std::vector<Row>& rows) : rows_(&rows) {}
  Id<Row> operator()(const Row& row) {
    const auto [at, is_new] = known_.try_emplace(row, static_cast<std::uint32_t>(rows_->size()));
    if (is_new) {
      rows_->push_back(row);
    }
    return at->second;
  }

private:
  std::vector<Row>* rows_;
  std::map<Row, Id<Row>> known_;
};

/// A pool of a script in which equal lists stand once.
template <class T>
class DistinctLists {
public:
  explicit DistinctLists(std::vector<T>& pool) : pool_(&pool) {}
  Slice operator()(std::span<const T> values) {
    const auto [at, is_new] = known_.try_emplace(std::vector<T>(values.begin(), values.end()));
    if (is_new && !values.empty()) {
      at->second = {static_cast<std::uint32_t>(pool_->size()),
                    static_cast<std::uint32_t>(values.size())};
      pool_->insert(pool_->end(), values.begin(), values.end());
    }
    return at->second;
  }

private:
  std::vector<T>* pool_;
  std::map<std::vector<T>, Slice> known_;
};

/// Builds the tables; equal lists and descriptions are stored once.
class TableBuilder {
public:
  TableBuilder() = default;
  TableBuilder(const TableBuilder&) = delete;
  TableBuilder& operator=(const TableBuilder&) = delete;
  ~TableBuilder() = default;

  Script::Builder tables;

  DistinctLists<std::int64_t> ints{tables.ints};
  DistinctLists<double> reals{tables.reals};
  DistinctLists<mapping::AxisRule> rules{tables.rules};
  DistinctLists<Slice> slices{tables.slices};
  DistinctLists<std::uint32_t> part_ids{tables.part_ids};
  DistinctLists<char> chars{tables.chars};
  DistinctRows<ViewSpec> view{tables.views};
  DistinctRows<TargetSpec> target{tables.targets};
  DistinctRows<PlacementSpec> placement{tables.placements};
  DistinctRows<ShadowPart> shadow{tables.shadow_parts};
  DistinctRows<CopyPart> copy{tables.copy_parts};
  DistinctRows<RemotePart> remote{tables.remote_parts};
  DistinctRows<CommunicationSpec> communication{tables.communications};
  DistinctRows<PipelineSpec> pipeline{tables.pipelines};
  DistinctRows<PortionSpec> portion{tables.portions};
  DistinctRows<ShapeSpec> shape{tables.shapes};
  DistinctRows<HoldingSpec> holding{tables.holdings};
  DistinctRows<PlaceSpec> place{tables.places};
  DistinctLists<trace::FormulaStep> formulas{tables.formulas};
  DistinctRows<DomainSpec> domain{tables.domains};
  DistinctRows<StatementSpec> statement{tables.statements};
  DistinctRows<MessageSpec> message{tables.messages};
};

/// Objects of the run so far.
struct TargetState {
  TargetSpec made;                     ///< as it is, or will be distributed next
  std::vector<std::int64_t> periodic;  ///< per dimension, 1: its ends are neighbours; empty: none
  TargetId spec;                       ///< none: not distributed yet
};

/// How an array or a loop lies over a template.
struct Alignment {
  std::uint32_t target = none;  ///< number of the template; none: not aligned
  std::vector<mapping::AxisRule> rules;
};

struct ArrayState {
  std::vector<std::int64_t> extents;
  std::vector<std::int64_t> low, high;
  std::int64_t element_size = 0;
  Alignment over;
  bool exists = false;
  bool stays_local = false;  ///< never aligned: every processor has its own
  HoldingId holding;         ///< where it lies now; none: not asked for yet
};

struct LoopState {
  PlacementId placement;  ///< none: not mapped yet
  std::vector<std::int64_t> first, step, extents;
  PipelineId pipeline;         ///< of a loop with across_
  CommunicationId old_values;  ///< none: nothing to exchange any more
  /// Exchanges that start or end at the return of a later dopl_ (counted from 1; 0: at endpl_).
  std::vector<std::pair<std::size_t, trace::Slot>> starts_at, waits_at;
  std::size_t portions_run = 0;
};

/// How many of first, first + step, ... do not go beyond `last`.
[[nodiscard]] inline std::int64_t steps_between(std::int64_t first, std::int64_t last,
                                                std::int64_t step) noexcept {
  const std::int64_t span = step > 0 ? last - first : first - last;
  return span < 0 ? 0 : span / std::abs(step) + 1;
}

/// One array of a shadow group.
struct ShadowEdges {
  trace::Slot array = trace::no_object;
  ShadowPart part;  ///< but for where the array lies
};

struct BufferState {
  RemotePart part;                       ///< with the array where it was when the buffer was made
  trace::Slot array = trace::no_object;  ///< moves of it before a load count
  std::vector<std::int64_t> extents;     ///< of the array: another one may have taken its slot
  HoldingId holding;                     ///< none: deleted
};

/// Kinds of asynchronous operations, each with its own objects.
enum class Pending : std::uint8_t { reduction, shadow, copy, buffer, buffer_group, messages };

class Compiler {
public:
  Compiler(const trace::Program& program, Detail detail, const LoopShapes* shapes = nullptr);
  Compiled run();

private:
  // Calls whose time is ordinary (rule 1): what has happened when they are over.
  void after(const trace::Ordinary&) {}
  void after(const trace::BeginInterval& call);
  void after(const trace::EndInterval&);
  void after(const trace::CreateSystem& call);
  void after(const trace::ReshapeSystem& call);
  void after(const trace::GetSystem& call) {
    systems_[call.result] = view_of_machine(call.machine);
  }
  void after(const trace::DeleteSystem& call) { systems_[call.system] = none; }
  void after(const trace::GetMachine& call) { machines_[call.result] = view_stack_.back().machine; }
  void after(const trace::GetMachineElement& call);
  void after(const trace::MapMachine& call);
  void after(const trace::RunTask& call);
  void after(const trace::StopTask&);
  void after(const trace::CreateTemplate& call);
  void after(const trace::DeleteTemplate& call) { target_slots_[call.target] = none; }
  void after(const trace::DivideBlocks& call);
  void after(const trace::SetWeights& call);
  void after(const trace::SetBlockLengths& call);
  void after(const trace::Distribute& call);
  void after(const trace::GetTemplate& call);
  void after(const trace::CreateArray& call);
  void after(const trace::DeleteArray& call) { arrays_[call.array].exists = false; }
  void after(const trace::Align& call);
  void after(const trace::CreateLoop& call);
  void after(const trace::MapLoop& call);
  void after(const trace::CreateReductionGroup& call) { reduction_groups_[call.result].clear(); }
  void after(const trace::CreateReduction& call);
  void after(const trace::InsertReduction& call) {
    reduction_groups_[call.group].push_back(call.reduction);
  }
  void after(const trace::DeleteReduction&) {}
  void after(const trace::DeleteReductionGroup&) {}
  void after(const trace::CreateShadowGroup& call) { shadow_groups_[call.result].clear(); }
  void after(const trace::InsertShadow& call);
  void after(const trace::DeleteShadowGroup&) {}
  void after(const trace::ExportFirst& call);
  void after(const trace::ImportLast& call);
  void after(const trace::CreateRemoteBuffer& call);
  void after(const trace::CreatePointBuffer& call);
  void after(const trace::DeleteBuffer& call) { buffers_[call.buffer].holding = none; }
  void after(const trace::CreateBufferGroup& call) { buffer_groups_[call.result].clear(); }
  void after(const trace::InsertBuffer& call) { buffer_groups_[call.group].push_back(call.buffer); }
  void after(const trace::DeleteBufferGroup& call) { buffer_groups_[call.group].clear(); }

  // Calls in whose time something else happens.
  void on(const trace::InputOutput& call);
  void on(const trace::BeginIoStatement&);
  void on(const trace::EndIoStatement&);
  void on(const trace::Redistribute& call);
  void on(const trace::Realign& call);
  void on(const trace::CopyArrays& call);
  void on(const trace::WaitCopy& call) { wait_call(Pending::copy, call.flag); }
  void on(const trace::ElementAccess& call);
  void on(const trace::RunLoop& call);
  void on(const trace::EndLoop& call);
  void on(const trace::Across& call);
  void on(const trace::StartReduction& call);
  void on(const trace::WaitReduction& call) { wait_call(Pending::reduction, call.group); }
  void on(const trace::StartShadow& call) {
    start_call(Pending::shadow, call.group, shadow_communication(call.group));
  }
  void on(const trace::WaitShadow& call) { wait_call(Pending::shadow, call.group); }
  void on(const trace::SendShadow& call);
  void on(const trace::ReceiveShadow& call);
  void on(const trace::LoadBuffer& call);
  void on(const trace::WaitBuffer& call) { wait_call(Pending::buffer, call.buffer); }
  void on(const trace::LoadBufferGroup& call);
  void on(const trace::WaitBufferGroup& call) { wait_call(Pending::buffer_group, call.group); }

  void on(const trace::RunStatement& call);

  template <class Call>
  void take(const Call& call) {
    if constexpr (requires { after(call); }) {
      ordinary();
      after(call);
    } else {
      on(call);
    }
  }

  // --- operations ------------------------------------------------------------------------------
  void push(Op op);
  void work(double call, double ret);
  void io_work(double time) { push({.kind = Op::Kind::io_work, .call = time}); }
  void count(Operation operation);
  /// The whole call by rule 1.
  void ordinary() { work(record().call_time, record().ret_time); }
  /// The same with something that happens between its start and its return.
  template <class F>
  void around(F happens) {
    work(record().call_time, 0.0);
    happens();
    work(0.0, record().ret_time);
  }
  void start(Pending kind, trace::Slot slot, CommunicationId communication,
             Op::Kind op = Op::Kind::start);
  void wait(Pending kind, trace::Slot slot);
  /// Calls that do nothing else.
  void start_call(Pending kind, trace::Slot slot, CommunicationId communication);
  void wait_call(Pending kind, trace::Slot slot) {
    around([&] { wait(kind, slot); });
  }
  void blocking(Operation operation, CommunicationId communication);
  void exchange(Operation operation, CommunicationId communication) {
    push({.kind = Op::Kind::exchange, .operation = operation, .a = communication});
  }
  void copied_ret(CommunicationId communication);

  // --- errors ----------------------------------------------------------------------------------
  [[nodiscard]] const trace::Record& record() const { return *record_; }
  [[nodiscard]] InputError error(const std::string& problem, const std::string& remedy) const;
  /// Of what the trace gives and what is made of it: numbers of the trace itself are smaller.
  void check_index(std::int64_t value, const char* what) const;
  void check_coefficient(std::int64_t value, const char* what) const;
  void check_rank(std::size_t rank, const char* what, std::size_t most = mapping::max_rank) const;
  void warn_once(const std::string& text);

  // --- placements ------------------------------------------------------------------------------
  [[nodiscard]] ViewId current_view() const { return view_stack_.back().view; }
  [[nodiscard]] ViewId view_of(trace::Slot system, ViewId otherwise) const {
    return system == trace::no_object || systems_[system] == none ? otherwise : systems_[system];
  }
  ViewId view_of_machine(trace::Slot slot) const;
  void add_system(trace::Slot slot, const ViewSpec& spec, std::vector<std::int64_t> shape);
  /// Rules per dimension of a pattern of something of rank `rank` over it; `what` it is, for
  /// errors.
  std::vector<mapping::AxisRule> axis_rules(const trace::AlignmentRule& rule, std::size_t rank,
                                            std::size_t pattern_rank, const char* what) const;
  /// From indices of a loop to iterations, counted from 0 in the order in which they run.
  void count_iterations(std::span<mapping::AxisRule> rules, const LoopState& loop) const;
  /// What a rule over a pattern means for the template.
  [[nodiscard]] Alignment alignment(const trace::AlignmentRule& rule, std::size_t rank) const;
  PlacementId placement_of(const ArrayState& array) {
    return placement_over(array.over, array.extents);
  }
  PlacementId placement_over(const Alignment& over, std::span<const std::int64_t> extents);
  void distribute(std::uint32_t number, ViewId view, std::span<const std::int64_t> axes);
  void set_weights(std::uint32_t number, TargetSpec::Weights weights,
                   const std::vector<std::vector<double>>& lists, const char* what);
  std::uint32_t target_number(trace::Slot slot, const char* what) const;
  void align(ArrayState& array, const trace::AlignmentRule& rule);
  /// Arrays that `change` lays out anew go from where they were to where they are then.
  template <class F>
  void move(const std::vector<ArrayState*>& arrays, F change);

  // --- communications --------------------------------------------------------------------------
  /// On the current processor system; nothing without parts.
  CommunicationId communication(CommunicationSpec::Kind kind, std::span<const std::uint32_t> parts,
                                PlacementId loop = none);
  CommunicationId shadow_communication(trace::Slot group);
  [[nodiscard]] std::uint32_t rings_of(const ArrayState& array) const;
  /// `wraps`: along periodic dimensions the first and the last exchange edges, too.
  std::vector<std::uint32_t> shadow_parts(trace::Slot group, bool wraps);
  /// The part of a buffer as its array lies now.
  std::uint32_t loaded_part(const BufferState& buffer);
  void create_buffer(trace::Slot result, trace::Slot array, PlacementId reader, ViewId view,
                     std::span<const mapping::AxisRule> needs);
  CommunicationId copy_communication(const trace::Section& from, const trace::Section& to);
  std::vector<std::int64_t> section_of(const trace::Section& section, const ArrayState& array);
  Slice widths(const trace::Extents& given, std::span<const std::int64_t> own);

  // --- loops -----------------------------------------------------------------------------------
  /// How the time of the loop at this call depends on the shape of blocks; none: not known.
  ShapeId shape_of_place();
  /// What a call of dopl_ executes; none: all of the loop, whatever the shape of blocks.
  PortionId portion_of(const std::optional<trace::SubBlock>& part, const LoopState& loop);
  void attach_across(LoopState& loop);
  void run_scheduled(const LoopState& loop, std::size_t at);
  [[nodiscard]] std::size_t portions_ahead(trace::Slot loop) const;

  // --- statements over blocks ------------------------------------------------------------------
  void make_domains();
  [[nodiscard]] StatementId statement_of(const trace::BlockStatement& statement);
  void run_messages(const trace::BlockStatement& statement, StatementId id);

  // --- memory ----------------------------------------------------------------------------------
  void find_local_arrays();
  HoldingId holding_of(ArrayState& array);
  HoldingId holding_of(const RemotePart& part, std::span<const std::int64_t> extents);
  /// Notes what there is now, `leaving` besides (arrays where they were before they moved).
  void note_memory(std::vector<std::uint32_t> leaving = {});

  void end_innermost();
  void finish_intervals();
  void collect_reference();

  const trace::Program& program_;
  Detail detail_;
  const LoopShapes* loop_shapes_;
  std::map<std::uint32_t, ShapeId> shapes_of_places_;  // by place of the program
  const trace::Record* record_ = nullptr;
  TableBuilder build_;
  ScriptHeader header_;
  std::vector<std::string> warnings_;

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
  std::vector<LoopState> loops_;
  PlacementId last_mapped_;  ///< placement of the loop mapped last
  std::vector<std::vector<trace::Slot>> reduction_groups_;
  std::vector<double> reduction_bytes_;
  std::vector<std::vector<ShadowEdges>> shadow_groups_;
  std::vector<BufferState> buffers_;
  std::vector<std::vector<trace::Slot>> buffer_groups_;
  std::optional<trace::Across> pending_across_;
  struct Token {
    std::uint32_t number = 0;
    bool started = false;
  };
  std::map<std::pair<Pending, trace::Slot>, Token> pending_;

  std::vector<DomainId> domains_;
  std::vector<std::uint32_t> domain_holdings_;
  std::vector<std::string> tags_;
  std::set<std::size_t> local_arrays_;  ///< records that create arrays that are never aligned
  std::set<std::vector<std::uint32_t>> moments_;  ///< holdings that there are at the same time
};

}  // namespace gridcast::model
