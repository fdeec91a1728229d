#include "gridcast/calibrate/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "gridcast/base/characters.h"
#include "gridcast/base/error.h"

namespace gridcast::calibrate {
namespace {

constexpr double least_slowness = 1e-3;
constexpr double most_slowness = 1e3;

std::optional<double> number_in(std::string_view text) {
  double value = 0.0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

/// A line "KEY = VALUE;" of the canonical text of a machine.
struct StatementLine {
  std::string_view key;
  std::string_view value;
};

std::optional<StatementLine> statement_line(std::string_view line) {
  const std::size_t equals = line.find(" = ");
  if (equals == std::string_view::npos || !line.ends_with(';')) {
    return std::nullopt;
  }
  return StatementLine{line.substr(0, equals), line.substr(equals + 3, line.size() - equals - 4)};
}

template <class Take>
void for_lines(std::string_view text, const Take& take) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    take(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

/// Part of a name after the last point; empty for a processor.
std::string attribute_of(std::string_view name) {
  const std::size_t point = name.rfind('.');
  return point == std::string_view::npos ? std::string() : lowered(name.substr(point + 1));
}

/// Typical sizes of costs that are 0, microseconds and microseconds per byte.
double typical(const std::string& attribute) {
  if (attribute == "tbyte" || attribute == "tcopy") {
    return 1e-3;
  }
  if (attribute == "tcollective") {
    return 5.0;
  }
  return 1.0;
}

Parameter performance_of(const std::string& name, double value) {
  return {name, value, 1.0 / most_slowness, 1.0 / least_slowness, 1.0, false, true};
}

Parameter cost_of_machine(const std::string& name, double value) {
  constexpr double most = 1e6;
  const double scale = value > 0.0 ? value : typical(attribute_of(name));
  return {name, value, 0.0, most * scale, scale, false, false};
}

Parameter channels_of(const std::string& name, double value, std::int64_t processors) {
  // Twice as many as messages that all send to all neighbours in eight directions: nothing waits.
  constexpr double messages_per_processor = 16.0;
  const double most = std::max(value, messages_per_processor * static_cast<double>(processors));
  return {name, value, 1.0, most, value, true, false};
}

Parameter trace_cost_of(double value) {
  constexpr double typical_line = 1e-6;
  constexpr double most_seconds = 1e-3;
  return {trace_cost_name, value, 0.0, most_seconds, typical_line, false, false};
}

/// Start times and byte times of the segments of a network.
void add_segments(const machine::Cluster& cluster, const std::string& network,
                  std::vector<Parameter>& result) {
  constexpr double microseconds = 1e6;
  const auto node = std::ranges::find(cluster.nodes(), network, &machine::ClusterNode::name);
  for (const auto& [name, seconds] : machine::named_costs(node->network)) {
    if (name.starts_with("Segments.")) {
      result.push_back(cost_of_machine(network + "." + name, microseconds * seconds));
    }
  }
}

/// All that the text of the machine names.
std::vector<Parameter> named_numbers(const machine::Cluster& cluster, std::int64_t processors) {
  std::vector<Parameter> result;
  for_lines(cluster.text(), [&](std::string_view line) {
    const std::optional<StatementLine> statement = statement_line(line);
    if (!statement || statement->key == "search" || statement->key == "topology") {
      return;
    }
    const std::string name(statement->key);
    const std::string attribute = attribute_of(name);
    if (attribute == "commtype" && statement->value.starts_with("myrinet (")) {
      const std::string_view inside = statement->value.substr(9, statement->value.size() - 10);
      if (const std::optional<double> channels = number_in(inside)) {
        result.push_back(
            channels_of(name.substr(0, name.find('.')) + ".Channels", *channels, processors));
      }
    } else if (attribute == "segments") {
      add_segments(cluster, name.substr(0, name.find('.')), result);
    } else if (const std::optional<double> value = number_in(statement->value)) {
      result.push_back(attribute.empty() ? performance_of(name, *value)
                                         : cost_of_machine(name, *value));
    }
  });
  return result;
}

/// The number of this name in any case, if there is one.
const Parameter* find_number(const std::vector<Parameter>& numbers, const std::string& name) {
  const auto found = std::ranges::find_if(
      numbers, [&name](const Parameter& each) { return lowered(each.name) == lowered(name); });
  return found == numbers.end() ? nullptr : &*found;
}

/// The name of the .par file for one of LogGP; of those alone, case tells the two gaps apart.
std::string name_in_file(const std::string& name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> names{
      {{".L", ".TStart"},
       {".g", ".TGap"},
       {".G", ".TByte"},
       {".o_s", ".TSend"},
       {".o_r", ".TRecv"}}};
  for (const auto& [loggp, in_file] : names) {
    if (name.ends_with(loggp)) {
      return name.substr(0, name.size() - loggp.size()) + std::string(in_file);
    }
  }
  return name;
}

/// The number that a wish names: of the file, or an optional one that is 0 so far.
Parameter wished_number(const Wish& wish, const std::vector<Parameter>& named,
                        const machine::Cluster& cluster) {
  const std::string wanted = lowered(wish.name);
  if (wanted == trace_cost_name) {
    return trace_cost_of(0.0);
  }
  if (const Parameter* found = find_number(named, wanted)) {
    return *found;
  }
  if (wish.name.find('.') == std::string::npos) {
    throw InputError("the machine has no number '" + wish.name + "'",
                     "expected NAME of a processor, NAME.TStart or another number of a network, or "
                     "trace-cost");
  }
  // Another name of a number that the file may have: whether there is one, the machine says itself.
  machine::Cluster changed = cluster;
  changed.set(wish.name + "=0");
  return cost_of_machine(wish.name, 0.0);
}

void bound(Parameter& parameter, const Wish& wish) {
  parameter.lower = wish.lower.value_or(parameter.lower);
  parameter.upper = wish.upper.value_or(parameter.upper);
  parameter.value = std::clamp(parameter.value, parameter.lower, parameter.upper);
  if (parameter.performance && !(parameter.lower > 0.0)) {
    throw InputError("performance '" + parameter.name + "' may not be 0",
                     "expected bounds above 0");
  }
}

bool belongs_to(std::string_view key, const Parameter& parameter) {
  if (key == parameter.name) {
    return true;
  }
  const std::string owner = parameter.name.substr(0, parameter.name.find('.'));
  return attribute_of(parameter.name) == "channels" && key == owner + ".CommType";
}

std::string as_comment(const std::string& text) {
  std::string result;
  for_lines(text, [&result](std::string_view line) {
    result += line.empty() ? "//\n" : fmt::format("// {}\n", line);
  });
  return result;
}

}  // namespace

Number Parameter::number() const {
  if (performance) {
    return {name, 1.0 / value, 1.0 / upper, 1.0 / lower, 1.0 / value, false, true};
  }
  return {name, value, lower, upper, scale, integer, value > 0.0};
}

Wish Wish::parse(const std::string& text) {
  Wish wish;
  const std::size_t equals = text.find('=');
  wish.name = text.substr(0, equals);
  bool right = !wish.name.empty();
  if (equals != std::string::npos) {
    const std::string range = text.substr(equals + 1);
    const std::size_t colon = range.find(':');
    wish.lower = number_in(range.substr(0, colon));
    wish.upper = colon == std::string::npos ? std::nullopt : number_in(range.substr(colon + 1));
    right = right && wish.lower && wish.upper && *wish.lower >= 0.0 && *wish.lower <= *wish.upper;
  }
  if (!right) {
    throw InputError("--fit " + text + " names no number with bounds",
                     "expected NAME or NAME=LOW:HIGH, as mvs.TStart=0.5:20");
  }
  return wish;
}

std::vector<Parameter> parameters_of(const machine::Cluster& cluster, std::span<const Wish> wishes,
                                     std::int64_t processors) {
  std::vector<Parameter> named = named_numbers(cluster, processors);
  if (wishes.empty()) {
    return named;
  }
  const auto is_all = [](const Wish& wish) { return lowered(wish.name) == "all"; };
  std::vector<Parameter> wished;
  for (const Wish& wish : wishes) {
    if (is_all(wish)) {
      continue;
    }
    Parameter parameter =
        wished_number({name_in_file(wish.name), wish.lower, wish.upper}, named, cluster);
    if (find_number(wished, parameter.name) != nullptr) {
      throw InputError("--fit names '" + parameter.name + "' twice", "expected it once");
    }
    bound(parameter, wish);
    wished.push_back(std::move(parameter));
  }
  // In the order of the machine, the optional ones behind.
  const bool all = std::ranges::any_of(wishes, is_all);
  std::vector<Parameter> result;
  for (const Parameter& each : named) {
    if (const Parameter* chosen = find_number(wished, each.name)) {
      result.push_back(*chosen);
    } else if (all) {
      result.push_back(each);
    }
  }
  for (const Parameter& each : wished) {
    if (find_number(named, each.name) == nullptr) {
      result.push_back(each);
    }
  }
  return result;
}

machine::Cluster with_values(machine::Cluster cluster, std::span<const Parameter> parameters,
                             std::span<const double> values) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    // Without TArray copies cost what other operations do: 0 must be said.
    const bool said =
        values[i] != parameters[i].value || attribute_of(parameters[i].name) == "tarray";
    if (parameters[i].name != trace_cost_name && said) {
      cluster.set(fmt::format("{}={}", parameters[i].name, values[i]));
    }
  }
  return cluster;
}

std::string commented_text(const machine::Cluster& cluster, std::span<const Parameter> parameters,
                           std::span<const std::string> comments, const std::string& head) {
  std::string text = as_comment(head) + "\n";
  for_lines(cluster.text(), [&](std::string_view line) {
    if (const std::optional<StatementLine> statement = statement_line(line)) {
      for (std::size_t i = 0; i < parameters.size(); ++i) {
        if (belongs_to(statement->key, parameters[i])) {
          text += as_comment(comments[i]);
        }
      }
    }
    text += fmt::format("{}\n", line);
  });
  return text;
}

}  // namespace gridcast::calibrate
