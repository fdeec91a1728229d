/// Copies of arrays, access to single elements, buffers for remote elements.

#include <string>
#include <utility>

#include "decode.h"

namespace gridcast::trace::decode {
namespace {

/// The names of the parameters of one side of a copy.
struct SideNames {
  ParameterName buffer, header, handle, first, last, step;
};
constexpr SideNames from_names = {"FromBufferPtr",      "FromArrayHeader",    "FromArrayHandlePtr",
                                  "FromInitIndexArray", "FromLastIndexArray", "FromStepArray"};
constexpr SideNames to_names = {"ToBufferPtr",      "ToArrayHeader",    "ToArrayHandlePtr",
                                "ToInitIndexArray", "ToLastIndexArray", "ToStepArray"};

/// The section of an array. Last and step of a whole dimension (Init = -1), and the step of a
/// single element, mean nothing: compilers leave them uninitialised.
void read_section(const Decoding& d, const SideNames& names, Section& section) {
  section.first = d.call.list(names.first);
  for (std::size_t i = 0; i < section.first.size(); ++i) {
    const bool whole = section.first[i] == -1;
    section.last.push_back(whole ? -1 : d.call.element(names.last, i));
    const bool steps = !whole && section.first[i] != section.last[i];
    section.step.push_back(steps ? d.call.element(names.step, i) : 1);
  }
}

/// The array on one side of a copy: no_object for a buffer, also where the header is no array's.
Slot array_of(const Decoding& d, const SideNames& names) {
  if (d.call.find_reference(names.buffer)) {
    return no_object;
  }
  if (!d.call.find_reference(names.handle)) {
    static_cast<void>(d.call.reference(names.header));
  }
  return d.find(Kind::array, names.handle, names.header);
}

Section side(const Decoding& d, const SideNames& names) {
  Section section;
  section.array = array_of(d, names);
  if (section.array != no_object) {
    read_section(d, names, section);
  }
  return section;
}

Section element(Slot array, const Extents& index) {
  Section section;
  section.array = array;
  section.first = index;
  section.last = index;
  section.step.assign(index.size(), 1);
  return section;
}

/// The three lists of crtrbl_, one entry per dimension of the remote array.
void read_rule(const Decoding& d, CreateRemoteBuffer& made) {
  AxisLists lists = axis_lists(d);
  made.axes = std::move(lists.axes);
  made.coefficients = std::move(lists.coefficients);
  made.constants = std::move(lists.constants);
}

/// Takes the buffer in under handle, header or both.
Slot create_buffer(const Decoding& d) {
  const Reference header = d.call.find_reference("BufferHeader").value_or(0);
  const Reference handle = d.result.find_reference("BufferHandlePtr").value_or(0);
  if (header == 0 && handle == 0) {
    d.place().fail("the buffer has no reference", "expected BufferHeader or BufferHandlePtr");
  }
  return d.objects.create(Kind::buffer, {.reference = handle, .header = header}, d.fixed());
}

}  // namespace

Call copy_arrays(Decoding& d) {
  CopyArrays copy;
  copy.from = side(d, from_names);
  copy.to = side(d, to_names);
  return copy;
}

Call start_copy(Decoding& d) {
  CopyArrays copy;
  copy.from = side(d, from_names);
  copy.to = side(d, to_names);
  const Reference flag = d.call.reference("CopyFlagPtr");
  if (flag == 0) {
    d.place().fail("CopyFlagPtr is 0", "expected the address of the flag that waitcp_ waits for");
  }
  copy.flag = d.objects.create(Kind::copy_flag, {.reference = 0, .header = flag});
  return copy;
}

Call wait_copy(Decoding& d) {
  const Reference flag = d.call.reference("CopyFlagPtr");
  const Slot slot = d.objects.find(Kind::copy_flag, {.reference = 0, .header = flag});
  if (slot == no_object) {
    d.place().fail("CopyFlagPtr=" + shortened(d.call.written("CopyFlagPtr")) +
                       " belongs to no copy that was started",
                   "expected aarrcp_ with this flag before");
  }
  d.objects.erase(Kind::copy_flag, slot);
  return WaitCopy{slot};
}

Call access_element(Decoding& d) {
  ElementAccess access;
  const Slot from = array_of(d, from_names);
  const Slot to = array_of(d, to_names);
  const Extents index = d.call.find_list("IndexArray");  // rwelm_ has one, the others two
  const Extents from_index = d.call.find_list("FromIndexArray");
  const Extents to_index = d.call.find_list("ToIndexArray");
  if (from != no_object) {
    access.from = element(from, from_index.empty() ? index : from_index);
  }
  if (to != no_object) {
    access.to = element(to, to_index.empty() ? index : to_index);
  }
  if ((from != no_object && access.from.first.empty()) ||
      (to != no_object && access.to.first.empty())) {
    d.call.missing("IndexArray");
  }
  return access;
}

Call create_remote_buffer(Decoding& d) {
  CreateRemoteBuffer made;
  made.array = d.need(Kind::array, "RemArrayHandlePtr", "RemArrayHeader");
  made.loop = d.need(Kind::loop, "LoopRef");
  read_rule(d, made);
  made.result = create_buffer(d);
  return made;
}

Call create_point_buffer(Decoding& d) {
  CreatePointBuffer made;
  made.array = d.need(Kind::array, "RemArrayHandlePtr", "RemArrayHeader");
  made.system = d.find(Kind::system, "PSRef");
  made.coordinates = d.call.list("CoordArray");
  made.result = create_buffer(d);
  return made;
}

Call load_buffer(Decoding& d) {
  return LoadBuffer{d.need(Kind::buffer, "BufferHandlePtr", "BufferHeader")};
}

Call wait_buffer(Decoding& d) {
  return WaitBuffer{d.need(Kind::buffer, "BufferHandlePtr", "BufferHeader")};
}

Call create_buffer_group(Decoding& d) {
  const Slot group = d.create(Kind::buffer_group, "RegularAccessGroupRef");
  if (d.call.find_integer("DelBufSign").value_or(0) != 0) {
    d.objects.owns_members(Kind::buffer_group, group);
  }
  return CreateBufferGroup{group};
}

Call insert_buffer(Decoding& d) {
  InsertBuffer inserted;
  inserted.group = d.need(Kind::buffer_group, "RegularAccessGroupRef");
  inserted.buffer = d.need(Kind::buffer, "BufferHandlePtr", "BufferHeader");
  d.objects.add_member(Kind::buffer_group, inserted.group, Kind::buffer, inserted.buffer);
  return inserted;
}

Call load_buffer_group(Decoding& d) {
  return LoadBufferGroup{d.need(Kind::buffer_group, "RegularAccessGroupRef")};
}

Call wait_buffer_group(Decoding& d) {
  return WaitBufferGroup{d.need(Kind::buffer_group, "RegularAccessGroupRef")};
}

}  // namespace gridcast::trace::decode
