/// Reads design files.

#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <string_view>
#include <utility>

#include "gridcast/base/error.h"
#include "gridcast/base/readable.h"
#include "gridcast/base/toml_values.h"
#include "gridcast/sweep/dataset.h"

namespace gridcast::sweep {
namespace {

/// What the table of a range may have.
constexpr std::array<std::string_view, 5> range_keys{"log", "linear", "integer", "values",
                                                     "levels"};

/// Reads the tables of one file.
class DesignReader : private TomlValues {
public:
  DesignReader(const toml::table& root, const std::string& file) : TomlValues(file), root_(root) {}

  DatasetDesign read() {
    only(root_,
         {"traces", "size", "machines", "parameters", "design", "grids", "intervals", "model"},
         "the design file");
    design_.file = file();
    read_traces();
    read_machines();
    read_parameters();
    read_design_options();
    read_grids();
    if (const toml::node* node = root_.get("intervals")) {
      design_.intervals = boolean(*node, "intervals");
    }
    read_model();
    return std::move(design_);
  }

private:
  void read_traces() {
    const toml::node* size = root_.get("size");
    const toml::node* traces = root_.get("traces");
    if ((size == nullptr) == (traces == nullptr)) {
      refuse(line_of(size != nullptr ? *size : root_), "needs either traces or sizes",
             "expected traces = [\"a.ptr\"] or size = {from = [...], values = [...]}");
    }
    if (size != nullptr) {
      read_sizes(table(*size, "size"));
      return;
    }
    for (const toml::node& element : array(*traces, "traces")) {
      std::vector<std::filesystem::path> files;
      if (element.is_array()) {
        for (const toml::node& file : array(element, "the traces of a run")) {
          files.push_back(path(file, "a trace"));
        }
      } else {
        files.push_back(path(element, "a trace"));
      }
      design_.traces.push_back(std::move(files));
    }
  }

  void read_sizes(const toml::table& given) {
    only(given, {"from", "values", "degree"}, "size");
    DatasetSizes sizes;
    const std::string example =
        "size = {from = [{trace = \"a.ptr\", size = 100}, ...], values = [150, ...]}";
    for (const toml::node& element : array(required(given, "from", example), "from")) {
      const toml::table& from = table(element, "an element of from");
      only(from, {"trace", "size"}, "from");
      sizes.from.push_back({path(required(from, "trace", example), "trace"),
                            number(required(from, "size", example), "size")});
    }
    sizes.values = numbers(required(given, "values", example), "values");
    if (const toml::node* degree = given.get("degree")) {
      sizes.options.degree = static_cast<std::size_t>(whole(*degree, "degree", 0));
    }
    design_.sizes = std::move(sizes);
  }

  void read_machines() {
    const toml::node& machines = required(root_, "machines", "machines = [\"cluster.par\"]");
    for (const toml::node& element : array(machines, "machines")) {
      design_.machines.push_back(path(element, "a machine"));
    }
  }

  void read_parameters() {
    if (const toml::node* node = root_.get("parameters")) {
      read_parameter_table(table(*node, "parameters"), "");
    }
    // Whether a name is quoted or nested must not change the design.
    std::ranges::sort(found_, {}, [](const Found& found) { return found.factor.name; });
    for (Found& found : found_) {
      design_.parameters.push_back(std::move(found.factor));
      design_.parameter_lines.push_back(found.line);
    }
  }

  /// `mvs.TStart = ...` without quotes is a table mvs in the table of parameters. A list is short
  /// for its values.
  void read_parameter_table(const toml::table& given, const std::string& prefix) {
    for (const auto& [key, value] : given) {
      const std::string name = prefix + std::string(key.str());
      const std::size_t line = key.source().begin.line;
      if (value.is_array()) {
        design::Factor factor{name, design::ValueList{numbers(value, name)}};
        checked(line, [&] { design::validate(factor); });
        found_.push_back({std::move(factor), line});
        continue;
      }
      const toml::table& range = table(value, "the parameter '" + name + "'");
      // A name has two parts at most: lists below the second are no parameters.
      const bool nested = std::ranges::all_of(range, [&prefix](const auto& entry) {
        const bool is_key = std::ranges::find(range_keys, entry.first.str()) != range_keys.end();
        return entry.second.is_table() || (prefix.empty() && entry.second.is_array() && !is_key);
      });
      if (nested && !range.empty()) {
        read_parameter_table(range, name + ".");
      } else {
        found_.push_back({parameter(range, name, line), line});
      }
    }
  }

  [[nodiscard]] design::Factor parameter(const toml::table& range, const std::string& name,
                                         std::size_t line) const {
    only(range, {"log", "linear", "integer", "values", "levels"}, "the parameter '" + name + "'");
    const std::size_t kinds = range.size() - (range.contains("levels") ? 1 : 0);
    if (kinds != 1) {
      refuse(line, "the parameter '" + name + "' needs one range",
             "expected log = [A, B], linear = [A, B], integer = [A, B] or values = [A, B, ...]");
    }
    design::Factor factor{name, {}};
    if (const toml::node* values = range.get("values")) {
      factor.range = design::ValueList{numbers(*values, "values")};
    } else if (const toml::node* integer = range.get("integer")) {
      factor.range = integer_range(*integer, name);
    } else {
      factor.range = real_range(range, name);
    }
    if (range.contains("levels") && !std::holds_alternative<design::RealRange>(factor.range)) {
      refuse(line, "the parameter '" + name + "' has levels already",
             "expected levels only with log or linear");
    }
    checked(line, [&] { design::validate(factor); });
    return factor;
  }

  [[nodiscard]] design::IntegerRange integer_range(const toml::node& node,
                                                   const std::string& name) const {
    const toml::array& ends = array(node, "integer");
    if (ends.size() != 2) {
      refuse(line_of(node), "the range of '" + name + "' is incomplete", "expected [LOW, HIGH]");
    }
    constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
    return {whole(*ends.get(0), "an end of the range", least),
            whole(*ends.get(1), "an end of the range", least)};
  }

  [[nodiscard]] design::RealRange real_range(const toml::table& range,
                                             const std::string& name) const {
    const bool logarithmic = range.contains("log");
    const toml::node& node = *range.get(logarithmic ? "log" : "linear");
    const std::vector<double> ends = numbers(node, logarithmic ? "log" : "linear");
    if (ends.size() != 2) {
      refuse(line_of(node), "the range of '" + name + "' is incomplete", "expected [LOW, HIGH]");
    }
    design::RealRange result{ends[0], ends[1], logarithmic, {}};
    if (const toml::node* levels = range.get("levels")) {
      result.levels = whole(*levels, "levels", 2);
    }
    return result;
  }

  void read_design_options() {
    const std::string example = "design = {kind = \"latin-hypercube\", runs = 100, seed = 1}";
    const toml::node* node = root_.get("design");
    if (node == nullptr) {
      if (design_.parameters.empty() && !design_.sizes) {
        design_.options.kind = design::DesignKind::full_factorial;
        return;
      }
      refuse(line_of(root_), "there is no 'design'", "expected " + example);
    }
    const toml::table& given = table(*node, "design");
    only(given, {"kind", "runs", "seed", "foldover"}, "design");
    design_.design_line = line_of(*node);
    const toml::node& kind = required(given, "kind", example);
    checked(line_of(kind),
            [&] { design_.options.kind = design::parse_design_kind(text(kind, "kind")); });
    if (const toml::node* runs = given.get("runs")) {
      design_.options.runs = whole(*runs, "runs", 1);
    }
    if (const toml::node* seed = given.get("seed")) {
      design_.options.seed = static_cast<std::uint64_t>(whole(*seed, "seed", 0));
    }
    if (const toml::node* folded = given.get("foldover")) {
      design_.options.foldover = boolean(*folded, "foldover");
    }
  }

  void read_grids() {
    const toml::node& node =
        required(root_, "grids", "grids = [\"4x2\", ...] or grids = {max_processors = 64}");
    if (node.is_table()) {
      read_limits(*node.as_table());
      return;
    }
    for (const toml::node& element : array(node, "grids")) {
      const machine::Grid grid =
          checked(line_of(element), [&] { return machine::Grid::parse(text(element, "a grid")); });
      if (std::ranges::find(design_.grids, grid) != design_.grids.end()) {
        refuse(line_of(element), "the grid " + grid.text() + " is given twice",
               "expected each grid once");
      }
      design_.grids.push_back(grid);
    }
  }

  void read_limits(const toml::table& given) {
    only(given, {"min_processors", "max_processors", "rank", "not_bad", "sample"}, "grids");
    GridLimits limits;
    if (const toml::node* least = given.get("min_processors")) {
      limits.min_processors = whole(*least, "min_processors", 1);
    }
    if (const toml::node* most = given.get("max_processors")) {
      limits.max_processors = whole(*most, "max_processors", limits.min_processors);
    }
    if (const toml::node* rank = given.get("rank")) {
      limits.rank = static_cast<int>(
          std::min<std::int64_t>(whole(*rank, "rank", 1), machine::max_grid_rank + 1));
      if (*limits.rank > machine::max_grid_rank) {
        refuse(line_of(*rank), "no grid has this rank", "expected 1, 2, 3 or 4");
      }
    }
    if (const toml::node* not_bad = given.get("not_bad")) {
      limits.not_bad = boolean(*not_bad, "not_bad");
    }
    if (const toml::node* sample = given.get("sample")) {
      limits.sample = whole(*sample, "sample", 1);
    }
    design_.limits = limits;
  }

  /// Options of the command line under their names there.
  void read_model() {
    const toml::node* node = root_.get("model");
    if (node == nullptr) {
      return;
    }
    for (const auto& [key, value] : table(*node, "model")) {
      const std::string name(key.str());
      const model::OptionRule* rule = name == "placement" ? nullptr : model::option_named(name);
      if (rule == nullptr) {
        refuse(key.source().begin.line, "unknown key '" + name + "' in model",
               "expected " + model_names());
      }
      const std::string word = model_word(value, *rule);
      checked(line_of(value), [&] {
        model::ModelOptions tried;
        model::set_option(tried, name, word);
      });
      design_.model[name] = word;
    }
  }

  static std::string model_names() {
    std::string names;
    for (const model::OptionRule& rule : model::option_rules()) {
      if (rule.name != "placement") {
        names.append(names.empty() ? "" : ", ").append(rule.name);
      }
    }
    return names;
  }

  [[nodiscard]] std::string model_word(const toml::node& node,
                                       const model::OptionRule& rule) const {
    if (const auto yes = node.value_exact<bool>(); yes && rule.words == "on|off") {
      return *yes ? "on" : "off";
    }
    const std::string name(rule.name);
    return rule.words == "SECONDS" ? exact(number(node, name)) : text(node, name);
  }

  struct Found {
    design::Factor factor;
    std::size_t line = 0;
  };

  const toml::table& root_;
  std::vector<Found> found_;  ///< parameters
  DatasetDesign design_;
};

}  // namespace

DatasetDesign parse_design(std::string_view text, const std::string& name) {
  return DesignReader(parse_toml(text, name, "expected a design file, see docs/datasets.md"), name)
      .read();
}

DatasetDesign read_design(const std::filesystem::path& path) {
  return parse_design(toml_text(path, "a design file (.toml)"), path.string());
}

}  // namespace gridcast::sweep
