#include "gridcast/rules/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <system_error>

#include "gridcast/base/error.h"
#include "gridcast/base/readable.h"
#include "gridcast/rules/min_block.h"

namespace gridcast::model {
namespace {

/// A word of an option and what it means.
template <class Value>
struct OptionWord {
  std::string_view text;
  Value value;
};
template <class Value>
OptionWord(std::string_view, Value) -> OptionWord<Value>;

constexpr std::array startup_words{OptionWord{"count", false}, OptionWord{"skip", true}};
constexpr std::array switch_words{OptionWord{"on", true}, OptionWord{"off", false}};
constexpr std::array contiguous_words{OptionWord{"last", false}, OptionWord{"first", true}};
constexpr std::array block_words{OptionWord{"ceil", mapping::BlockRule::ceil},
                                 OptionWord{"balanced", mapping::BlockRule::balanced}};
constexpr std::array pipeline_words{OptionWord{"steady", PipelineMode::steady},
                                    OptionWord{"full", PipelineMode::full},
                                    OptionWord{"exhaustive", PipelineMode::exhaustive}};
constexpr std::array engine_words{OptionWord{"fast", EngineKind::fast},
                                  OptionWord{"reference", EngineKind::reference}};
constexpr std::array process_words{OptionWord{"together", ProcessKind::together},
                                   OptionWord{"free", ProcessKind::free}};
constexpr std::array rank_words{OptionWord{"row", machine::Placement::Kind::row},
                                OptionWord{"column", machine::Placement::Kind::column}};
constexpr std::array portion_words{OptionWord{"machine", PortionChoice::machine},
                                   OptionWord{"trace", PortionChoice::trace}};

template <auto Member, const auto& words>
std::string chosen_word(const ModelOptions& options) {
  const auto found =
      std::ranges::find(words, options.*Member, [](const auto& word) { return word.value; });
  return std::string(found->text);
}

template <auto Member, const auto& words>
bool choose_word(ModelOptions& options, std::string_view text) {
  const auto found = std::ranges::find(words, text, [](const auto& word) { return word.text; });
  if (found == words.end()) {
    return false;
  }
  options.*Member = found->value;
  return true;
}

bool set_trace_cost(ModelOptions& options, std::string_view text) {
  double seconds = 0.0;
  const char* const last = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), last, seconds);
  if (error != std::errc() || rest != last || !(seconds >= 0.0 && seconds <= 1.0)) {
    return false;
  }
  options.trace_cost = seconds;
  return true;
}

std::string iterations_word(const ModelOptions& options) {
  return options.iterations == 0 ? "all" : std::to_string(options.iterations);
}

bool set_iterations(ModelOptions& options, std::string_view text) {
  constexpr std::int64_t least = 2;
  constexpr std::int64_t most = 1'000'000'000;
  if (text == "all") {
    options.iterations = 0;
    return true;
  }
  std::int64_t count = 0;
  const char* const last = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), last, count);
  if (error != std::errc() || rest != last) {
    return false;
  }
  if (count < least || count > most) {
    throw InputError(fmt::format("{} simulated iterations of a loop", count),
                     fmt::format("expected {} to {}, or all", least, most));
  }
  options.iterations = count;
  return true;
}

bool set_placement(ModelOptions& options, std::string_view text) {
  options.placement = machine::Placement::parse(text);  // says itself what is wrong
  return true;
}

template <auto Member, const auto& words>
constexpr OptionRule worded(std::string_view name, std::string_view listed, std::string_view help,
                            bool always = true) {
  return {name, listed, help, chosen_word<Member, words>, choose_word<Member, words>, always};
}

constexpr std::array option_table{
    worded<&ModelOptions::skip_startup, startup_words>(
        "startup", "count|skip", "Count or leave out the time before the first call (count)"),
    worded<&ModelOptions::block_rule, block_words>(
        "block-rule", "ceil|balanced",
        "How dimensions are cut into blocks (traces: ceil, descriptions: balanced)"),
    worded<&ModelOptions::processor_weights, switch_words>(
        "processor-weights", "on|off",
        "Blocks follow the performance of unequal processors (default: on)"),
    worded<&ModelOptions::pipeline, pipeline_words>(
        "pipeline", "steady|full|exhaustive",
        "How pipelined loops are simulated (default: steady)"),
    worded<&ModelOptions::extrapolate_iterations, switch_words>(
        "extrapolate-iterations", "on|off",
        "Simulate a sample of the iterations that make the same calls, within 0.5 %"),
    worded<&ModelOptions::engine, engine_words>(
        "engine", "fast|reference",
        "By classes of equal processors, or processor by processor: the same figures (default: "
        "fast)"),
    worded<&ModelOptions::reduction, machine::reduction_words>(
        "reduction", "linear|tree|doubling|rabenseifner|ring|auto",
        "How reductions gather and hand out values (traces: linear, descriptions: auto; ring "
        "for free processes)"),
    worded<&ModelOptions::first_contiguous, contiguous_words>(
        "contiguous", "last|first",
        "Array dimension whose elements lie side by side in memory (default: last)"),
    OptionRule{"trace-cost", "SECONDS",
               "Seconds that recording took per event line, taken off its time (default: 0)",
               [](const ModelOptions& options) { return exact(options.trace_cost); },
               set_trace_cost, true},
    // Later options are named where they are not the default: stores of earlier versions stay
    // valid.
    worded<&ModelOptions::portions, portion_words>(
        "portions", "machine|trace",
        "Cut pipelined loops by what messages cost on the machine, or in the traced run (default: "
        "machine)",
        false),
    worded<&ModelOptions::library_costs, switch_words>(
        "library-costs", "on|off",
        "Whether TCollective, TLoad, TArray and TPortion of the machine count (traces: on, "
        "descriptions: off)",
        false),
    worded<&ModelOptions::processes, process_words>(
        "processes", "together|free",
        "Whether processes wait for each other before collective operations (traces: together, "
        "descriptions: free up to 4096)",
        false),
    OptionRule{"iterations", "N|all",
               "Iterations of a loop of free processes that are simulated; the rest costs the mean "
               "of their second half (default: 64)",
               iterations_word, set_iterations, false},
    worded<&ModelOptions::ranks, rank_words>(
        "ranks", "row|column",
        "How the program numbers its ranks: by row, as MPI_Cart_create does, or by column, the "
        "first coordinate fastest (default: row)",
        false),
    OptionRule{"placement", "row|column|blocked|search",
               "Which coordinates of the grid share a node: row (the last run fastest), column, "
               "blocked (a node holds a block, blocked:4x2 this one), or search for the best "
               "(default: that of --ranks)",
               [](const ModelOptions& options) { return options.placement.text(); }, set_placement,
               false},
};

/// What is assumed of a description where it is not what is assumed of a trace.
struct DescriptionDefault {
  std::string_view name;
  std::string_view word;
};
constexpr std::array description_defaults{DescriptionDefault{"block-rule", "balanced"},
                                          DescriptionDefault{"reduction", "auto"},
                                          DescriptionDefault{"library-costs", "off"}};
/// Of --shape-traces, which is no option of a rule but changes predictions.
constexpr std::string_view shapes_word = "shapes";
/// A condition on grids, which has the default of an option of the model.
constexpr std::string_view min_block_word = "min-block";
/// It is assumed by the number of processes of a description.
constexpr std::string_view processes_word = "processes";
/// Its word is found in descriptions, too.
constexpr std::string_view reduction_word = "reduction";
/// What a call of the library takes, which only a description may say.
constexpr std::string_view overhead_word = "overhead";
/// Ranks fill the nodes in their order if nobody says where they are.
constexpr std::string_view placement_word = "placement";

void take_word(ResolvedOptions& resolved, std::string_view name, const std::string& word) {
  if (name == min_block_word) {
    resolved.min_block = MinBlock::parse(word).text();
  } else {
    set_option(resolved.options, name, word);
  }
}

/// Throws InputError for words that do not go together.
void require_possible(const ModelOptions& options) {
  if (options.processes == ProcessKind::together && options.reduction == ReductionKind::ring) {
    throw InputError("reduction 'ring' is for processes that run free",
                     "expected --reduction=linear, tree, doubling, rabenseifner or auto, or "
                     "--processes=free");
  }
  if (options.processes == ProcessKind::free && options.extrapolate_iterations) {
    throw InputError("--extrapolate-iterations is for processes that run together",
                     "expected --processes=together, or --iterations=N of free processes");
  }
}

/// The same where the description says which reduction: its place is named.
void require_possible(const ModelOptions& options, const OptionWords& given,
                      const std::optional<trace::Description>& description,
                      const std::string& file) {
  try {
    require_possible(options);
  } catch (const InputError& error) {
    if (description && !given.contains(reduction_word)) {
      if (const auto word = description->options.find(std::string(reduction_word));
          word != description->options.end() && options.reduction == ReductionKind::ring) {
        throw InputError(file, word->second.line, error.problem(), error.remedy());
      }
    }
    throw;
  }
}

/// The words of the description that the command line leaves.
void take_description(ResolvedOptions& resolved, const OptionWords& given,
                      const trace::Description& description, const std::string& file) {
  for (const auto& [name, word] : description.options) {
    if (given.contains(name)) {
      continue;
    }
    try {
      take_word(resolved, name, word.text);
    } catch (const InputError& error) {
      throw InputError(file, word.line, error.problem(), error.remedy());
    }
  }
}

}  // namespace

std::span<const OptionRule> option_rules() { return option_table; }

const OptionRule* option_named(std::string_view name) {
  const auto found = std::ranges::find(option_table, name, &OptionRule::name);
  return found == option_table.end() ? nullptr : &*found;
}

bool depends_on_input(std::string_view name) {
  return name == min_block_word || name == overhead_word || name == processes_word ||
         std::ranges::find(description_defaults, name, &DescriptionDefault::name) !=
             description_defaults.end();
}

void set_option(ModelOptions& options, std::string_view name, const std::string& word) {
  const OptionRule* rule = option_named(name);
  if (rule == nullptr) {
    throw InputError("there is no option of the model '" + std::string(name) + "'",
                     "expected one of docs/commands.md");
  }
  if (!rule->set(options, word)) {
    throw InputError(fmt::format("unknown {} '{}'", name, word),
                     fmt::format("expected {}", rule->words));
  }
}

std::string ModelOptions::text() const {
  static const ModelOptions usual;
  NamedWords words;
  for (const OptionRule& rule : option_table) {
    if (rule.name == placement_word && !shapes.empty()) {
      words.emplace_back(shapes_word, shapes);
    }
    if (std::string word = rule.word(*this); rule.always || word != rule.word(usual)) {
      words.emplace_back(rule.name, std::move(word));
    }
  }
  return words_text(words);
}

machine::LibraryCosts ModelOptions::counted(const machine::LibraryCosts& library) const {
  return library_costs ? library : machine::LibraryCosts{.copy = library.copy};
}

ResolvedOptions resolve(const OptionWords& given, const trace::Program& program) {
  return resolve(given, program.description, program.trace_file);
}

ResolvedOptions resolve(const OptionWords& given,
                        const std::optional<trace::Description>& description,
                        const std::string& file) {
  ResolvedOptions resolved;
  resolved.described = description.has_value();
  if (resolved.described) {
    resolved.min_block = "edge";
    for (const DescriptionDefault& one : description_defaults) {
      set_option(resolved.options, one.name, std::string(one.word));
    }
    take_description(resolved, given, *description, file);
    resolved.by_size = !given.contains(processes_word) &&
                       !description->options.contains(std::string(processes_word));
    if (resolved.by_size) {
      resolved.options.processes = ProcessKind::free;
    }
  }
  for (const auto& [name, word] : given) {
    take_word(resolved, name, word);
  }
  const auto said = [&](std::string_view name) {
    return given.contains(name) ||
           (description && description->options.contains(std::string(name)));
  };
  if (!said(placement_word)) {
    resolved.options.placement.kind = resolved.options.ranks;
  }
  if (!resolved.by_size) {
    require_possible(resolved.options, given, description, file);
  }
  const auto assume = [&](std::string_view name, std::string word) {
    if (!said(name)) {
      resolved.assumed.emplace_back(name, std::move(word));
    }
  };
  for (const OptionRule& rule : option_table) {
    assume(rule.name, rule.word(resolved.options));
  }
  assume(min_block_word, resolved.min_block);
  if (description && !description->overhead) {
    assume(overhead_word, "0");
  }
  return resolved;
}

void settle(ResolvedOptions& resolved, std::int64_t processes) {
  if (!resolved.by_size) {
    return;
  }
  ModelOptions& options = resolved.options;
  options.processes = processes > most_free_processes ? ProcessKind::together : ProcessKind::free;
  require_possible(options);
  for (auto& [name, word] : resolved.assumed) {
    if (name == processes_word) {
      word = option_named(name)->word(options);
    }
  }
}

OptionWords words_of(const ResolvedOptions& resolved) {
  OptionWords words{{std::string(min_block_word), resolved.min_block}};
  for (const OptionRule& rule : option_table) {
    words.emplace(rule.name, rule.word(resolved.options));
  }
  return words;
}

std::string ResolvedOptions::text() const {
  return options.text() + " " + words_text({{std::string(min_block_word), min_block}});
}

ResolvedOptions ResolvedOptions::parse(std::string_view text) {
  ResolvedOptions resolved;
  for (const auto& [name, word] : split_words(text)) {
    if (name == shapes_word) {
      resolved.options.shapes = word;
    } else {
      take_word(resolved, name, word);
    }
  }
  return resolved;
}

trace::ReadOptions read_options(const OptionWords& given) {
  ModelOptions options;
  for (const std::string_view name : {"startup", "trace-cost"}) {
    if (const auto found = given.find(name); found != given.end()) {
      set_option(options, name, found->second);
    }
  }
  return {options.skip_startup, options.trace_cost};
}

}  // namespace gridcast::model
