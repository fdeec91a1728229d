#include "gridcast/retrace/generate.h"

#include <algorithm>
#include <array>
#include <ostream>

#include "generator.h"
#include "gridcast/base/byte_source.h"
#include "gridcast/base/error.h"
#include "gridcast/trace/limits.h"
#include "preamble.h"
#include "settings.h"

namespace gridcast::trace {
namespace {

namespace fs = std::filesystem;

/// The parameters in the order of the description, so that later ones may use earlier ones.
Names parameters(const Settings& top, const std::string& name, const ParameterValues& values) {
  Names names;
  const auto table = top.table("parameters");
  const std::vector<std::string> keys = table ? table->keys() : std::vector<std::string>{};
  for (const auto& [key, value] : values) {
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
      std::string known;
      for (const std::string& one : keys) {
        known += (known.empty() ? "" : ", ") + one;
      }
      throw InputError(name, table ? table->line() : 0,
                       "the description has no parameter '" + key + "'",
                       known.empty() ? "expected [parameters]" : "expected one of " + known);
    }
  }
  for (const std::string& key : keys) {
    if (!is_name(key)) {
      table->fail(key, "no name for a parameter", "expected letters, digits and underlines");
    }
    const auto given = std::find_if(
        values.rbegin(), values.rend(),
        [&](const std::pair<std::string, std::string>& one) { return one.first == key; });
    const Settings known = table->with(names);
    names[key] =
        given == values.rend() ? known.real(key) : known.evaluated(key, given->second, names);
  }
  return names;
}

/// Options of the model at the top of a description, under their names on the command line. What
/// they may say is known where they are used.
Description settings_of(const Settings& top) {
  Description description;
  description.overhead = top.has("overhead");
  for (const auto& [key, name] : {std::pair{"reduction", "reduction"},
                                  {"block_rule", "block-rule"},
                                  {"library_costs", "library-costs"},
                                  {"processes", "processes"},
                                  {"ranks", "ranks"},
                                  {"min_block", "min-block"}}) {
    if (!top.has(key)) {
      continue;
    }
    std::string word;
    if (name == std::string_view("min-block") && !top.is_text(key)) {
      for (const std::int64_t least : top.wholes(key)) {
        if (least < 0) {
          top.fail(key, "negative", "expected \"edge\", a number from 0, or one per dimension");
        }
        word += (word.empty() ? "" : ",") + std::to_string(least);
      }
    } else {
      word = top.text(key);
    }
    description.options[name] = {word, top.line_of(key)};
  }
  return description;
}

/// The file name as the events of a trace can hold it: one word of printable characters.
std::string source_name(const std::string& name) {
  std::string file = fs::path(name).filename().string();
  std::replace_if(
      file.begin(), file.end(),
      [](char c) { return c == ' ' || c == '\x7f' || static_cast<unsigned char>(c) < ' '; }, '_');
  return file.empty() ? "program" : file;
}

}  // namespace

std::string description_text(const fs::path& path) {
  const std::string name = path.string();
  const auto source = open_source(path, name);
  std::string text;
  std::array<char, 65536> buffer{};
  constexpr std::size_t longest = std::size_t{1} << 24U;
  while (const std::size_t size = source->read(buffer)) {
    text.append(buffer.data(), size);
    if (text.size() > longest) {
      throw InputError(name, 0, "too long for a program description",
                       "expected a TOML file (docs/programs.md)");
    }
  }
  return text;
}

GenerateResult generate_calls(std::string_view description, const std::string& name,
                              std::ostream& out, const ParameterValues& values) {
  const toml::table parsed = parse_description(description, name);
  const Names none;
  Names names = parameters(Settings(parsed, name, none), name, values);
  const Settings top(parsed, name, names);
  static_cast<void>(top.table("parameters"));
  const double overhead = top.has("overhead") ? top.not_negative("overhead") : 0.0;
  if (overhead > longest_time) {
    top.fail("overhead", "longer than a run can be", "expected seconds up to 1e12");
  }
  const std::string file = source_name(name);
  Description settings = settings_of(top);

  TraceWriter writer(out);
  writer.text(new_preamble(Generator::grid_of(top), file, 1,
                           std::string(note_mark) + "generated from " + file));
  CallEmitter emitter(writer, name, file, overhead);
  Generator generator(emitter, names);
  generator.declare(top);
  generator.run(top);
  generator.flush();
  top.finish(
      "grid, overhead, reduction, block_rule, min_block, library_costs, processes, ranks, "
      "[parameters], [[processors]], [[task]], [[template]], [[array]], [[domain]], [[kernel]], "
      "[[do]]");
  writer.event("Event_", "dvm_exit", 0.0, {.function = {}, .file = file, .line = emitter.line()});
  writer.finish(name);
  settings.messages = !generator.blocks().statements.empty();
  return {.calls = emitter.calls(),
          .duration = emitter.duration(),
          .description = std::move(settings),
          .blocks = std::move(generator.blocks())};
}

GenerateResult generate_trace(std::string_view description, const std::string& name,
                              std::ostream& out, const ParameterValues& values) {
  GenerateResult result = generate_calls(description, name, out, values);
  if (!result.blocks.statements.empty()) {
    throw InputError(name, result.blocks.statements.front().line,
                     "message statements have no trace",
                     "expected a description over arrays; predict, plan and sweep take this one");
  }
  return result;
}

}  // namespace gridcast::trace
