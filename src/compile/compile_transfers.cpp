/// Shadow edges, copies and remote access.

#include <algorithm>

#include "compiler.h"

namespace gridcast::model {

using mapping::AxisRule;

// --- shadow edges
// --------------------------------------------------------------------------------------

void Compiler::on(const trace::CreateShadowGroup& call) {
  ordinary();
  object(shadow_groups_, call.result, "a shadow group").entries.clear();
}

std::vector<std::int64_t> Compiler::widths(const trace::Extents& given,
                                           std::span<const std::int64_t> own) {
  std::vector<std::int64_t> result(own.begin(), own.end());
  for (std::size_t dim = 0; dim < result.size(); ++dim) {
    if (dim < given.size() && given[dim] != -1) {
      result[dim] = given[dim];
    }
    check_index(result[dim], "width of a shadow edge");
    if (result[dim] < 0) {
      throw error("a negative width of a shadow edge",
                  "expected 0 or more, or -1 for the array's own");
    }
  }
  return result;
}

void Compiler::on(const trace::InsertShadow& call) {
  ordinary();
  const ArrayState& array = object(arrays_, call.array, "a shadow edge of an array");
  ShadowGroupState::Entry entry;
  entry.array = call.array;
  entry.low = widths(call.low, array.low);
  entry.high = widths(call.high, array.high);
  entry.tuple_limit = std::max<std::int64_t>(call.tuple_limit, 1);
  object(shadow_groups_, call.group, "a shadow group").entries.push_back(std::move(entry));
}

void Compiler::on(const trace::DeleteShadowGroup&) { ordinary(); }

/// The dimensions of an array, one bit each, that lie along periodic ones of its template.
std::uint32_t Compiler::rings_of(const ArrayState& array) const {
  std::uint32_t rings = 0;
  if (array.aligned) {
    const std::vector<std::int64_t>& periodic = targets_[array.target].periodic;
    for (std::size_t axis = 0; axis < periodic.size() && axis < array.rules.size(); ++axis) {
      const AxisRule& rule = array.rules[axis];
      if (periodic[axis] != 0 && rule.kind == AxisRule::Kind::linear) {
        rings |= 1U << static_cast<unsigned>(rule.dim);
      }
    }
  }
  return rings;
}

std::vector<std::uint32_t> Compiler::shadow_parts(trace::Slot group, bool wraps) {
  std::vector<std::uint32_t> parts;
  for (const auto& entry : object(shadow_groups_, group, "a shadow group").entries) {
    const ArrayState& array = arrays_[entry.array];
    ShadowPart part;
    part.placement = placement_of(array);
    part.element_size = array.element_size;
    part.low = build_.ints(entry.low);
    part.high = build_.ints(entry.high);
    part.tuple_limit = entry.tuple_limit;
    part.rings = wraps ? rings_of(array) : 0;
    parts.push_back(build_.shadow(part));
  }
  return parts;
}

CommunicationId Compiler::shadow_communication(trace::Slot group) {
  CommunicationSpec spec;
  spec.kind = CommunicationSpec::Kind::shadow;
  spec.view = current_view();
  spec.parts = build_.part_ids(shadow_parts(group, true));
  return build_.communication(spec);
}

void Compiler::on(const trace::StartShadow& call) {
  count(Operation::shadow);
  work(record().call_time, 0.0);
  start(Pending::shadow, call.group, Operation::shadow, shadow_communication(call.group));
  work(0.0, record().ret_time);
}

void Compiler::on(const trace::WaitShadow& call) {
  work(record().call_time, 0.0);
  wait(Pending::shadow, call.group, Operation::shadow);
  work(0.0, record().ret_time);
}

void Compiler::on(const trace::SendShadow& call) {
  work(record().call_time, 0.0);
  start(Pending::shadow, call.group, Operation::shadow, shadow_communication(call.group),
        Op::Kind::send);
  work(0.0, record().ret_time);
}

void Compiler::on(const trace::ReceiveShadow& call) {
  work(record().call_time, 0.0);
  // Getting ready to receive moves nothing: the edges travel when they are sent.
  start(Pending::shadow, call.group, Operation::shadow, nothing(), Op::Kind::send);
  work(0.0, record().ret_time);
}

// --- redistribution
// ------------------------------------------------------------------------------------

CommunicationId Compiler::move_communication(std::span<const std::uint32_t> parts) {
  if (parts.empty()) {
    return nothing();
  }
  CommunicationSpec spec;
  spec.kind = CommunicationSpec::Kind::move;
  spec.view = current_view();
  spec.parts = build_.part_ids(parts);
  return build_.communication(spec);
}

// --- copies
// --------------------------------------------------------------------------------------------

std::vector<std::int64_t> Compiler::section_of(const trace::Section& section,
                                               const ArrayState& array) {
  std::vector<std::int64_t> result;
  for (std::size_t dim = 0; dim < array.extents.size(); ++dim) {
    const std::int64_t extent = array.extents[dim];
    std::int64_t first = dim < section.first.size() ? section.first[dim] : -1;
    std::int64_t last = dim < section.last.size() ? section.last[dim] : first;
    std::int64_t step = dim < section.step.size() && section.step[dim] != 0 ? section.step[dim] : 1;
    if (first == -1) {
      first = 0;
      last = extent - 1;
      step = 1;
    }
    last = std::min(last, extent - 1);
    if (first < 0 || first >= std::max<std::int64_t>(extent, 1) || last < 0 ||
        std::abs(step) > mapping::max_index) {
      throw error("a section begins at " + std::to_string(first) + " and ends at " +
                      std::to_string(last) + " in a dimension of " + std::to_string(extent) +
                      " elements",
                  "expected indices within the array");
    }
    const std::int64_t span = step > 0 ? last - first : first - last;
    const std::int64_t count = extent == 0 || span < 0 ? 0 : span / std::abs(step) + 1;
    result.insert(result.end(), {first, step, count});
  }
  return result;
}

CommunicationId Compiler::copy_communication(const trace::Section& from, const trace::Section& to) {
  CopyPart part;
  const bool to_array = to.array != trace::no_object;
  const bool from_array = from.array != trace::no_object;
  if (!to_array && !from_array) {
    return nothing();
  }
  std::vector<std::int64_t> long_dimensions[2];
  const auto resolve = [&](const trace::Section& section, PlacementId& placement, Slice& slice,
                           std::vector<std::int64_t>& longer) {
    const ArrayState& array = object(arrays_, section.array, "a copied array");
    const std::vector<std::int64_t> bounds = section_of(section, array);
    for (std::size_t i = 2; i < bounds.size(); i += 3) {
      if (bounds[i] != 1) {
        longer.push_back(bounds[i]);
      }
    }
    placement = placement_of(array);
    slice = build_.ints(bounds);
    return array.element_size;
  };
  if (to_array) {
    part.element_size = resolve(to, part.to, part.to_section, long_dimensions[1]);
  }
  if (from_array) {
    part.element_size = resolve(from, part.from, part.from_section, long_dimensions[0]);
  }
  if (to_array && from_array && long_dimensions[0] != long_dimensions[1]) {
    throw error("the copied sections have different shapes",
                "expected equal numbers of elements in the dimensions with more than one");
  }
  CommunicationSpec spec;
  spec.kind = CommunicationSpec::Kind::copy;
  spec.view = current_view();
  const std::uint32_t id = build_.copy(part);
  spec.parts = build_.part_ids({&id, 1});
  return build_.communication(spec);
}

void Compiler::on(const trace::CopyArrays& call) {
  const CommunicationId communication = copy_communication(call.from, call.to);
  if (call.flag == trace::no_object) {
    blocking(Operation::remote_access, communication, true);
    return;
  }
  count(Operation::remote_access);
  work(record().call_time, 0.0);
  start(Pending::copy, call.flag, Operation::remote_access, communication);
  copied_ret(communication);
}

void Compiler::on(const trace::WaitCopy& call) {
  work(record().call_time, 0.0);
  wait(Pending::copy, call.flag, Operation::remote_access);
  work(0.0, record().ret_time);
}

void Compiler::on(const trace::ElementAccess& call) {
  work(record().call_time, 0.0);
  exchange(Operation::remote_access, copy_communication(call.from, call.to));
  work(0.0, record().ret_time);
}

// --- remote-access buffers
// -------------------------------------------------------------------------------

std::vector<AxisRule> Compiler::buffer_needs(const trace::CreateRemoteBuffer& call,
                                             const ArrayState& array, const LoopState& loop) {
  std::vector<AxisRule> needs;
  for (std::size_t dim = 0; dim < array.extents.size(); ++dim) {
    const std::int64_t axis = dim < call.axes.size() ? call.axes[dim] : -1;
    const std::int64_t coefficient = dim < call.coefficients.size() ? call.coefficients[dim] : 0;
    const std::int64_t constant = dim < call.constants.size() ? call.constants[dim] : 0;
    check_index(constant, "constant of a remote access");
    if (std::abs(coefficient) > mapping::max_coefficient ||
        axis > static_cast<std::int64_t>(loop.extents.size())) {
      throw error("a remote access names loop dimension " + std::to_string(axis) +
                      " with coefficient " + std::to_string(coefficient),
                  "expected a dimension of the loop and a coefficient below 2^20");
    }
    if (axis < 0) {
      needs.push_back({});
    } else if (axis == 0 || coefficient == 0) {
      needs.push_back({AxisRule::Kind::constant, -1, 0, constant, 0});
    } else {
      const auto d = static_cast<std::size_t>(axis - 1);
      const std::int64_t start = constant + coefficient * loop.first[d];
      const std::int64_t step = coefficient * loop.step[d];
      check_index(start, "position of a remote access");
      needs.push_back({AxisRule::Kind::linear, static_cast<std::int32_t>(d), step, start, 0});
    }
  }
  return needs;
}

void Compiler::on(const trace::CreateRemoteBuffer& call) {
  ordinary();
  const ArrayState& array = object(arrays_, call.array, "a remote access to an array");
  const LoopState& loop = loop_of(call.loop);
  RemotePart part;
  part.array = placement_of(array);
  part.view = current_view();
  part.element_size = array.element_size;
  if (!loop.mapped) {
    throw error("a remote access by a loop that is not mapped", "expected mappl_ before crtrbl_");
  }
  part.reader = loop.placement;
  part.needs = build_.rules(buffer_needs(call, array, loop));
  object(buffers_, call.result, "a buffer") = {true, part, call.array, array.extents,
                                               holding_of(part, array.extents)};
  note_memory();
}

void Compiler::on(const trace::CreatePointBuffer& call) {
  ordinary();
  const ArrayState& array = object(arrays_, call.array, "a remote access to an array");
  RemotePart part;
  part.array = placement_of(array);
  part.view = view_of(call.system);
  part.element_size = array.element_size;
  std::vector<AxisRule> needs;
  for (std::size_t dim = 0; dim < array.extents.size(); ++dim) {
    const std::int64_t at = dim < call.coordinates.size() ? call.coordinates[dim] : -1;
    check_index(at, "coordinate of a remote access");
    if (at < 0) {
      needs.push_back({});
    } else {
      needs.push_back({AxisRule::Kind::constant, -1, 0, at, 0});
    }
  }
  part.needs = build_.rules(needs);
  object(buffers_, call.result, "a buffer") = {true, part, call.array, array.extents,
                                               holding_of(part, array.extents)};
  note_memory();
}

void Compiler::on(const trace::DeleteBuffer& call) {
  ordinary();
  if (call.buffer != trace::no_object) {
    buffers_[call.buffer].created = false;
  }
}

std::uint32_t Compiler::loaded_part(const BufferState& buffer) {
  RemotePart part = buffer.part;
  if (array_exists_[buffer.array] && arrays_[buffer.array].extents == buffer.extents) {
    part.array = placement_of(arrays_[buffer.array]);
  }
  return build_.remote(part);
}

CommunicationId Compiler::remote_communication(std::span<const std::uint32_t> parts) {
  if (parts.empty()) {
    return nothing();
  }
  CommunicationSpec spec;
  spec.kind = CommunicationSpec::Kind::remote;
  spec.view = current_view();
  spec.parts = build_.part_ids(parts);
  return build_.communication(spec);
}

void Compiler::on(const trace::LoadBuffer& call) {
  const BufferState& buffer = object(buffers_, call.buffer, "a buffer");
  count(Operation::remote_access);
  work(record().call_time, 0.0);
  const std::uint32_t part = loaded_part(buffer);
  const CommunicationId communication = remote_communication({&part, 1});
  start(Pending::buffer, call.buffer, Operation::remote_access, communication);
  copied_ret(communication);
}

void Compiler::on(const trace::WaitBuffer& call) {
  work(record().call_time, 0.0);
  wait(Pending::buffer, call.buffer, Operation::remote_access);
  work(0.0, record().ret_time);
}

void Compiler::on(const trace::CreateBufferGroup& call) {
  ordinary();
  object(buffer_groups_, call.result, "a group of buffers").clear();
}

void Compiler::on(const trace::InsertBuffer& call) {
  ordinary();
  object(buffers_, call.buffer, "a buffer");
  object(buffer_groups_, call.group, "a group of buffers").push_back(call.buffer);
}

void Compiler::on(const trace::DeleteBufferGroup& call) {
  ordinary();
  if (call.group != trace::no_object) {
    buffer_groups_[call.group].clear();
  }
}

void Compiler::on(const trace::LoadBufferGroup& call) {
  count(Operation::remote_access);
  work(record().call_time, 0.0);
  std::vector<std::uint32_t> parts;
  for (const trace::Slot buffer : object(buffer_groups_, call.group, "a group of buffers")) {
    parts.push_back(loaded_part(buffers_[buffer]));
  }
  const CommunicationId communication = remote_communication(parts);
  start(Pending::buffer_group, call.group, Operation::remote_access, communication);
  copied_ret(communication);
}

void Compiler::on(const trace::WaitBufferGroup& call) {
  work(record().call_time, 0.0);
  wait(Pending::buffer_group, call.group, Operation::remote_access);
  work(0.0, record().ret_time);
}

}  // namespace gridcast::model
