#include <array>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "commands.h"
#include "definition.h"
#include "gridcast/base/error.h"
#include "historical.h"
#include "man_page.h"
#include "measure_options.h"
#include "output.h"
#include "run.h"
#include "shell_completion.h"
#include "version.h"

namespace gridcast::cli {
namespace {

/// The command lines of all programs of the package: `gridcast` and those beside it.
class Programs {
public:
  explicit Programs(const CLI::App& gridcast)
      : measure_(define_measure(measure_options_, measure_session_)),
        predictor_(define_predictor()),
        all_{&gridcast, measure_.get(), predictor_.get()} {}
  Programs(const Programs&) = delete;  // the definitions refer to the options
  Programs& operator=(const Programs&) = delete;

  [[nodiscard]] std::span<const CLI::App* const> all() const noexcept { return all_; }

  [[nodiscard]] std::vector<Command> commands() const {
    std::vector<Command> commands;
    for (const CLI::App* program : all_) {
      const std::vector<Command> own = all_commands(*program);
      commands.insert(commands.end(), own.begin(), own.end());
    }
    return commands;
  }

private:
  MeasureOptions measure_options_;
  Session measure_session_;
  std::unique_ptr<CLI::App> measure_;
  std::unique_ptr<CLI::App> predictor_;
  std::array<const CLI::App*, 3> all_;
};

struct CompletionOptions {
  CLI::App* app = nullptr;
  std::string shell;
};

int run_completion(const CompletionOptions& options) {
  name_examples(*options.app);
  const Programs programs(*options.app);
  const std::string text = options.shell == "zsh"    ? zsh_completion(programs.all())
                           : options.shell == "fish" ? fish_completion(programs.all())
                                                     : bash_completion(programs.all());
  print(text);
  return done;
}

struct ManualOptions {
  const CLI::App* app = nullptr;
  std::string directory;
};

int run_manual(const ManualOptions& options) {
  std::error_code error;
  std::filesystem::create_directories(options.directory, error);
  if (!std::filesystem::is_directory(options.directory)) {
    throw InputError(options.directory, 0, "cannot be made", "expected a folder for the pages");
  }
  const Programs programs(*options.app);
  const std::vector<Command> commands = programs.commands();
  for (const Command& command : commands) {
    Output page((std::filesystem::path(options.directory) / (page_name(command) + ".1")).string());
    page.stream() << man_page(command, commands, version());
    page.commit();
  }
  print(std::to_string(commands.size()) + " pages in " + options.directory + "\n");
  return done;
}

}  // namespace

void add_completion(CLI::App& app, Session& session) {
  auto options = std::make_shared<CompletionOptions>();
  options->app = &app;
  CLI::App& command =
      add_command(app, session, "completion", "Print completion for a shell: bash, zsh or fish",
                  "source <(gridcast completion bash)");
  CLI::IsMember shells({"bash", "zsh", "fish"});
  shells.description("");  // the name of the type says it
  command.add_option("SHELL", options->shell, "Which shell")
      ->type_name("bash|zsh|fish")
      ->required()
      ->check(shells);
  on_chosen(command, session, options, run_completion);
}

void add_manual(CLI::App& app, Session& session) {
  auto options = std::make_shared<ManualOptions>();
  options->app = &app;
  CLI::App& command = add_command(app, session, "manual", "Write manual pages of all commands",
                                  "gridcast manual man1 && man -l man1/gridcast-sweep.1");
  command.add_option("DIRECTORY", options->directory, "Folder of the pages, made if missing")
      ->type_name("")
      ->required();
  on_chosen(command, session, options, run_manual);
}

}  // namespace gridcast::cli
