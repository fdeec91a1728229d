// Names of what messages cost in .par files.
#include <array>

#include "par_description.h"
#include "par_tokens.h"

namespace gridcast::machine::par {
namespace {

constexpr std::array<std::string_view, cost_count> cost_names{
    "TStart", "TByte", "TSend", "TRecv", "TGap", "EagerLimit", "DetachLimit"};

constexpr std::array<std::string_view, library_cost_count> library_names{
    "TCollective", "TLoad", "TPortion", "TCopy", "TArray"};

}  // namespace

std::size_t library_cost_named(std::string_view attribute) {
  std::size_t number = 0;
  while (number < library_cost_count && lowered(library_names[number]) != lowered(attribute)) {
    ++number;
  }
  return number;
}

std::string_view library_cost_name(std::size_t number) { return library_names[number]; }

LibraryCosts library_costs(const Definition& top) {
  const auto seconds = [&](std::size_t number) { return top.library[number].value_or(0.0) / 1e6; };
  LibraryCosts costs{seconds(0), seconds(1), seconds(2), seconds(3)};
  if (top.library[4]) {
    costs.array = seconds(4);
  }
  return costs;
}

std::string_view name_of(Cost cost) { return cost_names[static_cast<std::size_t>(cost)]; }

CostName cost_named(std::string_view attribute) {
  // The one place where case counts: LogGP's gap per message is g, its gap per byte G.
  if (attribute == "g") {
    return {{Cost::gap}, true};
  }
  if (attribute == "G") {
    return {{Cost::byte}, true};
  }
  const std::string name = lowered(attribute);
  for (std::size_t i = 0; i < cost_count; ++i) {
    if (name == lowered(cost_names[i])) {
      return {{static_cast<Cost>(i)}, false};
    }
  }
  if (name == "l") {
    return {{Cost::start}, true};
  }
  if (name == "o") {
    return {{Cost::send, Cost::receive}, true};
  }
  if (name == "o_s") {
    return {{Cost::send}, true};
  }
  if (name == "o_r") {
    return {{Cost::receive}, true};
  }
  return {};
}

void set_costs(Definition& definition, const CostName& name, const Statement& statement,
               const std::string& file) {
  for (const Cost cost : name.costs) {
    const bool limit = cost == Cost::eager || cost == Cost::detach;
    definition.costs[static_cast<std::size_t>(cost)] =
        limit ? bytes(statement, file) : microseconds(statement, file);
    const bool of_ports = cost == Cost::send || cost == Cost::receive || cost == Cost::gap;
    if (definition.ports_name.empty() && (name.loggp || of_ports)) {
      definition.ports_line = statement.line;
      definition.ports_name = statement.attribute;
    }
  }
}

}  // namespace gridcast::machine::par
