// The 2000 format ([Predictor2000]): one network of equal processors, described by fixed keys.
#include <algorithm>

#include "gridcast/base/error.h"
#include "par_description.h"
#include "par_tokens.h"

namespace gridcast::machine::par {
namespace {

struct Settings {
  const Statement* type = nullptr;
  const Statement* start_time = nullptr;
  const Statement* byte_time = nullptr;
  const Statement* power = nullptr;
  const Statement* topology = nullptr;
  const Statement* search = nullptr;
};

// Where a statement belongs; null if it is none of this format.
const Statement** slot(Settings& settings, const Statement& statement) {
  const std::string key = lowered(statement.subject());
  if (key == "type") {
    return &settings.type;
  }
  if (key == "start time") {
    return &settings.start_time;
  }
  if (key == "send byte time") {
    return &settings.byte_time;
  }
  if (key == "power") {
    return &settings.power;
  }
  if (key == "topology") {
    return &settings.topology;
  }
  return key == "search" ? &settings.search : nullptr;
}

Settings collect(std::span<const Statement> statements, const std::string& file) {
  Settings result;
  for (const Statement& statement : statements) {
    const Statement** const place = slot(result, statement);
    if (place == nullptr) {
      throw InputError(file, statement.line,
                       in_quotes(statement.subject()) + " does not belong to the 2000 format",
                       "expected only type, start time, send byte time, power, topology and "
                       "search, or the 2010 format throughout");
    }
    if (*place != nullptr) {
      throw InputError(file, statement.line,
                       in_quotes(statement.subject()) + " is given twice, first in line " +
                           std::to_string((*place)->line),
                       "expected one such statement");
    }
    *place = &statement;
  }
  return result;
}

const Statement& required(const Statement* statement, const std::string& key,
                          const std::string& example, const std::string& file) {
  if (statement == nullptr) {
    throw InputError(file, 0, in_quotes(key) + " is missing",
                     "expected a statement like " + key + " = " + example);
  }
  return *statement;
}

NetworkType network_type(const Statement& statement, const std::string& file) {
  if (const auto* word = std::get_if<Word>(&statement.value)) {
    if (lowered(word->text) == "network") {
      return NetworkType::ethernet;
    }
    if (lowered(word->text) == "transputer") {
      return NetworkType::transputer;
    }
  }
  throw InputError(file, statement.value_line, "'type' is no known kind of system",
                   "expected network or transputer");
}

}  // namespace

bool is_of_2000(const Statement& statement) {
  const std::string key = lowered(statement.subject());
  return key == "start time" || key == "send byte time" ||
         (key == "type" && std::holds_alternative<Word>(statement.value));
}

Description describe_2000(std::span<const Statement> statements, const std::string& file) {
  const Settings settings = collect(statements, file);
  const Statement& type = required(settings.type, "type", "network;", file);
  const Statement& start_time = required(settings.start_time, "start time", "75;", file);
  const Statement& byte_time = required(settings.byte_time, "send byte time", "0.2;", file);
  const Statement& power = required(settings.power, "power", "1.00;", file);

  Description result;
  Definition network;
  network.comm = Comm{network_type(type, file), 1, {}};
  network.comm_line = type.line;
  network.name = network.comm->type == NetworkType::transputer ? "transputer" : "network";
  network.line = type.line;
  network.costs[static_cast<std::size_t>(Cost::start)] = microseconds(start_time, file);
  network.costs[static_cast<std::size_t>(Cost::byte)] = microseconds(byte_time, file);

  std::int64_t processors = processors_without_topology;
  if (settings.topology != nullptr) {
    result.topology = topology(*settings.topology, file);
    result.topology_line = settings.topology->line;
    processors = result.topology->processors();
  }
  network.parts.push_back({processors, "processor", type.line});

  Definition processor;
  processor.name = "processor";
  processor.line = power.line;
  // `power` says how many times longer a computation takes there (docs/model.md §1). Its limits are
  // symmetrical, so the inverse keeps to them too.
  processor.performance = std::clamp(1.0 / performance(power, file), 1e-9, 1e9);

  result.top = network.name;
  result.top_line = type.line;
  if (settings.search != nullptr) {
    result.search_mode = search_mode(*settings.search, file);
  }
  result.definitions = {std::move(network), std::move(processor)};
  return result;
}

}  // namespace gridcast::machine::par
