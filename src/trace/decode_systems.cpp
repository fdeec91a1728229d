/// Processor systems, abstract machines, tasks, and what exists in a block of the program.

#include <string>

#include "decode.h"

namespace gridcast::trace {

void Decoding::refuse_deleted(const ParameterName& name) const {
  const auto reference = call.find_reference(name);
  if (checks && reference && objects.was_removed(*reference)) {
    place().fail(std::string(name.text()) + "=" + shortened(call.written(name)) +
                     " names an object that was deleted",
                 "expected one that exists");
  }
}

Slot Decoding::find(Kind kind, const ParameterName& name) const {
  const auto reference = call.find_reference(name);
  const Slot slot =
      reference ? objects.find(kind, {.reference = *reference, .header = 0}) : no_object;
  if (slot == no_object) {
    refuse_deleted(name);
  }
  return slot;
}

Slot Decoding::need(Kind kind, const ParameterName& name) const {
  const Slot slot = objects.find(kind, {.reference = call.reference(name), .header = 0});
  if (slot == no_object) {
    refuse_unknown(kind, name);
  }
  return slot;
}

void Decoding::refuse_unknown(Kind kind, const ParameterName& name) const {
  place().fail(
      std::string(name.text()) + "=" + shortened(call.written(name)) + " names no existing object",
      (kind == Kind::array || kind == Kind::machine ? "expected an " : "expected a ") +
          std::string(name_of(kind)) + " created before");
}

Slot Decoding::find(Kind kind, const ParameterName& handle, const ParameterName& header) const {
  const Slot slot = objects.find(kind, {.reference = call.find_reference(handle).value_or(0),
                                        .header = call.find_reference(header).value_or(0)});
  if (slot == no_object) {
    refuse_deleted(handle);
  }
  return slot;
}

Slot Decoding::need(Kind kind, const ParameterName& handle, const ParameterName& header) const {
  const Slot slot = find(kind, handle, header);
  const Reference by_handle = call.find_reference(handle).value_or(0);
  const Reference by_header = call.find_reference(header).value_or(0);
  const auto unknown = [&](const Objects::Names& names) {
    return (names.reference != 0 || names.header != 0) && objects.find(kind, names) == no_object;
  };
  if (checks && unknown({.reference = by_handle, .header = 0})) {
    refuse_unknown(kind, handle);
  }
  if (checks && unknown({.reference = 0, .header = by_header})) {
    refuse_unknown(kind, header);
  }
  if (slot != no_object) {
    return slot;
  }
  const bool has_header = call.find_reference(header).has_value();
  if (!has_header && !call.find_reference(handle)) {
    call.missing(header);
  }
  refuse_unknown(kind, has_header ? header : handle);
}

Slot Decoding::create(Kind kind, const ParameterName& name) const {
  const Reference reference = result.reference(name);
  if (reference == 0) {
    place().fail(std::string(name.text()) + " returned is 0", "expected a reference");
  }
  return objects.create(kind, {.reference = reference, .header = 0}, fixed());
}

bool Decoding::fixed() const { return call.find_integer("StaticSign").value_or(1) != 0; }

namespace decode {

Call create_system(Decoding& d) {
  CreateSystem made;
  made.parent = d.find(Kind::system, "PSRef");
  made.first = d.call.find_list("InitIndexArray");
  made.last = d.call.find_list("LastIndexArray");
  made.result = d.create(Kind::system, "PSRef");
  return made;
}

Call reshape_system(Decoding& d) {
  ReshapeSystem made;
  made.parent = d.find(Kind::system, "PSRef");
  made.extents = d.call.list("SizeArray");
  for (const std::int64_t extent : made.extents) {
    if (extent < 1) {
      d.place().fail("SizeArray has the element " + std::to_string(extent),
                     "expected numbers of processors from 1");
    }
  }
  made.result = d.create(Kind::system, "PSRef");
  return made;
}

Call get_system(Decoding& d) {
  GetSystem got;
  got.machine = d.find(Kind::machine, "AMRef");
  const Reference reference = d.result.reference("PSRef");
  if (reference != 0) {
    got.result = d.objects.find(Kind::system, {.reference = reference, .header = 0});
    if (got.result == no_object) {
      got.result = d.create(Kind::system, "PSRef");
    }
  }
  return got;
}

Call delete_system(Decoding& d) {
  const Slot slot = d.find(Kind::system, "PSRef");
  if (slot == no_object) {
    return Ordinary{};
  }
  d.objects.remove(Kind::system, slot);
  return DeleteSystem{slot};
}

namespace {

/// An abstract machine is named again, not made again, when it is asked for twice.
Slot machine_of_result(const Decoding& d) {
  const Slot slot =
      d.objects.find(Kind::machine, {.reference = d.result.reference("AMRef"), .header = 0});
  return slot == no_object ? d.create(Kind::machine, "AMRef") : slot;
}

}  // namespace

Call get_machine(Decoding& d) { return GetMachine{machine_of_result(d)}; }

Call get_machine_element(Decoding& d) {
  GetMachineElement got;
  got.parent = d.need(Kind::target, "AMViewRef");
  got.index = d.call.list("IndexArray");
  got.result = machine_of_result(d);
  return got;
}

Call map_machine(Decoding& d) {
  MapMachine mapped;
  mapped.machine = d.need(Kind::machine, "AMRef");
  mapped.system = d.find(Kind::system, "PSRef");
  return mapped;
}

Call run_task(Decoding& d) {
  RunTask run;
  run.machine = d.need(Kind::machine, "AMRef");
  run.runs = d.result.find_integer("Run").value_or(1) != 0;
  return run;
}

Call stop_task(Decoding& /*d*/) { return StopTask{}; }

Call begin_block(Decoding& d) {
  d.objects.open_block();
  return Ordinary{};
}

Call end_block(Decoding& d) {
  d.objects.close_block();
  return Ordinary{};
}

Call delete_object(Decoding& d) {
  const auto reference = d.call.find_reference("ObjectRef");
  const auto found = reference ? d.objects.find_any(*reference) : std::nullopt;
  if (!found) {
    d.refuse_deleted("ObjectRef");
    return Ordinary{};  // of a kind that the model does not need
  }
  const auto [kind, slot] = *found;
  d.objects.remove(kind, slot);
  switch (kind) {
    case Kind::system:
      return DeleteSystem{slot};
    case Kind::target:
      return DeleteTemplate{slot};
    case Kind::array:
      return DeleteArray{slot};
    case Kind::reduction_group:
      return DeleteReductionGroup{slot};
    case Kind::reduction:
      return DeleteReduction{slot};
    case Kind::shadow_group:
      return DeleteShadowGroup{slot};
    case Kind::buffer:
      return DeleteBuffer{slot};
    case Kind::buffer_group:
      return DeleteBufferGroup{slot};
    case Kind::machine:
    case Kind::loop:
    case Kind::copy_flag:
      break;
  }
  return Ordinary{};
}

}  // namespace decode
}  // namespace gridcast::trace
