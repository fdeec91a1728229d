#include "description_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <variant>

#include "gridcast/base/error.h"
#include "gridcast/trace/program.h"

namespace gridcast::variants {
namespace {

/// Seconds per iteration of the loop on a line of a source, from a recorded trace.
double time_of_loop(const std::filesystem::path& path, std::int64_t line) {
  const trace::Program program = trace::read_program(path);
  std::map<trace::Slot, double> iterations;
  double seconds = 0.0;
  double done = 0.0;
  for (const trace::Record& record : program.records) {
    const trace::Call& call = program.calls[record.call];
    if (const auto* mapped = std::get_if<trace::MapLoop>(&call)) {
      double count = 1.0;
      for (std::size_t i = 0; i < mapped->first.size(); ++i) {
        const std::int64_t steps = (mapped->last[i] - mapped->first[i]) / mapped->step[i] + 1;
        count *= static_cast<double>(std::max<std::int64_t>(0, steps));
      }
      iterations[mapped->loop] = count;
    } else if (const auto* run = std::get_if<trace::RunLoop>(&call)) {
      if (program.places[record.place].line == line) {
        seconds += record.call_time;
        done += run->continues ? 0.0 : iterations[run->loop];
      }
    }
  }
  if (!(done > 0.0)) {
    throw InputError(path.string(), 0, "has no parallel loop of line " + std::to_string(line),
                     "expected line = the LINE of its dopl_ calls");
  }
  return seconds / done;
}

std::string text_of(const toml::node& node) {
  if (const auto text = node.value<std::string>()) {
    return *text;
  }
  return fmt::format("{}", node.value<double>().value_or(0.0));
}

class Applier {
public:
  Applier(const Changes& changes, toml::table& description)
      : changes_(changes), description_(description) {}

  void run() {
    std::set<std::string> names;
    for (const char* key : {"array", "template"}) {
      change_named(key, names);
    }
    if (toml::array* statements = description_["do"].as_array()) {
      walk(*statements);
    }
    require_used(changes_.arrays, names, "array or template");
    require_used(changes_.statements, labels_, "statement with the label");
  }

private:
  [[noreturn]] void fail(const std::string& problem, const std::string& remedy) const {
    throw InputError(changes_.file, changes_.line, problem, remedy);
  }

  void require_used(const std::map<std::string, toml::table>& given,
                    const std::set<std::string>& names, const std::string& what) const {
    for (const auto& [name, table] : given) {
      if (!names.contains(name)) {
        std::string known;
        for (const std::string& one : names) {
          known += known.empty() ? "" : ", ";
          known += one;
        }
        fail("the program has no " + what + " '" + name + "'",
             known.empty() ? "expected none" : "expected one of " + known);
      }
    }
  }

  void change_named(const char* key, std::set<std::string>& names) const {
    toml::array* list = description_[key].as_array();
    if (list == nullptr) {
      return;
    }
    for (toml::node& node : *list) {
      toml::table* table = node.as_table();
      const auto name = table == nullptr ? std::nullopt : (*table)["name"].value<std::string>();
      if (!name) {
        continue;  // the generator says what is missing
      }
      names.insert(*name);
      if (const auto found = changes_.arrays.find(*name); found != changes_.arrays.end()) {
        replace_mapping(*table, found->second);
      }
    }
  }

  /// One kind of mapping takes the place of the other.
  static void replace_mapping(toml::table& array, const toml::table& changes) {
    if (changes.contains("distribute")) {
      array.erase("align");
      array.erase("index");
    }
    if (changes.contains("align")) {
      for (const char* key : {"distribute", "processors", "weights", "blocks"}) {
        array.erase(key);
      }
    }
    merge(array, changes);
  }

  static void merge(toml::table& into, const toml::table& changes) {
    for (const auto& [key, value] : changes) {
      value.visit([&, name = std::string(key.str())](const auto& typed) {
        into.insert_or_assign(name, typed);
      });
    }
  }

  [[nodiscard]] bool is_wanted(const toml::table& statement) const {
    const auto when = statement["when"].value<std::string>();
    const auto unless = statement["unless"].value<std::string>();
    return (!when || changes_.features.contains(*when)) &&
           (!unless || !changes_.features.contains(*unless));
  }

  void walk(toml::array& statements) {
    for (std::size_t i = 0; i < statements.size();) {
      toml::table* statement = statements[i].as_table();
      if (statement == nullptr) {
        fail("a statement of the program is no table", "expected [[do]]");
      }
      if (const auto label = (*statement)["label"].value<std::string>()) {
        labels_.insert(*label);
        if (const auto found = changes_.statements.find(*label);
            found != changes_.statements.end()) {
          merge(*statement, found->second);
        }
      }
      if (!is_wanted(*statement)) {
        statements.erase(statements.begin() + static_cast<std::ptrdiff_t>(i));
        continue;
      }
      set_time(*statement);
      if (toml::array* inner = (*statement)["do"].as_array()) {
        walk(*inner);
      }
      if (toml::array* cases = (*statement)["case"].as_array()) {
        for (toml::node& one : *cases) {
          toml::table* table = one.as_table();
          if (toml::array* inner = table == nullptr ? nullptr : (*table)["do"].as_array()) {
            walk(*inner);
          }
        }
      }
      ++i;
    }
  }

  void set_time(toml::table& statement) {
    statement.erase("when");
    statement.erase("unless");
    if (const toml::table* counts = statement["ops"].as_table()) {
      std::string sum;
      for (const auto& [key, count] : *counts) {
        const auto cost = changes_.costs.find(std::string(key.str()));
        if (cost == changes_.costs.end()) {
          fail("the operation '" + std::string(key.str()) + "' has no cost",
               "expected it in [costs], in seconds");
        }
        sum +=
            fmt::format("{}({}) * {:.17f}", sum.empty() ? "" : " + ", text_of(count), cost->second);
      }
      statement.erase("ops");
      statement.insert_or_assign("time", sum.empty() ? std::string("0") : sum);
    }
    if (const toml::table* from = statement["time_from"].as_table()) {
      const auto trace = (*from)["trace"].value<std::string>();
      const auto line = (*from)["line"].value<std::int64_t>();
      if (!trace || !line) {
        fail("time_from names no loop", "expected time_from = {trace = \"a.ptr\", line = N}");
      }
      const double time =
          time_of_loop((std::filesystem::path(changes_.folder) / *trace).lexically_normal(), *line);
      statement.erase("time_from");
      statement.insert_or_assign("time", time);
    }
  }

  const Changes& changes_;
  toml::table& description_;
  std::set<std::string> labels_;
};

void find_branches(const toml::array& statements, const std::string& file, std::size_t line,
                   std::vector<FoundBranch>& found) {
  for (const toml::node& node : statements) {
    const toml::table& statement = *node.as_table();
    if (const toml::array* inner = statement["do"].as_array()) {
      find_branches(*inner, file, line, found);
    }
    const auto name = statement["branch"].value<std::string>();
    const toml::array* cases = statement["case"].as_array();
    if (!name && cases == nullptr) {
      continue;
    }
    const auto fail = [&](const std::string& problem) {
      throw InputError(file, line, problem,
                       "expected branch = \"name\" with [[do.case]], each with a probability");
    };
    if (!name || cases == nullptr || cases->empty()) {
      fail("a branch has no name or no cases");
    }
    FoundBranch branch{*name, {}};
    double sum = 0.0;
    for (const toml::node& one : *cases) {
      const toml::table* table = one.as_table();
      const auto probability =
          table == nullptr ? std::nullopt : (*table)["probability"].value<double>();
      if (!probability || !(*probability >= 0.0) || *probability > 1.0) {
        fail("a case of the branch '" + *name + "' has no probability from 0 to 1");
      }
      branch.probabilities.push_back(*probability);
      sum += *probability;
      if (const toml::array* inner = (*table)["do"].as_array()) {
        find_branches(*inner, file, line, found);
      }
    }
    constexpr double rounding = 1e-9;
    if (sum > 1.0 + rounding) {
      fail("the probabilities of the branch '" + *name + "' are more than 1 together");
    }
    if (sum < 1.0 - rounding) {
      branch.probabilities.push_back(1.0 - sum);  // nothing is done
    }
    if (std::ranges::any_of(found, [&](const FoundBranch& one) { return one.name == *name; })) {
      fail("the branch '" + *name + "' is there twice");
    }
    found.push_back(std::move(branch));
  }
}

class Expander {
public:
  explicit Expander(const Expansion& expansion) : expansion_(expansion) {}

  toml::array run(const toml::array& statements) {
    toml::array result;
    for (const toml::node& node : statements) {
      const toml::table& statement = *node.as_table();
      if (const auto branch = statement["branch"].value<std::string>()) {
        take_branch(*branch, *statement["case"].as_array(), result);
        continue;
      }
      toml::table copy = statement;
      const std::string place = place_of(statement);
      copy.erase("label");
      if (const toml::array* inner = statement["do"].as_array()) {
        copy.insert_or_assign("do", run(*inner));
      } else if (expansion_.marked) {
        copy = marked(std::move(copy), next_, place);
        ++next_;
      }
      result.push_back(std::move(copy));
    }
    return result;
  }

private:
  void take_branch(const std::string& name, const toml::array& cases, toml::array& result) {
    if (name == expansion_.counted) {
      result.push_back(marked(toml::table{{"compute", 0.0}}, counted_mark, name));
      return;
    }
    const auto chosen = expansion_.choice.find(name);
    const std::size_t number = chosen == expansion_.choice.end() ? 0 : chosen->second;
    if (number >= cases.size()) {
      return;  // the case in which nothing is done
    }
    if (const toml::array* inner = (*cases[number].as_table())["do"].as_array()) {
      for (toml::node& statement : run(*inner)) {
        result.push_back(*statement.as_table());
      }
    }
  }

  toml::table marked(toml::table statement, std::int64_t number, const std::string& place) {
    if (expansion_.places != nullptr) {
      (*expansion_.places)[number] = place;
    }
    toml::table interval;
    interval.insert_or_assign("interval", "user");
    interval.insert_or_assign("expression", number);
    toml::array inner;
    inner.push_back(std::move(statement));
    interval.insert_or_assign("do", std::move(inner));
    return interval;
  }

  /// The label, else what the statement does.
  static std::string place_of(const toml::table& statement) {
    if (const auto label = statement["label"].value<std::string>()) {
      return *label;
    }
    for (const char* key :
         {"loop", "exchange", "copy", "wait", "redistribute", "realign", "compute", "io"}) {
      if (const toml::node* node = statement.get(key)) {
        const toml::array* list = node->as_array();
        std::string text = list == nullptr ? text_of(*node) : "";
        for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
          text += (i == 0 ? "" : ", ") + text_of((*list)[i]);
        }
        return std::string(key) + " " + text;
      }
    }
    return "statement";
  }

  const Expansion& expansion_;
  std::int64_t next_ = 1;
};

}  // namespace

void apply(const Changes& changes, toml::table& description) {
  Applier(changes, description).run();
}

std::vector<FoundBranch> branches_of(const toml::table& description, const std::string& file,
                                     std::size_t line) {
  std::vector<FoundBranch> found;
  if (const toml::array* statements = description["do"].as_array()) {
    find_branches(*statements, file, line, found);
  }
  return found;
}

std::string expanded(const toml::table& description, const Expansion& expansion) {
  toml::table result = description;
  if (const toml::array* statements = description["do"].as_array()) {
    result.insert_or_assign("do", Expander(expansion).run(*statements));
  }
  std::ostringstream text;
  text << toml::toml_formatter{result};
  return text.str();
}

}  // namespace gridcast::variants
