#include "sized_parameters.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "gridcast/base/characters.h"

namespace gridcast::trace {
namespace {

template <std::size_t n>
bool contains(const std::array<std::string_view, n>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Addresses and the library's notes about memory and messages.
bool is_address(std::string_view name) {
  return name.ends_with("Ref") || name.ends_with("Ptr") || name.ends_with("Header") ||
         name == "LoopVarAddrArray";
}

ParameterRole role_of(std::string_view name, std::string_view function) {
  // docs/functions.md, "Parameters"; [Predictor2010 app. 5].
  constexpr std::array<std::string_view, 30> sizes = {
      "SizeArray",      "LowShdWidthArray",   "HiShdWidthArray",
      "ConstArray",     "InInitIndexArray",   "InLastIndexArray",
      "InStepArray",    "FromInitIndexArray", "FromLastIndexArray",
      "FromStepArray",  "ToInitIndexArray",   "ToLastIndexArray",
      "ToStepArray",    "InitIndexArray",     "LastIndexArray",
      "IndexArray",     "FromIndexArray",     "ToIndexArray",
      "CoordArray",     "RedArrayLength",     "LocElmLength",
      "LengthArray",    "InitLowShdIndex",    "LastLowShdIndex",
      "InitHiShdIndex", "LastHiShdIndex",     "Lower",
      "Upper",          "AxisWeightAddr",     "index"};
  constexpr std::array<std::string_view, 23> kinds = {
      "Rank",         "TypeSize",     "AxisArray",   "CoeffArray",   "ParamCount",   "NewSign",
      "RedArrayType", "FullShdSign",  "MaxShdCount", "ShdSignArray", "AcrossType",   "DoPL",
      "Run",          "AMVAxisCount", "AMVAxisDiv",  "MemoryCount",  "AddrNumber",   "StaticSign",
      "Step",         "QDim",         "DelRedSign",  "DelBufSign",   "PeriodicArray"};
  if (contains(sizes, name) || ((function == "dvm_fread" || function == "dvm_read") &&
                                (name == "Size" || name == "Count" || name == "Res"))) {
    return ParameterRole::size;
  }
  return contains(kinds, name) ? ParameterRole::kind : ParameterRole::free;
}

}  // namespace

SizedParameters::SizedParameters(std::string_view text) {
  for (std::size_t equals = text.find('='); equals != std::string_view::npos;
       equals = text.find('=', equals + 1)) {
    std::size_t end = equals;
    while (end > 0 && is_blank(text[end - 1])) {
      --end;
    }
    // Back over [i] and [i][j], then over the name.
    std::size_t index = end;
    while (index > 0 && text[index - 1] == ']') {
      const std::size_t open = text.rfind('[', index - 1);
      if (open == std::string_view::npos) {
        break;
      }
      index = open;
    }
    std::size_t name = index;
    while (name > 0 && is_in_name(text[name - 1])) {
      --name;
    }
    std::size_t value = equals + 1;
    while (value < text.size() && is_blank(text[value])) {
      ++value;
    }
    SizedParameter parameter{.name = text.substr(name, index - name),
                             .index = text.substr(index, end - index),
                             .digits = {},
                             .at = value,
                             .nth = 0,
                             .value = 0};
    const auto read =
        std::from_chars(text.data() + value, text.data() + text.size(), parameter.value);
    const std::size_t size = static_cast<std::size_t>(read.ptr - (text.data() + value));
    const std::size_t after = value + size;
    const bool ended =
        after == text.size() || is_blank(text[after]) || text[after] == ';' || text[after] == '\n';
    if (read.ec != std::errc{} || !ended || parameter.name.empty() || is_address(parameter.name)) {
      continue;
    }
    parameter.digits = text.substr(value, size);
    parameter.nth = static_cast<std::size_t>(
        std::count_if(all_.begin(), all_.end(), [&](const SizedParameter& other) {
          return other.name == parameter.name && other.index == parameter.index;
        }));
    all_.push_back(parameter);
  }
}

std::optional<std::int64_t> SizedParameters::value_of(std::string_view name,
                                                      std::string_view index) const {
  const auto found = std::find_if(all_.begin(), all_.end(), [&](const SizedParameter& other) {
    return other.name == name && other.index == index;
  });
  return found == all_.end() ? std::nullopt : std::optional(found->value);
}

bool SizedParameters::is_unread(const SizedParameter& parameter) const {
  for (const bool from : {true, false}) {
    const auto named = [from](std::string_view end) {
      return (from ? "From" : "To") + std::string(end);
    };
    const bool last = parameter.name == named("LastIndexArray");
    if (last || parameter.name == named("StepArray")) {
      const auto first = value_of(named("InitIndexArray"), parameter.index);
      return first == -1 ||
             (!last && first && first == value_of(named("LastIndexArray"), parameter.index));
    }
  }
  const bool coefficient = parameter.name == "CoeffArray";
  if (!coefficient && parameter.name != "ConstArray") {
    return false;
  }
  const auto axis = value_of("AxisArray", parameter.index);
  return axis && (*axis < 0 || (coefficient && *axis == 0));
}

ParameterRole SizedParameters::role(const SizedParameter& parameter,
                                    std::string_view function) const {
  return is_unread(parameter) ? ParameterRole::free : role_of(parameter.name, function);
}

std::optional<std::int64_t> SizedParameters::find(const SizedParameter& wanted) const {
  const auto found = std::find_if(all_.begin(), all_.end(), [&](const SizedParameter& other) {
    return other.name == wanted.name && other.index == wanted.index && other.nth == wanted.nth;
  });
  return found == all_.end() ? std::nullopt : std::optional(found->value);
}

}  // namespace gridcast::trace
