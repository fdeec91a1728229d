#include <filesystem>

#include "commands.h"
#include "definition.h"
#include "gridcast/base/error.h"
#include "man_page.h"
#include "output.h"
#include "run.h"
#include "shell_completion.h"
#include "version.h"

namespace gridcast::cli {
namespace {

struct CompletionOptions {
  const CLI::App* app = nullptr;
  std::string shell;
};

int run_completion(const CompletionOptions& options) {
  const std::string text = options.shell == "zsh"    ? zsh_completion(*options.app)
                           : options.shell == "fish" ? fish_completion(*options.app)
                                                     : bash_completion(*options.app);
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
  const std::vector<Command> commands = all_commands(*options.app);
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
  command.add_option("SHELL", options->shell, "bash, zsh or fish")
      ->type_name("")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
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
