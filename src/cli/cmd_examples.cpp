#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "commands.h"
#include "definition.h"
#include "gridcast/base/error.h"
#include "gridcast/base/program_file.h"
#include "gridcast/base/readable.h"
#include "inputs.h"
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
std::optional<fs::path> find_shipped_files() {
  std::error_code error;
  const fs::path program = program_file();
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
  return std::nullopt;
}

fs::path shipped_files() {
  if (auto files = find_shipped_files()) {
    return *files;
  }
  throw InputError("the shipped programs are not beside the program",
                   "expected an installed gridcast, or one in its source tree");
}

/// Array programs, and programs that pass messages, which have no trace.
constexpr const char* array_programs = "programs";
constexpr const char* message_programs = "messages";

/// The shipped descriptions by their names.
std::map<std::string, fs::path> descriptions_in(const fs::path& files) {
  std::map<std::string, fs::path> found;
  for (const char* folder : {array_programs, message_programs}) {
    for (const fs::directory_entry& entry : fs::directory_iterator(files / folder)) {
      found.emplace(entry.path().stem().string(), entry.path());
    }
  }
  return found;
}

std::vector<std::string> example_names(const std::map<std::string, fs::path>& descriptions) {
  std::vector<std::string> names;
  names.reserve(descriptions.size());
  for (const auto& [name, description] : descriptions) {
    names.push_back(name);
  }
  return names;
}

/// What a program is: the comment at its top up to the first full stop or colon.
std::string title_of(const fs::path& description) {
  std::ifstream stream(description);
  std::string title;
  for (std::string line; std::getline(stream, line) && line.starts_with("# ");) {
    title += (title.empty() ? "" : " ") + line.substr(2);
    if (const std::size_t end = title.find_first_of(".:"); end != std::string::npos) {
      return title.substr(0, end);
    }
  }
  return title;
}

/// A grid to begin with, of as many dimensions as the program has.
std::string first_grid(const fs::path& description) {
  const LoadedProgram program = load_script(ProgramOptions{{description.string()}, {}, {}}, {});
  const int rank = program.script.header().grid_rank;
  return rank == 1 ? "32" : rank == 2 ? "8x4" : rank == 3 ? "4x4x2" : "4x2x2x2";
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
std::string steps(const fs::path& description) {
  const bool traced = description.parent_path().filename() == array_programs;
  const std::string file = description.filename().string();
  const std::string stem = description.stem().string();
  const std::string grid = first_grid(description);
  std::string text =
      "#!/bin/sh\n"
      "# From the description of a program and of a cluster to a decision. Run in this folder.\n"
      "set -e\n\n";
  if (traced) {
    text += fmt::format(
        "# What is described, and what it costs on one processor.\n"
        "gridcast trace generate {0}.toml --output {0}.ptr\n"
        "gridcast trace info {0}.ptr\n\n",
        stem);
  }
  text += "# One grid: where does the time go?\n";
  if (traced) {
    text += fmt::format("gridcast predict {} --machine cluster.par --grid {} --html {}\n", file,
                        grid, "prediction.html");
  }
  return text +
         fmt::format(
             "gridcast predict {0} --machine cluster.par --grid {1}\n\n"
             "# Which grid of the machine is the best, and how few processors are nearly as good?\n"
             "gridcast sweep {0} --machine cluster.par --max-processors {2} \\\n"
             "  --store search.h5 --resume=auto\n"
             "gridcast sweep {0} --machine cluster.par --max-processors {2} --whole-nodes \\\n"
             "  --within 5% --best 5 --store nodes.h5 --resume=auto\n"
             "gridcast report search.h5 --html search.html\n",
             file, grid, traced ? 512 : 64);  // messages of free processes are simulated
}

int run_examples(const ExamplesOptions& options) {
  const fs::path files = shipped_files();
  const std::map<std::string, fs::path> descriptions = descriptions_in(files);
  if (options.program.empty()) {
    std::string text;
    for (const auto& [name, description] : descriptions) {
      text += fmt::format("{:12} {}\n", name, title_of(description));
    }
    print(wrapped(text));
    return done;
  }
  const auto chosen = descriptions.find(options.program);
  if (chosen == descriptions.end()) {
    const std::string like = nearest(options.program, example_names(descriptions));
    throw InputError("no example is called '" + options.program + "'",
                     (like.empty() ? "" : "did you mean " + like + "? ") +
                         "expected one of those that gridcast examples lists");
  }
  const fs::path folder =
      options.directory.empty() ? fs::path(options.program) : fs::path(options.directory);
  std::error_code error;
  fs::create_directories(folder, error);
  if (!fs::is_directory(folder, error)) {
    throw InputError(folder.string(), 0, "cannot be made", "expected a folder for the example");
  }
  copy_example(chosen->second, folder / chosen->second.filename());
  copy_example(files / "cluster128x64.par", folder / "cluster.par");
  Output script((folder / "steps.sh").string());
  script.stream() << steps(chosen->second);
  script.commit();
  print(fmt::format("{}: {}.toml, cluster.par, and what to do with them: steps.sh\n",
                    folder.string(), options.program));
  return done;
}

}  // namespace

void name_examples(CLI::App& app) {
  const std::optional<fs::path> files = find_shipped_files();
  if (files) {
    app.get_subcommand("examples")
        ->get_option("PROGRAM")
        ->type_name(fmt::format("{}", fmt::join(example_names(descriptions_in(*files)), "|")));
  }
}

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
