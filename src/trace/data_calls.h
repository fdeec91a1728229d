#pragma once
/// Calls about processor systems, tasks and distributed data (parameters: docs/functions.md).

#include <cstdint>
#include <vector>

#include "gridcast/trace/slots.h"

namespace gridcast::trace {

// --- processor systems and abstract machines

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

/// crtamv_.
struct CreateTemplate {
  Slot result = no_object;
  Extents extents;
  Extents periodic = {};  ///< per dimension 1: its ends are neighbours; empty: none is
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

/// What an array or loop is laid over.
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

}  // namespace gridcast::trace
