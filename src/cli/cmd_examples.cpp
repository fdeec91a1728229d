#include <algorithm>
#include <filesystem>

#include "commands.h"
#include "gridcast/base/error.h"
#include "output.h"
#include "run.h"

namespace gridcast::cli {
namespace {

namespace fs = std::filesystem;

struct ExamplesOptions {
  std::string program;
  std::string directory;
};

/// Where the shipped files are: beside the installed program, or in the source tree around a build.
fs::path shipped_files() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  std::vector<fs::path> places{program.parent_path() / "../share/gridcast/configs"};
  for (fs::path folder = program.parent_path(); folder != folder.root_path() && !folder.empty();
       folder = folder.parent_path()) {
    places.push_back(folder / "configs");
  }
  for (const fs::path& place : places) {
    if (fs::is_directory(place / "programs", error)) {
      return place;
    }
  }
  throw InputError("the shipped programs are not beside " + program.string(),
                   "expected an installed gridcast, or one in its source tree");
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

void copy_example(const fs::path& from, const fs::path& to) {
  std::error_code error;
  if (fs::exists(to, error)) {
    throw InputError(to.string(), 0, "is there already", "expected a new or empty folder");
  }
  if (!fs::copy_file(from, to, error)) {
    throw RunError(to.string(), "cannot be written: " + error.message(), "choose another place");
  }
}

/// What to do with the files, as a script that can be run as it is.
std::string steps(const std::string& program) {
  return "#!/bin/sh\n"
         "# From the description of a program and of a cluster to a decision. Run in this folder.\n"
         "set -e\n"
         "\n"
         "# What is described, and what it costs on one processor.\n"
         "gridcast trace generate " +
         program + ".toml --output " + program +
         ".ptr\n"
         "gridcast trace info " +
         program +
         ".ptr\n"
         "\n"
         "# One grid: where does the time go?\n"
         "gridcast predict " +
         program +
         ".toml --machine cluster.par --grid 8x4 --html prediction.html\n"
         "\n"
         "# Which grid of the machine is the best, and how few processors are nearly as good?\n"
         "gridcast sweep " +
         program +
         ".toml --machine cluster.par --max-processors 512 \\\n"
         "  --store search.h5 --resume=auto\n"
         "gridcast sweep " +
         program +
         ".toml --machine cluster.par --max-processors 512 --whole-nodes \\\n"
         "  --within 5% --best 5 --store nodes.h5 --resume=auto\n"
         "gridcast report search.h5 --html search.html\n";
}

int run_examples(const ExamplesOptions& options) {
  const fs::path files = shipped_files();
  const std::vector<std::string> names = names_in(files / "programs");
  if (options.program.empty()) {
    std::string text;
    for (const std::string& name : names) {
      text += name + "\n";
    }
    print(text);
    return done;
  }
  if (std::find(names.begin(), names.end(), options.program) == names.end()) {
    throw InputError("no example is called '" + options.program + "'",
                     "expected one of those that gridcast examples lists");
  }
  const fs::path folder =
      options.directory.empty() ? fs::path(options.program) : fs::path(options.directory);
  std::error_code error;
  fs::create_directories(folder, error);
  if (!fs::is_directory(folder, error)) {
    throw InputError(folder.string(), 0, "cannot be made", "expected a folder for the example");
  }
  copy_example(files / "programs" / (options.program + ".toml"),
               folder / (options.program + ".toml"));
  copy_example(files / "cluster128x64.par", folder / "cluster.par");
  Output script((folder / "steps.sh").string());
  script.stream() << steps(options.program);
  script.commit();
  print(folder.string() + ": " + options.program + ".toml, cluster.par, steps.sh\n");
  return done;
}

}  // namespace

void add_examples(CLI::App& app, Session& session) {
  auto options = std::make_shared<ExamplesOptions>();
  CLI::App& command =
      add_command(app, session, "examples", "List the shipped programs, or copy one with a machine",
                  "gridcast examples heat3d && cd heat3d && sh steps.sh");
  command.add_option("PROGRAM", options->program, "Which one (default: list all)")->type_name("");
  command.add_option("--directory", options->directory, "Where to (default: a folder of its name)")
      ->type_name("D");
  on_chosen(command, session, options, run_examples);
}

}  // namespace gridcast::cli
