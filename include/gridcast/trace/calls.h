#pragma once
/// The calls of the run-time library that a trace records, one struct per kind with the fields that
/// the model needs (parameters: docs/functions.md, "Parameters"; [Predictor2010 app. 5]).
///
/// Objects are named by slots: small numbers, per kind of object, that the reader assigns when an
/// object is created. A slot is used again after its object was deleted (or when a new object of
/// the kind appears under the same reference), so the calls of two equal iterations are equal
/// values and are stored once. `no_object` stands for a reference that is 0, NULL or unknown where
/// the trace may leave it out.

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

namespace gridcast::trace {

using Slot = std::uint32_t;
inline constexpr Slot no_object = 0xffffffffU;

using Extents = std::vector<std::int64_t>;

/// A call without an effect of its own: rule 1 of docs/model.md §2. `known` is false for names that
/// no version of the library has: they are reported once each.
struct Ordinary {
  bool known = true;
  bool operator==(const Ordinary&) const = default;
};

// --- intervals
// -------------------------------------------------------------------------------------
enum class IntervalType : std::uint8_t { main, user, sequential, parallel };

/// binter_, bsloop_, bploop_.
struct BeginInterval {
  IntervalType type = IntervalType::user;
  std::optional<std::int64_t> expression;  ///< `index`; empty if absent or 2000000000
  bool operator==(const BeginInterval&) const = default;
};

/// einter_, enloop_.
struct EndInterval {
  bool operator==(const EndInterval&) const = default;
};

// --- input and output
// ------------------------------------------------------------------------------
/// dvm_* of docs/functions.md and srmem_.
struct InputOutput {
  bool broadcasts = false;  ///< hands its result to all processors
  std::int64_t bytes =
      0;  ///< what is broadcast: 4 for a status plus the bytes read; srmem_: ΣLengthArray
  bool operator==(const InputOutput&) const = default;
};

/// biof_.
struct BeginIoStatement {
  bool operator==(const BeginIoStatement&) const = default;
};

/// eiof_.
struct EndIoStatement {
  bool operator==(const EndIoStatement&) const = default;
};

// --- processor systems and abstract machines
// ---------------------------------------------------------
/// crtps_: a rectangular part of a processor system.
struct CreateSystem {
  Slot result = no_object;
  Slot parent = no_object;  ///< no_object: the current processor system
  Extents first, last;  ///< bounds per dimension, inclusive, in the traced system; may be shorter
                        ///< than its rank
  bool operator==(const CreateSystem&) const = default;
};

/// psview_: a new shape of a processor system.
struct ReshapeSystem {
  Slot result = no_object;
  Slot parent = no_object;
  Extents extents;  ///< in the traced run
  bool operator==(const ReshapeSystem&) const = default;
};

/// getps_: names the processor system of an abstract machine (or the current one).
struct GetSystem {
  Slot result = no_object;
  Slot machine = no_object;  ///< no_object: the current abstract machine
  bool operator==(const GetSystem&) const = default;
};

/// delps_ (or delobj_ of a processor system).
struct DeleteSystem {
  Slot system = no_object;
  bool operator==(const DeleteSystem&) const = default;
};

/// getam_: the current abstract machine.
struct GetMachine {
  Slot result = no_object;
  bool operator==(const GetMachine&) const = default;
};

/// getamr_: an element of a template as an abstract machine (a task).
struct GetMachineElement {
  Slot result = no_object;
  Slot parent = no_object;  ///< template
  Extents index;
  bool operator==(const GetMachineElement&) const = default;
};

/// mapam_: the processor system on which a task runs.
struct MapMachine {
  Slot machine = no_object;
  Slot system = no_object;
  bool operator==(const MapMachine&) const = default;
};

/// runam_. With `runs` false (Run = 0) nothing is entered and no stopam_ follows.
struct RunTask {
  Slot machine = no_object;
  bool runs = true;
  bool operator==(const RunTask&) const = default;
};

/// stopam_.
struct StopTask {
  bool operator==(const StopTask&) const = default;
};

// --- templates and arrays
// ----------------------------------------------------------------------------
/// crtamv_.
struct CreateTemplate {
  Slot result = no_object;
  Extents extents;
  bool operator==(const CreateTemplate&) const = default;
};

/// delamv_ (or delobj_).
struct DeleteTemplate {
  Slot target = no_object;
  bool operator==(const DeleteTemplate&) const = default;
};

/// blkdiv_: block sizes are multiples of the divisors, per dimension of the template.
struct DivideBlocks {
  Slot target = no_object;
  Extents divisors;
  bool operator==(const DivideBlocks&) const = default;
};

/// setelw_: weights of coordinates, per dimension of the processor system (empty: none given).
struct SetWeights {
  Slot target = no_object;  ///< template
  Slot system = no_object;
  std::vector<std::vector<double>> weights;
  bool missing =
      false;  ///< the trace was recorded without LoadWeight: equal weights, with a warning
  bool operator==(const SetWeights&) const = default;
};

/// genblk_: block lengths per dimension of the processor system (empty: none given).
struct SetBlockLengths {
  Slot target = no_object;  ///< template
  Slot system = no_object;
  std::vector<std::vector<double>> lengths;
  bool missing = false;
  bool operator==(const SetBlockLengths&) const = default;
};

/// distr_.
struct Distribute {
  Slot target = no_object;  ///< template
  Slot system = no_object;  ///< no_object: the current processor system
  std::vector<std::int64_t>
      axes;  ///< per PS dimension: template dimension (1-based), 0 = replicated
  bool operator==(const Distribute&) const = default;
};

/// redis_. Exactly one of `target` (template) and `array` is an object.
struct Redistribute {
  Slot target = no_object;
  Slot array = no_object;   ///< the template this array is aligned on is meant
  Slot system = no_object;  ///< no_object: the template's
  std::vector<std::int64_t> axes;
  bool new_values = false;  ///< NewSign: nothing moves
  bool operator==(const Redistribute&) const = default;
};

/// getamv_: names the template of an array.
struct GetTemplate {
  Slot result = no_object;
  Slot array = no_object;
  bool operator==(const GetTemplate&) const = default;
};

/// crtda_.
struct CreateArray {
  Slot result = no_object;
  Extents extents;
  std::int64_t element_size = 0;  ///< bytes
  Extents low_shadow, high_shadow;
  bool operator==(const CreateArray&) const = default;
};

/// delda_ (or delobj_).
struct DeleteArray {
  Slot array = no_object;
  bool operator==(const DeleteArray&) const = default;
};

enum class PatternKind : std::uint8_t { target, array };  ///< `target`: a template (AMView)

/// How something is laid over a pattern: one entry per dimension of the pattern.
/// axis > 0 and coefficient != 0: pattern index = coefficient * i_axis + constant;
/// axis = 0 or coefficient = 0: the constant; axis < 0: replicated along the dimension.
struct AlignmentRule {
  PatternKind kind = PatternKind::target;
  Slot pattern = no_object;
  std::vector<std::int64_t> axes, coefficients, constants;
  bool operator==(const AlignmentRule&) const = default;
};

/// align_.
struct Align {
  Slot array = no_object;
  AlignmentRule rule;
  bool operator==(const Align&) const = default;
};

/// realn_.
struct Realign {
  Slot array = no_object;
  AlignmentRule rule;
  bool new_values = false;
  bool operator==(const Realign&) const = default;
};

/// One side of a copy: a section of an array, or a buffer in every processor's memory (no array).
struct Section {
  Slot array = no_object;
  Extents first, last, step;  ///< -1 in `first`: the whole dimension; step 0 means 1
  bool operator==(const Section&) const = default;
};

/// arrcpy_ and, with a flag, aarrcp_.
struct CopyArrays {
  Section from, to;
  Slot flag = no_object;  ///< aarrcp_: waitcp_ waits for it
  bool operator==(const CopyArrays&) const = default;
};

/// waitcp_.
struct WaitCopy {
  Slot flag = no_object;
  bool operator==(const WaitCopy&) const = default;
};

/// Reading of one element by all processors or into an element (rwelm_, copelm_, elmcpy_). The
/// calls for local elements (rlocel_, wlocel_, clocel_) are Ordinary.
struct ElementAccess {
  Section from;  ///< a single element, or a buffer (no array)
  Section to;    ///< a single element, or a buffer (no array)
  bool operator==(const ElementAccess&) const = default;
};

// --- parallel loops
// --------------------------------------------------------------------------------
/// crtpl_.
struct CreateLoop {
  Slot result = no_object;
  std::int64_t rank = 0;
  bool operator==(const CreateLoop&) const = default;
};

/// mappl_.
struct MapLoop {
  Slot loop = no_object;
  AlignmentRule rule;
  Extents first, last, step;
  bool operator==(const MapLoop&) const = default;
};

/// A part of the iterations of a loop.
struct SubBlock {
  Extents first, last, step;
  bool operator==(const SubBlock&) const = default;
};

/// dopl_.
struct RunLoop {
  Slot loop = no_object;
  bool continues = false;  ///< DoPL = 1 on return: more portions follow
  std::optional<SubBlock> portion;
  bool operator==(const RunLoop&) const = default;
};

/// endpl_.
struct EndLoop {
  Slot loop = no_object;
  bool operator==(const EndLoop&) const = default;
};

/// across_: the next loop is pipelined.
struct Across {
  Slot old_values = no_object;  ///< shadow group
  Slot new_values = no_object;  ///< shadow group
  std::int64_t type = 0;
  bool operator==(const Across&) const = default;
};

// --- reductions
// ------------------------------------------------------------------------------------
struct CreateReductionGroup {
  Slot result = no_object;
  bool operator==(const CreateReductionGroup&) const = default;
};
/// crtred_.
struct CreateReduction {
  Slot result = no_object;
  std::int64_t element_size = 0;  ///< bytes, from RedArrayType
  std::int64_t length = 0;
  std::int64_t extra = 0;  ///< LocElmLength: bytes of additional information per element
  bool operator==(const CreateReduction&) const = default;
};
struct InsertReduction {
  Slot group = no_object;
  Slot reduction = no_object;
  bool operator==(const InsertReduction&) const = default;
};
struct DeleteReduction {
  Slot reduction = no_object;
  bool operator==(const DeleteReduction&) const = default;
};
struct DeleteReductionGroup {
  Slot group = no_object;
  bool operator==(const DeleteReductionGroup&) const = default;
};
struct StartReduction {
  Slot group = no_object;
  bool operator==(const StartReduction&) const = default;
};
struct WaitReduction {
  Slot group = no_object;
  bool operator==(const WaitReduction&) const = default;
};

// --- shadow edges
// ------------------------------------------------------------------------------------
struct CreateShadowGroup {
  Slot result = no_object;
  bool operator==(const CreateShadowGroup&) const = default;
};
/// inssh_, insshd_, incsh_, incshd_. A width of -1 means the array's own.
struct InsertShadow {
  Slot group = no_object;
  Slot array = no_object;
  Extents low, high;             ///< widths per dimension of the array
  std::int64_t tuple_limit = 1;  ///< 1: faces only; k: up to k-tuples of dimensions (corners)
  bool operator==(const InsertShadow&) const = default;
};
struct DeleteShadowGroup {
  Slot group = no_object;
  bool operator==(const DeleteShadowGroup&) const = default;
};
struct StartShadow {
  Slot group = no_object;
  bool operator==(const StartShadow&) const = default;
};
struct WaitShadow {
  Slot group = no_object;
  bool operator==(const WaitShadow&) const = default;
};
/// sendsh_ / recvsh_.
struct SendShadow {
  Slot group = no_object;
  bool operator==(const SendShadow&) const = default;
};
struct ReceiveShadow {
  Slot group = no_object;
  bool operator==(const ReceiveShadow&) const = default;
};
/// exfrst_: the loop runs its edge portions first, then the group's exchange starts.
struct ExportFirst {
  Slot loop = no_object;
  Slot group = no_object;
  bool operator==(const ExportFirst&) const = default;
};
/// imlast_: the loop waits for the group's exchange before its edge portions.
struct ImportLast {
  Slot loop = no_object;
  Slot group = no_object;
  bool operator==(const ImportLast&) const = default;
};

// --- remote access
// -----------------------------------------------------------------------------------
/// crtrbl_: a buffer for the elements of an array that the iterations of a loop read.
struct CreateRemoteBuffer {
  Slot result = no_object;
  Slot array = no_object;
  Slot loop = no_object;
  std::vector<std::int64_t> axes, coefficients, constants;  ///< per dimension of the array
  bool operator==(const CreateRemoteBuffer&) const = default;
};
/// crtrbp_: the same for the point or line with given coordinates.
struct CreatePointBuffer {
  Slot result = no_object;
  Slot array = no_object;
  Slot system = no_object;
  Extents coordinates;  ///< -1: the whole dimension
  bool operator==(const CreatePointBuffer&) const = default;
};
struct DeleteBuffer {
  Slot buffer = no_object;
  bool operator==(const DeleteBuffer&) const = default;
};
struct LoadBuffer {
  Slot buffer = no_object;
  bool operator==(const LoadBuffer&) const = default;
};
struct WaitBuffer {
  Slot buffer = no_object;
  bool operator==(const WaitBuffer&) const = default;
};
struct CreateBufferGroup {
  Slot result = no_object;
  bool operator==(const CreateBufferGroup&) const = default;
};
struct InsertBuffer {
  Slot group = no_object;
  Slot buffer = no_object;
  bool operator==(const InsertBuffer&) const = default;
};
struct DeleteBufferGroup {
  Slot group = no_object;
  bool operator==(const DeleteBufferGroup&) const = default;
};
struct LoadBufferGroup {
  Slot group = no_object;
  bool operator==(const LoadBufferGroup&) const = default;
};
struct WaitBufferGroup {
  Slot group = no_object;
  bool operator==(const WaitBufferGroup&) const = default;
};

/// Every kind of call.
using Call = std::variant<
    Ordinary, BeginInterval, EndInterval, InputOutput, BeginIoStatement, EndIoStatement,
    CreateSystem, ReshapeSystem, GetSystem, DeleteSystem, GetMachine, GetMachineElement, MapMachine,
    RunTask, StopTask, CreateTemplate, DeleteTemplate, DivideBlocks, SetWeights, SetBlockLengths,
    Distribute, Redistribute, GetTemplate, CreateArray, DeleteArray, Align, Realign, CopyArrays,
    WaitCopy, ElementAccess, CreateLoop, MapLoop, RunLoop, EndLoop, Across, CreateReductionGroup,
    CreateReduction, InsertReduction, DeleteReduction, DeleteReductionGroup, StartReduction,
    WaitReduction, CreateShadowGroup, InsertShadow, DeleteShadowGroup, StartShadow, WaitShadow,
    SendShadow, ReceiveShadow, ExportFirst, ImportLast, CreateRemoteBuffer, CreatePointBuffer,
    DeleteBuffer, LoadBuffer, WaitBuffer, CreateBufferGroup, InsertBuffer, DeleteBufferGroup,
    LoadBufferGroup, WaitBufferGroup>;

}  // namespace gridcast::trace
