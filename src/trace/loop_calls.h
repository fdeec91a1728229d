#pragma once
/// Calls about parallel loops and the communication that belongs to them: reductions, shadow edges,
/// remote access (parameters: docs/functions.md).

#include <cstdint>
#include <optional>
#include <vector>

#include "gridcast/trace/data_calls.h"
#include "gridcast/trace/slots.h"

namespace gridcast::trace {

// --- parallel loops

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
  std::int64_t portions = 0;  ///< the number of portions, if the program says it; 0: it does not
  bool operator==(const Across&) const = default;
};

// --- reductions

/// crtrg_: an empty group of reductions.
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
/// insred_: puts a reduction into a group.
struct InsertReduction {
  Slot group = no_object;
  Slot reduction = no_object;
  bool operator==(const InsertReduction&) const = default;
};
/// delred_: the reduction is no longer used.
struct DeleteReduction {
  Slot reduction = no_object;
  bool operator==(const DeleteReduction&) const = default;
};
/// delrg_: the group is no longer used.
struct DeleteReductionGroup {
  Slot group = no_object;
  bool operator==(const DeleteReductionGroup&) const = default;
};
/// strtrd_: starts the reductions of a group.
struct StartReduction {
  Slot group = no_object;
  bool operator==(const StartReduction&) const = default;
};
/// waitrd_: waits for the reductions of a group.
struct WaitReduction {
  Slot group = no_object;
  bool operator==(const WaitReduction&) const = default;
};

// --- shadow edges

/// crtshg_: an empty group of exchanges of shadow edges.
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
  std::int64_t edge_bytes = 0;   ///< of an element, as far as it travels; 0: all of the element
  bool operator==(const InsertShadow&) const = default;
};
/// delshg_: the group is no longer used.
struct DeleteShadowGroup {
  Slot group = no_object;
  bool operator==(const DeleteShadowGroup&) const = default;
};
/// strtsh_: starts the exchanges of a group.
struct StartShadow {
  Slot group = no_object;
  bool operator==(const StartShadow&) const = default;
};
/// waitsh_: waits for the exchanges of a group.
struct WaitShadow {
  Slot group = no_object;
  bool operator==(const WaitShadow&) const = default;
};
/// sendsh_: starts to send the edges of a group.
struct SendShadow {
  Slot group = no_object;
  bool operator==(const SendShadow&) const = default;
};
/// recvsh_: starts to receive the edges of a group.
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
/// delobj_ of a buffer.
struct DeleteBuffer {
  Slot buffer = no_object;
  bool operator==(const DeleteBuffer&) const = default;
};
/// loadrb_: starts to load a remote-access buffer.
struct LoadBuffer {
  Slot buffer = no_object;
  bool operator==(const LoadBuffer&) const = default;
};
/// waitrb_: waits until a buffer is loaded.
struct WaitBuffer {
  Slot buffer = no_object;
  bool operator==(const WaitBuffer&) const = default;
};
/// crtbg_: an empty group of remote-access buffers.
struct CreateBufferGroup {
  Slot result = no_object;
  bool operator==(const CreateBufferGroup&) const = default;
};
/// insrb_: puts a buffer into a group.
struct InsertBuffer {
  Slot group = no_object;
  Slot buffer = no_object;
  bool operator==(const InsertBuffer&) const = default;
};
/// delobj_ of a group of buffers.
struct DeleteBufferGroup {
  Slot group = no_object;
  bool operator==(const DeleteBufferGroup&) const = default;
};
/// loadbg_: starts to load the buffers of a group.
struct LoadBufferGroup {
  Slot group = no_object;
  bool operator==(const LoadBufferGroup&) const = default;
};
/// waitbg_: waits until the buffers of a group are loaded.
struct WaitBufferGroup {
  Slot group = no_object;
  bool operator==(const WaitBufferGroup&) const = default;
};

}  // namespace gridcast::trace
