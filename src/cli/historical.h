#pragma once
/// The historical ways to predict a program ([Predictor2010 §2.5]): `predictor` and `pred`.

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gridcast/machine/grid.h"

namespace gridcast::cli {

/// One run of the predictor.
struct HistoricalRun {
  std::string machine;                ///< a .par file
  std::vector<std::string> traces;    ///< one, or those of all processes of a run
  std::string html;                   ///< page of the given grid; empty: named by `program`
  std::string program;                ///< PROGRAM_P1_P2.html
  std::optional<machine::Grid> grid;  ///< default: topology of the machine, else one processor
  std::string command_line;
};

/// Predicts the given grid; if the machine has search = 1...5, searches the best one as well and
/// writes its page to best.html in the current directory and the log of the search beside the page
/// of the given one. Returns the exit code.
[[nodiscard]] int run_historical(const HistoricalRun& run);

/// What `predictor` takes, for its help and its manual page.
[[nodiscard]] std::unique_ptr<CLI::App> define_predictor();

/// `M.par TRACE OUT.html [P1 P2 ...]`.
[[nodiscard]] int historical_command_line(const std::vector<std::string>& words,
                                          const std::string& command_line);

/// The grid that these words give, one extent each; nothing if there are none. Throws InputError.
[[nodiscard]] std::optional<machine::Grid> grid_of_words(const std::vector<std::string>& words);

}  // namespace gridcast::cli
