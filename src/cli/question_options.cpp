#include "question_options.h"

#include <charconv>
#include <cmath>
#include <system_error>

#include "gridcast/base/error.h"
#include "gridcast/rules/min_block.h"
#include "options.h"

namespace gridcast::cli {
namespace {

/// "p1=4" or a list "p1=4,p3=1".
void read_fixed(const std::string& text, sweep::Questions& questions) {
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string entry = text.substr(begin, end - begin);
    const char* const last = entry.data() + entry.size();
    std::int64_t extent = 0;
    const bool named = entry.size() > 3 && entry[0] == 'p' && entry[1] >= '1' && entry[1] <= '4' &&
                       entry[2] == '=';
    const auto [rest, error] =
        named ? std::from_chars(entry.data() + 3, last, extent)
              : std::from_chars_result{entry.data(), std::errc::invalid_argument};
    if (error != std::errc() || rest != last || extent < 1) {
      throw InputError("--fix " + text, "expected dimensions with extents, as p2=1 or p1=4,p3=1");
    }
    questions.fixed[static_cast<std::size_t>(entry[1] - '1')] = extent;
    begin = end + 1;
  }
}

}  // namespace

double parse_share(const std::string& text) {
  double percent = 0.0;
  const char* const last = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), last, percent);
  if (error != std::errc() || std::string(rest, last) != "%" || !std::isfinite(percent) ||
      percent < 0.0) {
    throw InputError("'" + text + "' is no share", "expected a percentage of 0 or more, as 5%");
  }
  return percent / 100.0;
}

void add_questions(CLI::App& command, sweep::Questions& questions) {
  command
      .add_option_function<std::string>(
          "--threads",
          [&questions](const std::string& text) {
            questions.threads = machine::parse_threads(text);
          },
          "Choose the threads of a process among these, as fast as the machine's NAME.Threads "
          "says; "
          "a process takes a processor for each (default: 1)")
      ->type_name("N[,M...]");
  command
      .add_option("--max-processors", questions.max_processors,
                  "Most processors of a grid (default: all of the machine)")
      ->type_name("N");
  command
      .add_option_function<std::string>(
          "--processors",
          [&questions](const std::string& text) {
            questions.processors = search::ProcessorNumbers::parse(text);
          },
          "Exactly so many processors: a number, a list 60,64 or a range 64:1024:64")
      ->type_name("N");
  command
      .add_option_function<std::string>(
          "--fix", [&questions](const std::string& text) { read_fixed(text, questions); },
          "Extents that are given, as p2=1 or p1=4,p3=1")
      ->type_name("pI=N");
  command
      .add_option("--divides", questions.divides, "Every extent of the grid divides this number")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  command.add_flag("--whole-nodes", questions.whole_nodes,
                   "Only grids that use all processors of their nodes");
  command
      .add_option_function<std::string>(
          "--memory-per-processor",
          [&questions](const std::string& text) {
            questions.memory_per_processor = parse_bytes(text);
          },
          "Only grids on which arrays, edges and buffers fit into so much, as 4GB or 512MiB")
      ->type_name("BYTES");
}

void add_min_block(CLI::App& command, model::OptionWords& words) {
  command
      .add_option_function<std::string>(
          "--min-block",
          [&words](const std::string& text) {
            words["min-block"] = model::MinBlock::parse(text).text();
          },
          "Only grids whose blocks, where edges are exchanged, have so many elements (a number, or "
          "one per dimension, as 4,2) or are as long as the edges (edge); 0: all (default: 0 for "
          "traces, edge for descriptions)")
      ->type_name("0|edge|N[,M...]");
}

sweep::Questions read_conditions(const std::string& text) {
  sweep::Questions questions;
  model::OptionWords words;
  // One by one: --fix stands there for each dimension.
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(" --", begin), text.size());
    CLI::App one;
    add_questions(one, questions);
    add_min_block(one, words);
    try {
      one.parse(text.substr(begin, end - begin));
    } catch (const CLI::ParseError&) {
      throw InputError("'" + text + "' are no conditions", "expected options of gridcast sweep");
    }
    begin = end + 1;
  }
  if (const auto least = words.find("min-block"); least != words.end()) {
    questions.min_block = least->second;
  }
  return questions;
}

void add_objective(CLI::App& command, search::Goal& goal) {
  add_choice<search::Objective>(
      command, "--objective", goal.objective,
      {{"time", search::Objective::time},
       {"efficiency", search::Objective::efficiency},
       {"node-hours", search::Objective::node_hours}},
      "What makes a grid the best; node-hours: time and price of the nodes (default: time)");
  command
      .add_option("--min-efficiency", goal.min_efficiency,
                  "Only grids with at least this efficiency, 0 to 1")
      ->type_name("E");
}

void add_margin(CLI::App& command, double& margin) {
  command
      .add_option_function<std::string>(
          "--margin", [&margin](const std::string& text) { margin = parse_share(text); },
          "Free processes, mode 4: a grid on which the program would take so much longer if they "
          "waited for each other than it takes on the best is left, proven to be worse or not "
          "(default: 30%)")
      ->type_name("30%");
}

}  // namespace gridcast::cli
