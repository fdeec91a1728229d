#pragma once
/// The questions of a batch queue on the command line (docs/search.md).

#include <CLI/CLI.hpp>
#include <string>

#include "gridcast/evaluate/questions.h"

namespace gridcast::cli {

/// --max-processors, --processors, --fix, --divides, --whole-nodes, --memory-per-processor.
void add_questions(CLI::App& command, sweep::Questions& questions);

/// --min-block, which has the default of an option of the model.
void add_min_block(CLI::App& command, model::OptionWords& words);

/// What search::Conditions::text() writes, read by the same options. Throws InputError.
[[nodiscard]] sweep::Questions read_conditions(const std::string& text);

/// --objective, --min-efficiency.
void add_objective(CLI::App& command, search::Goal& goal);

/// --margin.
void add_margin(CLI::App& command, double& margin);

/// Reads a share such as "5%". Throws InputError.
[[nodiscard]] double parse_share(const std::string& text);

}  // namespace gridcast::cli
