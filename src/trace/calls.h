#pragma once
/// The calls of the run-time library that a trace records, one struct per kind with the fields that
/// the model needs (parameters: docs/functions.md, "Parameters"; [Predictor2010 app. 5]).

#include <cstdint>
#include <optional>
#include <variant>

#include "gridcast/trace/data_calls.h"
#include "gridcast/trace/loop_calls.h"

namespace gridcast::trace {

/// A call without an effect of its own: rule 1 of docs/model.md §2. `known` is false for names that
/// no version of the library has: they are reported once each.
struct Ordinary {
  bool known = true;
  bool operator==(const Ordinary&) const = default;
};

// --- intervals

/// Kinds of intervals: the program, the user's own, sequential and parallel loops.
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

// --- statements over blocks

/// A statement of BlockProgram, of descriptions only.
struct RunStatement {
  std::uint32_t number = 0;
  bool operator==(const RunStatement&) const = default;
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
    LoadBufferGroup, WaitBufferGroup, RunStatement>;

}  // namespace gridcast::trace
