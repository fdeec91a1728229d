/// Copies of arrays, access to single elements, buffers for remote elements.

#include <string>

#include "decode.h"

namespace gridcast::trace::decode {
namespace {

/// A section of an array must have the same number of entries in its three lists.
void check_section(const Decoding& d, const Section& section, std::string_view side) {
  if (section.first.empty() || section.last.size() != section.first.size() ||
      section.step.size() != section.first.size()) {
    d.place().fail("the section of the " + std::string(side) + " array is incomplete",
                   "expected InitIndexArray, LastIndexArray and StepArray of the same length");
  }
}

Section source(const Decoding& d) {
  Section section;
  if (!d.call.find_reference("FromBufferPtr")) {
    static_cast<void>(d.call.reference("FromArrayHeader"));
    section.array = d.find(Kind::array, "FromArrayHandlePtr", "FromArrayHeader");
  }
  section.first = d.call.find_list("FromInitIndexArray");
  section.last = d.call.find_list("FromLastIndexArray");
  section.step = d.call.find_list("FromStepArray");
  if (section.array != no_object) {
    check_section(d, section, "From");
  }
  return section;
}

Section destination(const Decoding& d) {
  Section section;
  if (!d.call.find_reference("ToBufferPtr")) {
    static_cast<void>(d.call.reference("ToArrayHeader"));
    section.array = d.find(Kind::array, "ToArrayHandlePtr", "ToArrayHeader");
  }
  section.first = d.call.find_list("ToInitIndexArray");
  section.last = d.call.find_list("ToLastIndexArray");
  section.step = d.call.find_list("ToStepArray");
  if (section.array != no_object) {
    check_section(d, section, "To");
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
  made.axes = d.call.list("AxisArray");
  made.coefficients = d.call.coefficients("CoeffArray", made.axes.size());
  made.constants = d.call.list("ConstArray", made.axes.size());
}

Slot create_buffer(const Decoding& d) {
  const Reference header = d.call.reference("BufferHeader");
  const Reference handle = d.result.find_reference("BufferHandlePtr").value_or(0);
  if (header == 0) {
    d.place().fail("BufferHeader is 0", "expected the address of the buffer's header");
  }
  return d.objects.create(Kind::buffer, {.reference = handle, .header = header}, d.fixed());
}

}  // namespace

Call copy_arrays(Decoding& d) {
  CopyArrays copy;
  copy.from = source(d);
  copy.to = destination(d);
  return copy;
}

Call start_copy(Decoding& d) {
  CopyArrays copy;
  copy.from = source(d);
  copy.to = destination(d);
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
    d.place().fail("CopyFlagPtr=" + printable(d.call.written("CopyFlagPtr")) +
                       " belongs to no copy that was started",
                   "expected aarrcp_ with this flag before");
  }
  d.objects.erase(Kind::copy_flag, slot);
  return WaitCopy{slot};
}

Call access_element(Decoding& d) {
  ElementAccess access;
  const Slot from = d.find(Kind::array, "FromArrayHandlePtr", "FromArrayHeader");
  const Slot to = d.find(Kind::array, "ToArrayHandlePtr", "ToArrayHeader");
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
  static_cast<void>(d.call.reference("PSRef"));
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
