#include "par_description.h"

#include <algorithm>
#include <map>
#include <utility>

#include "gridcast/base/error.h"
#include "par_tokens.h"

namespace gridcast::machine::par {
namespace {

/// Puts the statements of the 2010 format together.
class Describer {
public:
  explicit Describer(const std::string& file) : file_(file) {}

  Description run(std::span<const Statement> statements) {
    for (const Statement& statement : statements) {
      if (statement.attribute.empty()) {
        setting_or_definition(statement);
      }
    }
    if (result_.top.empty()) {
      throw InputError(file_, 0, "no top cluster is named",
                       "expected a statement cluster = NAME; (or the 2000 format: type, start "
                       "time, send byte time, power)");
    }
    // The order of the file is free, so attributes wait until every name is known.
    for (const Statement& statement : statements) {
      if (!statement.attribute.empty()) {
        attribute(statement);
      }
    }
    return std::move(result_);
  }

private:
  void setting_or_definition(const Statement& statement) {
    const std::string key = lowered(statement.key);
    if (key.find(' ') != std::string::npos) {
      throw InputError(file_, statement.line, "unknown statement " + in_quotes(statement.key),
                       "expected NAME = PERFORMANCE; NAME = {...}; or NAME.ATTRIBUTE = VALUE;");
    }
    if (key == "cluster" || key == "search" || key == "topology") {
      once(key, statement);
      setting(key, statement);
    } else {
      once("definition of " + key, statement);
      define(statement);
    }
  }

  void once(const std::string& what, const Statement& statement) {
    const auto [found, fresh] = first_lines_.emplace(what, statement.line);
    if (!fresh) {
      throw InputError(file_, statement.line,
                       in_quotes(statement.subject()) + " is given twice, first in line " +
                           std::to_string(found->second),
                       "expected one such statement");
    }
  }

  void setting(const std::string& key, const Statement& statement) {
    if (key == "search") {
      result_.search_mode = search_mode(statement, file_);
    } else if (key == "topology") {
      result_.topology = topology(statement, file_);
      result_.topology_line = statement.line;
    } else if (const auto* word = std::get_if<Word>(&statement.value)) {
      result_.top = word->text;
      result_.top_line = statement.line;
    } else {
      throw InputError(file_, statement.value_line, "'cluster' names no cluster",
                       "expected cluster = NAME;");
    }
  }

  void define(const Statement& statement) {
    Definition definition;
    definition.name = statement.key;
    definition.line = statement.line;
    if (const auto* list = std::get_if<List>(&statement.value)) {
      for (const ListEntry& entry : list->entries) {
        definition.parts.push_back(part(entry, statement));
      }
    } else if (std::holds_alternative<Number>(statement.value)) {
      definition.performance = performance(statement, file_);
    } else {
      throw InputError(file_, statement.value_line,
                       in_quotes(statement.key) + " is neither a processor nor a cluster",
                       "expected a performance like 1.00 or parts like {4 x node}");
    }
    index_.emplace(lowered(definition.name), result_.definitions.size());
    result_.definitions.push_back(std::move(definition));
  }

  [[nodiscard]] Part part(const ListEntry& entry, const Statement& statement) const {
    if (entry.name.empty() || !entry.arguments.empty()) {
      throw InputError(file_, entry.line,
                       "a part of " + in_quotes(statement.key) +
                           (entry.name.empty() ? " has a count but no name" : " has two counts"),
                       "expected COUNT x NAME");
    }
    Part result{1, entry.name, entry.line};
    if (entry.number) {
      result.count = count(*entry.number, entry.line, "count of " + in_quotes(entry.name), file_);
    }
    return result;
  }

  void attribute(const Statement& statement) {
    const auto found = index_.find(lowered(statement.key));
    if (found == index_.end()) {
      throw InputError(file_, statement.line, "unknown cluster " + in_quotes(statement.key),
                       "expected the name of a cluster that the file defines as NAME = {...};");
    }
    Definition& definition = result_.definitions[found->second];
    if (set_mark(definition, statement, file_)) {
      once("attribute of " + found->first + "." + lowered(statement.attribute), statement);
      return;
    }
    if (definition.is_processor() && lowered(statement.attribute) == "threads") {
      once("attribute of " + found->first + ".threads", statement);
      definition.threads = threads(statement, file_);
      return;
    }
    if (definition.is_processor()) {
      throw InputError(
          file_, statement.line,
          in_quotes(statement.key) + " is a processor and has no " + in_quotes(statement.attribute),
          "expected Price, Threads or an attribute of a cluster {...}");
    }
    const std::string of = "attribute of " + found->first + ".";
    if (lowered(statement.attribute) == "commtype") {
      once(of + "commtype", statement);
      definition.comm = comm(statement, file_);
      definition.comm_line = statement.line;
      return;
    }
    if (const std::size_t number = library_cost_named(statement.attribute);
        number < library_cost_count) {
      once(of + lowered(statement.attribute), statement);
      definition.library[number] = microseconds(statement, file_);
      definition.library_line = statement.line;
      return;
    }
    if (lowered(statement.attribute) == "allreduce") {
      once(of + "allreduce", statement);
      definition.allreduce = allreduce(statement, file_);
      definition.library_line = statement.line;
      return;
    }
    if (lowered(statement.attribute) == "segments") {
      once(of + "segments", statement);
      definition.segments = segments(statement, file_);
      definition.segments_line = statement.line;
      return;
    }
    const CostName name = cost_named(statement.attribute);
    if (name.costs.empty()) {
      throw InputError(file_, statement.line, "unknown attribute " + in_quotes(statement.attribute),
                       "expected CommType, TStart, TByte, Segments, EagerLimit, DetachLimit, Price "
                       "or IsNode; of "
                       "a network of ports TSend, TRecv or "
                       "TGap (LogGP: L, o, o_s, o_r, g, G); of the top cluster TCollective, TLoad, "
                       "TPortion, TCopy, TArray or Allreduce");
    }
    for (const Cost cost : name.costs) {
      once(of + std::string(name_of(cost)), statement);
    }
    set_costs(definition, name, statement, file_);
  }

  const std::string& file_;
  Description result_;
  std::map<std::string, std::size_t> index_;        // lowered name -> definition
  std::map<std::string, std::size_t> first_lines_;  // what may be given only once -> its line
};

std::string marks_text(const Definition& definition) {
  return (definition.is_node ? definition.name + ".IsNode = yes;\n" : "") +
         (definition.price ? definition.name + ".Price = " + shortest(*definition.price) + ";\n"
                           : "");
}

}  // namespace

bool set_mark(Definition& definition, const Statement& statement, const std::string& file) {
  const std::string attribute = lowered(statement.attribute);
  if (attribute == "price") {
    definition.price = price(statement, file);
  } else if (attribute == "isnode") {
    definition.is_node = yes_or_no(statement, file);
  } else {
    return false;
  }
  definition.mark_line = statement.line;
  return true;
}

Definition* Description::find(std::string_view name) {
  const std::string wanted = lowered(name);
  const auto found = std::ranges::find_if(
      definitions, [&](const Definition& each) { return lowered(each.name) == wanted; });
  return found == definitions.end() ? nullptr : &*found;
}

Description describe(std::string_view text, const std::string& file) {
  const std::vector<Statement> all = statements(text, file);
  if (std::ranges::any_of(all, is_of_2000)) {
    return describe_2000(all, file);
  }
  // "power = 1;" alone could be a processor; without a top cluster it can only be the 2000 format.
  const auto key_is = [&](std::string_view key) {
    return std::ranges::any_of(
        all, [&](const Statement& each) { return lowered(each.subject()) == key; });
  };
  if (!key_is("cluster") && (key_is("power") || key_is("topology") || key_is("type"))) {
    return describe_2000(all, file);
  }
  return Describer(file).run(all);
}

std::string canonical_text(const Description& description) {
  std::string result = "cluster = " + description.top + ";\n";
  result += "search = " + std::to_string(description.search_mode) + ";\n";
  if (description.topology) {
    result += "topology = {";
    for (const char* separator = ""; const std::int32_t extent : description.topology->extents()) {
      result += separator + std::to_string(extent);
      separator = ", ";
    }
    result += "};\n";
  }
  for (const Definition& each : description.definitions) {
    result += "\n" + each.name + " = ";
    if (each.is_processor()) {
      result += shortest(*each.performance) + ";\n" + marks_text(each);
      if (!each.threads.empty()) {
        result += each.name + ".Threads = " + threads_text(each.threads) + ";\n";
      }
      continue;
    }
    result += "{";
    for (const char* separator = ""; const Part& part : each.parts) {
      result += separator + std::to_string(part.count) + " x " + part.name;
      separator = ", ";
    }
    result += "};\n" + marks_text(each);
    if (each.comm) {
      result += each.name + ".CommType = " +
                (each.comm->copied_from.empty() ? comm_text(each.comm->type, each.comm->channels)
                                                : each.comm->copied_from + ".CommType") +
                ";\n";
    }
    if (!each.segments.empty()) {
      result += each.name + ".Segments = " + segments_text(each.segments) + ";\n";
    }
    const auto line = [&](std::string_view name, const std::optional<double>& value) {
      if (value) {
        result += each.name + "." + std::string(name) + " = " + shortest(*value) + ";\n";
      }
    };
    for (std::size_t i = 0; i < cost_count; ++i) {
      line(name_of(static_cast<Cost>(i)), each.costs[i]);
    }
    for (std::size_t i = 0; i < library_cost_count; ++i) {
      line(library_cost_name(i), each.library[i]);
    }
    if (each.allreduce != AllreduceTable{}) {
      result += each.name + ".Allreduce = " + allreduce_text(each.allreduce) + ";\n";
    }
  }
  return result;
}

}  // namespace gridcast::machine::par
