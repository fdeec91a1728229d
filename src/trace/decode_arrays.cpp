/// Templates, distributions, arrays and alignments.

#include <array>
#include <string>
#include <utility>

#include "decode.h"

namespace gridcast::trace::decode {
namespace {

constexpr std::int64_t character = 1;  ///< bytes of TypeSize=0

/// Extents of an object; its bytes must be countable.
void check_extents(const Decoding& d, const Extents& extents, std::int64_t element_size) {
  for (const std::int64_t extent : extents) {
    if (extent < 1) {
      d.place().fail("SizeArray has the element " + std::to_string(extent),
                     "expected extents from 1");
    }
  }
  if (!countable(extents, element_size)) {
    d.place().fail("SizeArray is too large", "expected an object whose bytes can be counted");
  }
}

/// PeriodicArray of crtamv_, which generated traces have: 1 for dimensions whose ends are
/// neighbours.
Extents periodic_dimensions(const Decoding& d, std::size_t rank) {
  Extents periodic = d.call.find_list("PeriodicArray");
  for (const std::int64_t flag : periodic) {
    if (periodic.size() != rank || flag < 0 || flag > 1) {
      d.place().fail("PeriodicArray is not a list of 0 and 1 for each dimension of the template",
                     "expected as many as SizeArray has");
    }
  }
  return periodic;
}

/// AxisArray of distr_ and redis_: ParamCount entries, or those that there are.
std::vector<std::int64_t> distribution_axes(const Decoding& d) {
  const std::optional<std::int64_t> count = d.call.find_integer("ParamCount");
  if (count && *count <= 0) {
    return {};
  }
  Extents axes = d.call.list("AxisArray");
  if (count && axes.size() < static_cast<std::size_t>(*count)) {
    d.place().fail("AxisArray has " + std::to_string(axes.size()) + " elements",
                   "expected ParamCount=" + std::to_string(*count));
  }
  axes.resize(count ? static_cast<std::size_t>(*count) : axes.size());
  for (const std::int64_t axis : axes) {
    if (axis < 0) {
      d.place().fail("AxisArray has the element " + std::to_string(axis),
                     "expected dimensions of the template from 1, or 0");
    }
  }
  return axes;
}

bool has_text(const Decoding& d, std::string_view text) {
  return d.call.text().find(text) != std::string_view::npos;
}

}  // namespace

std::optional<std::int64_t> size_of_type(std::int64_t type) {
  constexpr std::array<std::int64_t, 6> sizes = {4, 8, 4, 8, 8, 16};
  if (type < 1 || type > static_cast<std::int64_t>(sizes.size())) {
    return std::nullopt;
  }
  return sizes[static_cast<std::size_t>(type - 1)];
}

Call create_template(Decoding& d) {
  CreateTemplate made;
  made.extents = d.call.list("SizeArray");
  check_extents(d, made.extents, 1);
  made.periodic = periodic_dimensions(d, made.extents.size());
  made.result = d.create(Kind::target, "AMViewRef");
  return made;
}

Call delete_template(Decoding& d) {
  const Slot slot = d.find(Kind::target, "AMViewRef");
  if (slot == no_object) {
    return Ordinary{};
  }
  d.objects.remove(Kind::target, slot);
  return DeleteTemplate{slot};
}

Call divide_blocks(Decoding& d) {
  DivideBlocks divided;
  divided.target = d.need(Kind::target, "AMViewRef");
  if (d.call.find_integer("AMVAxisCount").value_or(1) > 0) {
    divided.divisors = d.call.list("AMVAxisDiv");
  }
  return divided;
}

Call set_weights(Decoding& d) {
  SetWeights set;
  set.target = d.need(Kind::target, "AMViewRef");
  set.system = d.find(Kind::system, "PSRef");
  std::vector<std::size_t> announced;
  for (const Parameter& parameter : d.call.parameters().all()) {
    if (parameter.is("WeightNumber") && parameter.first >= 0) {
      if (static_cast<std::size_t>(parameter.first) != set.weights.size()) {
        d.place().fail("WeightNumber[" + std::to_string(parameter.first) + "] is out of order",
                       "expected WeightNumber[" + std::to_string(set.weights.size()) + "]");
      }
      set.weights.emplace_back();
      const std::int64_t count = d.call.integer(parameter);
      announced.push_back(count > 0 ? static_cast<std::size_t>(count) : 0);
    } else if (parameter.is("LoadWeight") && !set.weights.empty()) {
      set.weights.back().push_back(d.call.real(parameter));
    }
  }
  const bool none_given = d.call.find_integer("AddrNumber") == 0;
  set.missing = set.weights.empty() && !none_given;
  for (std::size_t i = 0; i < set.weights.size(); ++i) {
    set.missing = set.missing || set.weights[i].size() != announced[i];
  }
  if (set.missing) {
    set.weights.clear();
    ++d.missing_weights;
  }
  return set;
}

Call set_block_lengths(Decoding& d) {
  SetBlockLengths set;
  set.target = d.need(Kind::target, "AMViewRef");
  set.system = d.find(Kind::system, "PSRef");
  constexpr std::int32_t most_dimensions = 64;
  for (const Parameter& parameter : d.call.parameters().all()) {
    if (!parameter.is("AxisWeightAddr") || parameter.first < 0 ||
        parameter.first >= most_dimensions || parameter.second < 0) {
      continue;
    }
    const auto dimension = static_cast<std::size_t>(parameter.first);
    if (set.lengths.size() <= dimension) {
      set.lengths.resize(dimension + 1);
    }
    set.lengths[dimension].push_back(d.call.real(parameter));
  }
  set.missing = set.lengths.empty() && d.call.find_integer("AxisCount") != 0;
  d.missing_weights += set.missing ? 1 : 0;
  return set;
}

Call distribute(Decoding& d) {
  Distribute distributed;
  distributed.target = d.need(Kind::target, "AMViewRef");
  distributed.system = d.find(Kind::system, "PSRef");
  distributed.axes = distribution_axes(d);
  return distributed;
}

Call redistribute(Decoding& d) {
  Redistribute moved;
  if (d.call.find_reference("AMViewRef")) {
    moved.target = d.need(Kind::target, "AMViewRef");
  } else {
    moved.array = d.need(Kind::array, "ArrayHandlePtr", "ArrayHeader");
  }
  moved.system = d.find(Kind::system, "PSRef");
  moved.axes = distribution_axes(d);
  moved.new_values = d.call.integer("NewSign") != 0;
  return moved;
}

Call get_template(Decoding& d) {
  GetTemplate got;
  got.array = d.need(Kind::array, "ArrayHandlePtr", "ArrayHeader");
  const Reference reference = d.result.reference("AMViewRef");
  if (reference != 0) {  // 0: the array is not aligned yet
    got.result = d.objects.find(Kind::target, {.reference = reference, .header = 0});
    if (got.result == no_object) {
      got.result = d.create(Kind::target, "AMViewRef");
    }
  }
  return got;
}

namespace {

/// What crtda_ and crtrda_ have in common: everything but the shadow edges.
CreateArray described_array(const Decoding& d) {
  CreateArray made;
  made.extents = d.call.list("SizeArray");
  const auto rank = static_cast<std::int64_t>(made.extents.size());
  if (d.call.find_integer("Rank").value_or(rank) != rank) {
    d.place().fail("Rank is not the number of elements of SizeArray",
                   "expected Rank=" + std::to_string(rank));
  }
  const std::int64_t type_size = d.call.integer("TypeSize");
  const std::optional<std::int64_t> size = type_size > 0    ? type_size
                                           : type_size == 0 ? character
                                                            : size_of_type(-type_size);
  if (!size || *size > largest_coefficient) {
    d.place().fail("TypeSize=" + std::to_string(type_size),
                   "expected a number of bytes, or a type from -1 to -6");
  }
  made.element_size = *size;
  check_extents(d, made.extents, made.element_size);
  return made;
}

/// Takes the array in under handle, header or both.
Call array_made(const Decoding& d, CreateArray made) {
  const Reference header = d.call.find_reference("ArrayHeader").value_or(0);
  const Reference handle = d.result.find_reference("ArrayHandlePtr").value_or(0);
  if (header == 0 && handle == 0) {
    d.place().fail("the array has no reference", "expected ArrayHeader or ArrayHandlePtr");
  }
  made.result = d.objects.create(Kind::array, {.reference = handle, .header = header}, d.fixed());
  return made;
}

}  // namespace

Call create_array(Decoding& d) {
  CreateArray made = described_array(d);
  made.low_shadow = d.call.list("LowShdWidthArray", made.extents.size());
  made.high_shadow = d.call.list("HiShdWidthArray", made.extents.size());
  return array_made(d, std::move(made));
}

Call create_replicated_array(Decoding& d) {
  // Not every version of the library writes what the array is; without it the name is all there is.
  if (d.call.find_list("SizeArray").empty() || !d.call.find_integer("TypeSize")) {
    return Ordinary{};
  }
  CreateArray made = described_array(d);
  const std::size_t rank = made.extents.size();
  made.low_shadow = d.call.find_list("LowShdWidthArray");
  made.high_shadow = d.call.find_list("HiShdWidthArray");
  made.low_shadow.resize(rank);  // the library makes it without shadow edges
  made.high_shadow.resize(rank);
  return array_made(d, std::move(made));
}

Call delete_array(Decoding& d) {
  const Slot slot = d.find(Kind::array, "ArrayHandlePtr", "ArrayHeader");
  if (slot == no_object) {
    return Ordinary{};  // an array of the library's own start-up
  }
  d.objects.remove(Kind::array, slot);
  return DeleteArray{slot};
}

AxisLists axis_lists(const Decoding& d) {
  AxisLists lists;
  lists.axes = d.call.list("AxisArray");
  for (std::size_t i = 0; i < lists.axes.size(); ++i) {
    const std::int64_t axis = lists.axes[i];
    lists.coefficients.push_back(axis > 0 ? d.call.coefficient("CoeffArray", i) : 0);
    lists.constants.push_back(axis >= 0 ? d.call.element("ConstArray", i) : 0);
  }
  return lists;
}

AlignmentRule alignment_rule(const Decoding& d) {
  AlignmentRule rule;
  // PatternRefPtr may be a temporary; PatternRef always names the object itself (README 4).
  const Reference reference = d.call.reference("PatternRef");
  const bool is_template = has_text(d, "(AMView)");
  const bool is_array = has_text(d, "(DisArray)");
  if (is_array || !is_template) {
    rule.pattern = d.objects.find(Kind::array, {.reference = reference, .header = 0});
    rule.kind = PatternKind::array;
  }
  if (rule.pattern == no_object && !is_array) {
    rule.pattern = d.objects.find(Kind::target, {.reference = reference, .header = 0});
    rule.kind = PatternKind::target;
  }
  if (rule.pattern == no_object) {
    d.place().fail(
        "PatternRef=" + shortened(d.call.written("PatternRef")) + " names no existing object",
        is_template ? "expected a template created before" : "expected an array created before");
  }
  AxisLists lists = axis_lists(d);
  rule.axes = std::move(lists.axes);
  rule.coefficients = std::move(lists.coefficients);
  rule.constants = std::move(lists.constants);
  return rule;
}

Call align(Decoding& d) {
  Align aligned;
  aligned.array = d.need(Kind::array, "ArrayHandlePtr", "ArrayHeader");
  aligned.rule = alignment_rule(d);
  return aligned;
}

Call realign(Decoding& d) {
  Realign aligned;
  aligned.array = d.need(Kind::array, "ArrayHandlePtr", "ArrayHeader");
  aligned.rule = alignment_rule(d);
  aligned.new_values = d.call.integer("NewSign") != 0;
  return aligned;
}

}  // namespace gridcast::trace::decode
