/// Parallel loops and reductions.

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "decode.h"

namespace gridcast::trace::decode {
namespace {

/// The values of all `NAME[i] = value` or, in the form "Dim0: Lower=0 Upper=7 Step=1", of all
/// `NAME = value`, in the order of the lines.
Extents values_in_order(const Arguments& arguments, const ParameterName& name) {
  Extents values = arguments.find_list(name);
  if (values.empty()) {
    for (const Parameter& parameter : arguments.parameters().all()) {
      if (parameter.is(name)) {
        values.push_back(arguments.integer(parameter));
      }
    }
  }
  return values;
}

/// The part of the iterations that ret_dopl_ gives for a loop in portions (docs/model.md §3).
std::optional<SubBlock> portion(const Decoding& d) {
  SubBlock block;
  block.first = values_in_order(d.result, "Lower");
  block.last = values_in_order(d.result, "Upper");
  block.step = values_in_order(d.result, "Step");
  if (block.first.empty() && block.last.empty()) {
    return std::nullopt;
  }
  if (block.step.empty()) {
    block.step.assign(block.first.size(), 1);
  }
  if (block.last.size() != block.first.size() || block.step.size() != block.first.size()) {
    d.place().fail("the portion of the loop is incomplete",
                   "expected Lower, Upper and Step for every dimension");
  }
  return block;
}

/// A group or variable that a call names by one parameter.
template <class Made>
Call named(Decoding& d, Kind kind, const ParameterName& name) {
  return Made{d.need(kind, name)};
}

template <class Made>
Call deleted(Decoding& d, Kind kind, const ParameterName& name) {
  const Slot slot = d.find(kind, name);
  if (slot == no_object) {
    return Ordinary{};
  }
  d.objects.remove(kind, slot);
  return Made{slot};
}

}  // namespace

Call create_loop(Decoding& d) {
  CreateLoop made;
  made.rank = d.call.integer("Rank");
  if (made.rank < 1) {
    d.place().fail("Rank=" + std::to_string(made.rank), "expected a number of dimensions from 1");
  }
  made.result = d.create(Kind::loop, "LoopRef");
  d.objects.open_loop(made.result);
  return made;
}

Call map_loop(Decoding& d) {
  MapLoop mapped;
  mapped.loop = d.need(Kind::loop, "LoopRef");
  mapped.rule = alignment_rule(d);
  mapped.first = d.call.list("InInitIndexArray");
  mapped.last = d.call.list("InLastIndexArray", mapped.first.size());
  mapped.step = d.call.list("InStepArray", mapped.first.size());
  for (std::size_t i = 0; i < mapped.step.size(); ++i) {
    if (mapped.step[i] == 0 && !d.checks) {  // to the library a loop without iterations
      mapped.last[i] = mapped.first[i] - 1;
      mapped.step[i] = 1;
    }
  }
  return mapped;
}

Call run_loop(Decoding& d) {
  RunLoop run;
  run.loop = d.need(Kind::loop, "LoopRef");
  run.continues = d.result.integer("DoPL") != 0;
  run.portion = portion(d);
  return run;
}

Call end_loop(Decoding& d) {
  const Slot loop = d.need(Kind::loop, "LoopRef");
  d.objects.close_loop(loop);
  d.objects.remove(Kind::loop, loop);
  return EndLoop{loop};
}

Call across(Decoding& d) {
  Across pipelined;
  pipelined.type = d.call.find_integer("AcrossType").value_or(0);
  pipelined.portions = std::max<std::int64_t>(d.call.find_integer("QDim").value_or(0), 0);
  if (d.call.find_reference("OldShadowGroupRef").value_or(0) != 0) {
    pipelined.old_values = d.need(Kind::shadow_group, "OldShadowGroupRef");
  }
  if (d.call.reference("NewShadowGroupRef") != 0) {
    pipelined.new_values = d.need(Kind::shadow_group, "NewShadowGroupRef");
  }
  return pipelined;
}

Call create_reduction_group(Decoding& d) {
  const Slot group = d.create(Kind::reduction_group, "RedGroupRef");
  if (d.call.find_integer("DelRedSign").value_or(0) != 0) {
    d.objects.owns_members(Kind::reduction_group, group);
  }
  return CreateReductionGroup{group};
}

namespace {

/// Bytes of additional information per element. The library reads them for maxima and minima that
/// have an array for it; elsewhere LocElmLength may be uninitialised, and no length then.
std::int64_t additional_bytes(const Decoding& d) {
  constexpr std::array<std::int64_t, 6> without_place = {1, 2, 5, 6, 7, 8};  // sums to equivalence
  const auto function = d.call.find_integer("RedFuncNumb");
  const bool read = !(function && std::find(without_place.begin(), without_place.end(),
                                            *function) != without_place.end()) &&
                    d.call.find_reference("LocArrayPtr") != Reference{0};
  if (!read && !d.call.is_integer("LocElmLength", 0, largest_coefficient)) {
    return 0;
  }
  return d.call.find_integer("LocElmLength").value_or(0);
}

}  // namespace

Call create_reduction(Decoding& d) {
  constexpr std::int64_t long_long = 8;
  CreateReduction made;
  const std::int64_t type = d.call.integer("RedArrayType");
  const auto size = type == long_long ? std::optional<std::int64_t>(8) : size_of_type(type);
  if (!size) {
    d.place().fail("RedArrayType=" + std::to_string(type), "expected a type from 1 to 6, or 8");
  }
  made.element_size = *size;
  made.length = d.call.integer("RedArrayLength");
  made.extra = additional_bytes(d);
  if (made.length < 0 || made.extra < 0 || made.extra > largest_coefficient) {
    d.place().fail("RedArrayLength or LocElmLength is out of range",
                   "expected lengths that are not negative");
  }
  made.result = d.create(Kind::reduction, "RedRef");
  return made;
}

Call insert_reduction(Decoding& d) {
  InsertReduction inserted;
  inserted.group = d.need(Kind::reduction_group, "RedGroupRef");
  inserted.reduction = d.need(Kind::reduction, "RedRef");
  d.objects.add_member(Kind::reduction_group, inserted.group, Kind::reduction, inserted.reduction);
  return inserted;
}

Call delete_reduction(Decoding& d) {
  return deleted<DeleteReduction>(d, Kind::reduction, "RedRef");
}

Call delete_reduction_group(Decoding& d) {
  return deleted<DeleteReductionGroup>(d, Kind::reduction_group, "RedGroupRef");
}

Call start_reduction(Decoding& d) {
  return named<StartReduction>(d, Kind::reduction_group, "RedGroupRef");
}

Call wait_reduction(Decoding& d) {
  return named<WaitReduction>(d, Kind::reduction_group, "RedGroupRef");
}

Call export_first(Decoding& d) {
  return ExportFirst{d.need(Kind::loop, "LoopRef"), d.need(Kind::shadow_group, "ShadowGroupRef")};
}

Call import_last(Decoding& d) {
  return ImportLast{d.need(Kind::loop, "LoopRef"), d.need(Kind::shadow_group, "ShadowGroupRef")};
}

}  // namespace gridcast::trace::decode
