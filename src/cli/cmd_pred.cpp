#include <filesystem>

#include "commands.h"
#include "historical.h"
#include "inputs.h"

namespace gridcast::cli {
namespace {

struct PredOptions {
  std::vector<std::string> words;  ///< [P1 P2 ...] PROGRAM
  std::string command_line;
};

int run_pred(const PredOptions& options) {
  HistoricalRun run;
  run.grid = grid_of_words({options.words.begin(), options.words.end() - 1});
  run.program = options.words.back();
  run.traces = traces_of(run.program);
  // Both names stand in [Predictor2010 §2.4, §3].
  std::error_code ignored;
  run.machine = std::filesystem::exists("Predictor.par", ignored) ||
                        !std::filesystem::exists("predictor.par", ignored)
                    ? "Predictor.par"
                    : "predictor.par";
  run.command_line = options.command_line;
  return run_historical(run);
}

}  // namespace

void add_pred(CLI::App& app, Session& session) {
  auto options = std::make_shared<PredOptions>();
  options->command_line = session.command_line;
  CLI::App& command =
      add_command(app, session, "pred",
                  "Predict a program by its name, the machine being Predictor.par or predictor.par",
                  "gridcast pred 4 2 jac");
  command
      .add_option(
          "PROGRAM", options->words,
          "Extents of the grid, then the program: PROGRAM.ptr, else PROGRAM0_0.ptr and so on "
          "merged, else all files that match PROGRAM with @ as wildcard merged; "
          "the page is PROGRAM_P1_P2.html")
      ->type_name("[P1 P2 ...] NAME")
      ->required();
  on_chosen(command, session, options, run_pred);
}

}  // namespace gridcast::cli
