/// Shadow edges, copies and remote access.

#include <algorithm>

#include "compiler.h"

namespace gridcast::model {

using mapping::AxisRule;

// --- shadow edges
// --------------------------------------------------------------------------------------

Slice Compiler::widths(const trace::Extents& given, std::span<const std::int64_t> own) {
  std::vector<std::int64_t> result(own.begin(), own.end());
  for (std::size_t dim = 0; dim < result.size(); ++dim) {
    if (dim < given.size() && given[dim] != -1) {
      result[dim] = given[dim];
    }
    if (result[dim] < 0) {
      throw error("a negative width of a shadow edge",
                  "expected 0 or more, or -1 for the array's own");
    }
  }
  return build_.ints(result);
}

void Compiler::after(const trace::InsertShadow& call) {
  const ArrayState& array = arrays_[call.array];
  shadow_groups_[call.group].push_back(
      {call.array,
       {.element_size = call.edge_bytes,
        .low = widths(call.low, array.low),
        .high = widths(call.high, array.high),
        .tuple_limit = std::max<std::int64_t>(call.tuple_limit, 1)}});
}

/// The dimensions of an array, one bit each, that lie along periodic ones of its template.
std::uint32_t Compiler::rings_of(const ArrayState& array) const {
  std::uint32_t rings = 0;
  if (array.over.target != none) {
    const std::vector<std::int64_t>& periodic = targets_[array.over.target].periodic;
    for (std::size_t axis = 0; axis < periodic.size() && axis < array.over.rules.size(); ++axis) {
      const AxisRule& rule = array.over.rules[axis];
      if (periodic[axis] != 0 && rule.kind == AxisRule::Kind::linear) {
        rings |= 1U << static_cast<unsigned>(rule.dim);
      }
    }
  }
  return rings;
}

std::vector<std::uint32_t> Compiler::shadow_parts(trace::Slot group, bool wraps) {
  std::vector<std::uint32_t> parts;
  if (group == trace::no_object) {
    return parts;
  }
  for (const ShadowEdges& edges : shadow_groups_[group]) {
    const ArrayState& array = arrays_[edges.array];
    ShadowPart part = edges.part;
    part.placement = placement_of(array);
    part.rings = wraps ? rings_of(array) : 0;
    part.element_size = part.element_size > 0 ? part.element_size : array.element_size;
    parts.push_back(build_.shadow(part));
  }
  return parts;
}

CommunicationId Compiler::shadow_communication(trace::Slot group) {
  return communication(CommunicationSpec::Kind::shadow, shadow_parts(group, true));
}

void Compiler::on(const trace::SendShadow& call) {
  around([&] {
    start(Pending::shadow, call.group, shadow_communication(call.group), Op::Kind::send);
  });
}

void Compiler::on(const trace::ReceiveShadow& call) {
  // Getting ready to receive moves nothing: the edges travel when they are sent.
  around([&] {
    start(Pending::shadow, call.group, communication(CommunicationSpec::Kind::nothing, {}),
          Op::Kind::send);
  });
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
    const auto outside = [&](std::int64_t index) { return index < 0 || index >= extent; };
    if (outside(first) || outside(last)) {
      throw error("a section begins at " + std::to_string(first) + " and ends at " +
                      std::to_string(last) + " in a dimension of " + std::to_string(extent) +
                      " elements",
                  "expected indices within the array");
    }
    result.insert(result.end(), {first, step, extent == 0 ? 0 : steps_between(first, last, step)});
  }
  return result;
}

CommunicationId Compiler::copy_communication(const trace::Section& from, const trace::Section& to) {
  using Kind = CommunicationSpec::Kind;
  CopyPart part;
  // Returns the numbers of elements in the dimensions with more than one.
  const auto resolve = [&](const trace::Section& section, PlacementId& placement, Slice& slice) {
    std::vector<std::int64_t> shape;
    if (section.array != trace::no_object) {
      const ArrayState& array = arrays_[section.array];
      const std::vector<std::int64_t> bounds = section_of(section, array);
      for (std::size_t i = 2; i < bounds.size(); i += 3) {
        if (bounds[i] != 1) {
          shape.push_back(bounds[i]);
        }
      }
      placement = placement_of(array);
      slice = build_.ints(bounds);
      part.element_size = array.element_size;
    }
    return shape;
  };
  const std::vector<std::int64_t> written = resolve(to, part.to, part.to_section);
  const std::vector<std::int64_t> read = resolve(from, part.from, part.from_section);
  if (part.from == none && part.to == none) {
    return communication(Kind::nothing, {});
  }
  if (part.from != none && part.to != none && read != written) {
    throw error("the copied sections have different shapes",
                "expected equal numbers of elements in the dimensions with more than one");
  }
  const std::uint32_t id = build_.copy(part);
  return communication(Kind::copy, {&id, 1});
}

void Compiler::on(const trace::CopyArrays& call) {
  const CommunicationId copied = copy_communication(call.from, call.to);
  if (call.flag == trace::no_object) {
    blocking(Operation::remote_access, copied);
  } else {
    start_call(Pending::copy, call.flag, copied);
  }
}

void Compiler::on(const trace::ElementAccess& call) {
  around([&] { exchange(Operation::remote_access, copy_communication(call.from, call.to)); });
}

// --- remote-access buffers
// -------------------------------------------------------------------------------

void Compiler::create_buffer(trace::Slot result, trace::Slot array, PlacementId reader, ViewId view,
                             std::span<const AxisRule> needs) {
  const ArrayState& read = arrays_[array];
  const RemotePart part{placement_of(read), reader, view, read.element_size, build_.rules(needs)};
  buffers_[result] = {part, array, read.extents, holding_of(part, read.extents)};
  note_memory();
}

void Compiler::after(const trace::CreateRemoteBuffer& call) {
  const LoopState& loop = loops_[call.loop];
  if (loop.placement == none) {
    throw error("a remote access by a loop that is not mapped", "expected mappl_ before crtrbl_");
  }
  const trace::AlignmentRule rule{
      .axes = call.axes, .coefficients = call.coefficients, .constants = call.constants};
  std::vector<AxisRule> needs =
      axis_rules(rule, loop.extents.size(), arrays_[call.array].extents.size(), "a remote access");
  count_iterations(needs, loop);
  create_buffer(call.result, call.array, loop.placement, current_view(), needs);
}

void Compiler::after(const trace::CreatePointBuffer& call) {
  std::vector<AxisRule> needs(arrays_[call.array].extents.size());
  for (std::size_t dim = 0; dim < needs.size() && dim < call.coordinates.size(); ++dim) {
    if (const std::int64_t at = call.coordinates[dim]; at >= 0) {
      needs[dim] = {AxisRule::Kind::constant, -1, 0, at, 0};
    }
  }
  create_buffer(call.result, call.array, none, view_of(call.system, current_view()), needs);
}

std::uint32_t Compiler::loaded_part(const BufferState& buffer) {
  RemotePart part = buffer.part;
  if (const ArrayState& array = arrays_[buffer.array];
      array.exists && array.extents == buffer.extents) {
    part.array = placement_of(array);
  }
  return build_.remote(part);
}

void Compiler::on(const trace::LoadBuffer& call) {
  const std::uint32_t part = loaded_part(buffers_[call.buffer]);
  start_call(Pending::buffer, call.buffer,
             communication(CommunicationSpec::Kind::remote, {&part, 1}));
}

void Compiler::on(const trace::LoadBufferGroup& call) {
  std::vector<std::uint32_t> parts;
  for (const trace::Slot buffer : buffer_groups_[call.group]) {
    parts.push_back(loaded_part(buffers_[buffer]));
  }
  start_call(Pending::buffer_group, call.group,
             communication(CommunicationSpec::Kind::remote, parts));
}

}  // namespace gridcast::model
