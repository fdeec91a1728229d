/// Reads files of variants.

#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "description_text.h"
#include "gridcast/base/error.h"
#include "gridcast/base/toml_values.h"
#include "gridcast/trace/program.h"
#include "gridcast/variants/variants.h"

namespace gridcast::variants {
namespace {

toml::table parsed(const std::filesystem::path& path) {
  return parse_toml(toml_text(path, "a TOML file"), path.string(), "see docs/analysis.md");
}

std::map<std::string, std::size_t> as_choice(const BranchChoice& choice,
                                             const std::vector<Branch>& branches) {
  std::map<std::string, std::size_t> result = choice;
  for (const Branch& branch : branches) {
    result.try_emplace(branch.name, branch.usual());
  }
  return result;
}

}  // namespace

std::size_t Branch::usual() const {
  const auto most = std::ranges::max_element(cases, {}, &BranchCase::probability);
  return static_cast<std::size_t>(most - cases.begin());
}

std::string Variant::description(const BranchChoice& choice, bool marked) const {
  const Expansion expansion{as_choice(choice, branches), marked, {}, nullptr};
  return expanded(toml::parse(base_), expansion) + given_;
}

std::map<std::int64_t, std::string> Variant::places(const BranchChoice& choice) const {
  std::map<std::int64_t, std::string> places;
  const Expansion expansion{as_choice(choice, branches), true, {}, &places};
  static_cast<void>(expanded(toml::parse(base_), expansion));
  return places;
}

std::string Variant::generated(const std::string& description) const {
  std::ostringstream text;
  try {
    trace::generate_trace(description, program_, text, parameters);
  } catch (const InputError& error) {
    throw InputError(file_, line,
                     "the variant '" + name + "' of " + program_ + ": " + error.problem(),
                     error.remedy());
  }
  return text.str();
}

trace::Description Variant::settings() const {
  std::ostringstream text;
  return trace::generate_trace(description({}), program_, text, parameters).description;
}

std::string Variant::trace(const BranchChoice& choice, bool marked) const {
  return generated(description(choice, marked));
}

/// Reads the tables of one file.
class VariantsReader : private TomlValues {
public:
  VariantsReader(const std::filesystem::path& path, const trace::ParameterValues& values)
      : TomlValues(path.string()), name_(file()), values_(values), root_(parsed(path)) {}

  VariantsFile read() {
    only(root_, {"program", "machine", "set", "processors", "grids", "search", "costs", "variant"},
         "the file of variants");
    VariantsFile file;
    file.file = name_;
    file.program = named(root_, "program");
    file.machine = named(root_, "machine");
    program_ = parsed(file.program);
    take_parameters();
    costs_ = costs_of(root_);
    const toml::array* variants = root_["variant"].as_array();
    if (variants == nullptr || variants->empty()) {
      refuse(1, "has no variants", "expected [[variant]] with a name");
    }
    for (const toml::node& node : *variants) {
      const toml::table* table = node.as_table();
      if (table == nullptr) {
        refuse(line_of(node), "a variant is no table", "expected [[variant]]");
      }
      Variant variant = read_variant(*table, file.program.string());
      if (std::ranges::any_of(file.variants,
                              [&](const Variant& one) { return one.name == variant.name; })) {
        refuse(variant.line, "the variant '" + variant.name + "' is there twice",
               "expected each name once");
      }
      file.variants.push_back(std::move(variant));
    }
    file.settings = file.variants.front().settings();
    return file;
  }

private:
  std::filesystem::path named(const toml::table& table, const std::string& key) const {
    const toml::node* node = table.get(key);
    if (node == nullptr || !node->is_string()) {
      refuse(1, "does not name its " + key, "expected " + key + " = \"FILE\"");
    }
    return path(*node, key);
  }

  /// The parameters in the order of the description, which a table does not keep.
  void take_parameters() {
    const toml::table* table = program_["parameters"].as_table();
    if (table == nullptr) {
      return;
    }
    std::map<std::pair<std::size_t, std::size_t>, std::string> lines;
    for (const auto& [key, value] : *table) {
      std::ostringstream line;
      value.visit([&, name = std::string(key.str())](const auto& typed) {
        line << toml::toml_formatter{toml::table{{name, typed}}};
      });
      const toml::source_position& place = key.source().begin;
      lines[{place.line, place.column}] = line.str();
    }
    parameters_ = "\n[parameters]\n";
    for (const auto& [place, line] : lines) {
      parameters_ += line + "\n";
    }
    program_.erase("parameters");
  }

  Costs costs_of(const toml::table& table) const {
    Costs costs;
    if (const toml::table* given = table["costs"].as_table()) {
      for (const auto& [key, value] : *given) {
        const auto seconds = value.value<double>();
        if (!seconds || !(*seconds >= 0.0) || !std::isfinite(*seconds)) {
          refuse(key.source().begin.line, "the cost of '" + std::string(key.str()) + "' is no time",
                 "expected seconds");
        }
        costs[std::string(key.str())] = *seconds;
      }
    }
    return costs;
  }

  static std::string value_text(const toml::node& node) {
    if (const auto text = node.value_exact<std::string>()) {
      return *text;
    }
    std::ostringstream text;
    node.visit([&](const auto& value) { text << value; });
    return text.str();
  }

  void add_parameters(const toml::table& table, trace::ParameterValues& values) const {
    if (const toml::table* set = table["set"].as_table()) {
      for (const auto& [key, value] : *set) {
        values.emplace_back(std::string(key.str()), value_text(value));
      }
    }
  }

  /// Grids of the variant, else those of the whole file.
  void read_grids(const toml::table& table, Variant& variant) const {
    const auto has = [](const toml::table& one) {
      return one.contains("processors") || one.contains("grids") || one.contains("search");
    };
    const toml::table& from = has(table) ? table : root_;
    if (!has(from)) {
      refuse(variant.line, "the variant '" + variant.name + "' has no grids",
             "expected processors = [8, 64], grids = [\"4x2\"] or search = {mode = 4}");
    }
    if (const toml::node* node = from.get("processors")) {
      const toml::array* list = node->as_array();
      for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
        const auto count = (*list)[i].value_exact<std::int64_t>();
        if (!count || *count < 1) {
          refuse(line_of(*node), "processors is no list of numbers of processors",
                 "expected processors = [1, 8, 64]");
        }
        variant.processors.push_back(*count);
      }
      if (variant.processors.empty()) {
        refuse(line_of(*node), "processors is no list", "expected processors = [1, 8, 64]");
      }
    }
    if (const toml::node* node = from.get("grids")) {
      const toml::array* list = node->as_array();
      for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
        try {
          variant.grids.push_back(
              machine::Grid::parse((*list)[i].value_exact<std::string>().value_or("")));
        } catch (const InputError& error) {
          refuse(line_of(*node), error.problem(), error.remedy());
        }
      }
    }
    if (const toml::node* node = from.get("search")) {
      read_search(*node, variant);
    }
  }

  void read_search(const toml::node& node, Variant& variant) const {
    const toml::table* given = node.as_table();
    if (given == nullptr) {
      refuse(line_of(node), "search is no table",
             "expected search = {mode = 4, max_processors = 64}");
    }
    only(*given, {"mode", "max_processors"}, "search");
    GridSearch search;
    search.mode = (*given)["mode"].value_or(std::int64_t{4});
    if (search.mode < 1 || search.mode > 5) {
      refuse(line_of(node), "there is no mode " + std::to_string(search.mode), "expected 1 to 5");
    }
    if (given->contains("max_processors")) {
      search.max_processors = (*given)["max_processors"].value_or(std::int64_t{0});
      if (*search.max_processors < 1) {
        refuse(line_of(node), "max_processors is no number of processors", "expected at least 1");
      }
    }
    variant.search = search;
  }

  std::map<std::string, toml::table> tables_in(const toml::table& table, const char* key) const {
    std::map<std::string, toml::table> result;
    const toml::node* node = table.get(key);
    if (node == nullptr) {
      return result;
    }
    if (!node->is_table()) {
      refuse(line_of(*node), std::string(key) + " is no table",
             "expected " + std::string(key) + " = {NAME = {KEY = VALUE}}");
    }
    for (const auto& [name, value] : *node->as_table()) {
      if (!value.is_table()) {
        refuse(name.source().begin.line, "'" + std::string(name.str()) + "' is no table",
               "expected NAME = {KEY = VALUE}");
      }
      result.emplace(std::string(name.str()), *value.as_table());
    }
    return result;
  }

  Variant read_variant(const toml::table& table, const std::string& program) {
    only(table,
         {"name", "set", "processors", "grids", "search", "arrays", "statements", "with", "costs"},
         "a variant");
    Variant variant;
    variant.line = line_of(table);
    variant.file_ = name_;
    variant.program_ = program;
    variant.name = table["name"].value<std::string>().value_or("");
    if (variant.name.empty()) {
      refuse(variant.line, "a variant has no name", "expected name = \"...\"");
    }
    read_grids(table, variant);
    add_parameters(root_, variant.parameters);
    add_parameters(table, variant.parameters);
    variant.parameters.insert(variant.parameters.end(), values_.begin(), values_.end());
    Changes changes{name_,
                    variant.line,
                    {},
                    tables_in(table, "arrays"),
                    tables_in(table, "statements"),
                    costs_,
                    std::filesystem::path(program).parent_path().string()};
    for (const auto& [operation, seconds] : costs_of(table)) {
      changes.costs[operation] = seconds;
    }
    if (const toml::array* features = table["with"].as_array()) {
      for (const toml::node& feature : *features) {
        changes.features.insert(feature.value<std::string>().value_or(""));
      }
    }
    toml::table description = program_;
    apply(changes, description);
    std::ostringstream text;
    text << toml::toml_formatter{description};
    variant.base_ = text.str();
    variant.given_ = parameters_;
    add_branches(description, variant);
    static_cast<void>(variant.trace({}));  // whatever the generator refuses shows here
    return variant;
  }

  /// Branches and how often the program comes to them.
  void add_branches(const toml::table& description, Variant& variant) const {
    for (const FoundBranch& found : branches_of(description, name_, variant.line)) {
      Branch branch{found.name, {}, 0.0};
      for (const double probability : found.probabilities) {
        branch.cases.push_back({probability});
      }
      variant.branches.push_back(std::move(branch));
    }
    for (Branch& branch : variant.branches) {
      const Expansion expansion{as_choice({}, variant.branches), false, branch.name, nullptr};
      const trace::Program program = trace::parse_program(
          variant.generated(expanded(description, expansion) + parameters_), variant.program_);
      for (const trace::Record& record : program.records) {
        const auto* interval = std::get_if<trace::BeginInterval>(&program.calls[record.call]);
        branch.executions +=
            interval != nullptr && interval->expression == counted_mark ? 1.0 : 0.0;
      }
    }
  }

  std::string name_;
  const trace::ParameterValues& values_;
  toml::table root_;
  toml::table program_;
  std::string parameters_;  ///< of the program, as TOML
  Costs costs_;
};

VariantsFile read_variants(const std::filesystem::path& path,
                           const trace::ParameterValues& values) {
  return VariantsReader(path, values).read();
}

}  // namespace gridcast::variants
