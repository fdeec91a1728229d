#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <filesystem>
#include <fstream>

#include "assumed.h"
#include "commands.h"
#include "gridcast/base/error.h"
#include "gridcast/base/printable.h"
#include "gridcast/base/readable.h"
#include "gridcast/compile/compile.h"
#include "gridcast/farm/launched.h"
#include "gridcast/store/merge.h"
#include "gridcast/store/reader.h"
#include "gridcast/sweep/series.h"
#include "gridcast/variants/variants_report.h"
#include "inputs.h"
#include "places.h"
#include "run.h"
#include "run_options.h"
#include "version.h"

namespace gridcast::cli {
namespace {

namespace fs = std::filesystem;

struct VariantsOptions {
  std::string file;
  std::string store;
  std::vector<std::string> assignments;
  model::OptionWords model;
  sweep::DatasetSettings run;  ///< limits of the run
  std::string json, html, svg, csv;
};

trace::ParameterValues values_of(const std::vector<std::string>& assignments) {
  trace::ParameterValues values;
  for (const std::string& assignment : assignments) {
    const std::size_t sign = assignment.find('=');
    if (sign == std::string::npos) {
      throw InputError("'" + assignment + "' sets nothing", "expected --set NAME=VALUE");
    }
    values.emplace_back(assignment.substr(0, sign), assignment.substr(sign + 1));
  }
  return values;
}

/// All ordered grids of so many processors.
void add_grids(std::int64_t processors, int rank, std::vector<std::int64_t>& extents,
               std::vector<machine::Grid>& grids) {
  if (rank == 1) {
    extents.push_back(processors);
    grids.emplace_back(extents);
    extents.pop_back();
    return;
  }
  for (std::int64_t extent = 1; extent <= processors; ++extent) {
    if (processors % extent == 0) {
      extents.push_back(extent);
      add_grids(processors / extent, rank - 1, extents, grids);
      extents.pop_back();
    }
  }
}

/// The runs of a file of variants: each with a trace, an input and a store of its own beside the
/// final store, so that an interrupted run goes on where it was.
class Parts {
public:
  explicit Parts(const VariantsOptions& options)
      : options_(options), folder_(options.store + ".parts") {
    file_ = variants::read_variants(options.file, values_of(options.assignments));
    cluster_ = machine::Cluster::read(file_.machine);
    resolved_ = model::resolve(options.model, file_.settings, file_.program.string());
    settle(resolved_, most_processors());
  }

  [[nodiscard]] const variants::VariantsFile& file() const noexcept { return file_; }
  [[nodiscard]] const machine::Cluster& cluster() const noexcept { return *cluster_; }
  [[nodiscard]] const model::ResolvedOptions& resolved() const noexcept { return resolved_; }
  [[nodiscard]] const fs::path& folder() const noexcept { return folder_; }

  /// Every rank makes the same list; rank 0 writes the files that it names.
  std::vector<sweep::SeriesRun> make() {
    const bool writes = sweep::launched_rank() == 0;
    if (writes) {
      fs::create_directories(folder_);
    }
    std::vector<sweep::SeriesRun> runs;
    for (std::size_t i = 0; i < file_.variants.size(); ++i) {
      const variants::Variant& variant = file_.variants[i];
      const std::string trace = variant.trace({});
      if (writes) {
        write(path_of(i, ".ptr"), trace);
      }
      if (variant.search) {
        runs.emplace_back(sweep_of(i, *variant.search));
      } else {
        if (writes) {
          write(path_of(i, ".toml"), design_of(i, trace));
        }
        runs.emplace_back(dataset_of(i));
      }
    }
    return runs;
  }

  [[nodiscard]] std::vector<fs::path> stores() const {
    std::vector<fs::path> stores;
    for (std::size_t i = 0; i < file_.variants.size(); ++i) {
      stores.push_back(path_of(i, ".h5"));
    }
    return stores;
  }

  [[nodiscard]] std::vector<variants::VariantRow> rows() const {
    std::vector<variants::VariantRow> rows;
    for (std::size_t i = 0; i < file_.variants.size(); ++i) {
      store::StoreReader(path_of(i, ".h5")).read_rows([&](const store::RowBatch& batch) {
        for (const store::ResultRow& row : batch.rows) {
          if (row.status == store::Status::done) {
            rows.push_back({i, row.grid(), row.characteristics.execution_time,
                            row.characteristics.efficiency});
          }
        }
      });
    }
    return rows;
  }

private:
  /// Of a grid of any variant.
  [[nodiscard]] std::int64_t most_processors() const {
    const std::int64_t available = cluster_->processors();
    std::int64_t most = 1;
    for (const variants::Variant& variant : file_.variants) {
      for (const std::int64_t processors : variant.processors) {
        most = std::max(most, processors);
      }
      for (const machine::Grid& grid : variant.grids) {
        most = std::max(most, grid.processors());
      }
      if (variant.search) {
        most =
            std::max(most, std::min(available, variant.search->max_processors.value_or(available)));
      }
    }
    return most;
  }

  /// "2_NAME.ptr": the name without what does not belong into names of files.
  [[nodiscard]] fs::path path_of(std::size_t number, const char* ending) const {
    std::string name = std::to_string(number + 1) + "_";
    for (const char character : file_.variants[number].name) {
      const bool plain = (std::isalnum(static_cast<unsigned char>(character)) != 0) ||
                         character == '-' || character == '_';
      name += plain ? character : '_';
    }
    return folder_ / (name + ending);
  }

  /// Written once: a store that goes on compares the digest of its trace.
  static void write(const fs::path& path, const std::string& text) {
    std::ofstream out(path, std::ios::binary);
    out << text;
    out.close();
    if (!out) {
      throw RunError(path.string(), "cannot be written", "check the disk and the permissions");
    }
  }

  [[nodiscard]] std::string design_of(std::size_t number, const std::string& trace) const {
    const variants::Variant& variant = file_.variants[number];
    const model::Compiled compiled =
        model::compile(trace::parse_program(trace, path_of(number, ".ptr").string()));
    const int rank = sweep::search_space(compiled.script, *cluster_, {}, resolved_.options).rank;
    std::vector<machine::Grid> grids = variant.grids;
    for (const std::int64_t processors : variant.processors) {
      std::vector<std::int64_t> extents;
      add_grids(processors, rank, extents, grids);
    }
    std::vector<std::string> texts;
    for (const machine::Grid& grid : grids) {
      const std::string text = '"' + grid.text() + '"';
      if (std::ranges::find(texts, text) == texts.end()) {
        texts.push_back(text);
      }
    }
    return fmt::format("traces = [{}]\nmachines = [{}]\ngrids = [{}]\n",
                       json_quoted(path_of(number, ".ptr").filename().string()),
                       json_quoted(fs::absolute(file_.machine).string()), fmt::join(texts, ", "));
  }

  [[nodiscard]] sweep::DatasetSettings dataset_of(std::size_t number) const {
    sweep::DatasetSettings settings = options_.run;
    settings.design = path_of(number, ".toml");
    settings.store = path_of(number, ".h5");
    settings.resume = sweep::Resume::automatic;
    settings.version = version();
    settings.model = words_of(resolved_);
    return settings;
  }

  [[nodiscard]] sweep::SweepSettings sweep_of(std::size_t number,
                                              const variants::GridSearch& search) const {
    const sweep::RunSettings& run = options_.run;
    sweep::SweepSettings settings;
    static_cast<sweep::RunSettings&>(settings) = run;
    settings.lease_seconds = sweep::SweepSettings().lease_seconds;
    settings.traces = {path_of(number, ".ptr")};
    settings.machine = file_.machine;
    settings.store = path_of(number, ".h5");
    settings.mode = static_cast<search::Mode>(search.mode);
    settings.questions.max_processors = search.max_processors;
    settings.resume = sweep::Resume::automatic;
    settings.options = words_of(resolved_);
    settings.version = version();
    return settings;
  }

  const VariantsOptions& options_;
  fs::path folder_;
  variants::VariantsFile file_;
  std::optional<machine::Cluster> cluster_;
  model::ResolvedOptions resolved_;  ///< for all variants
};

Places places_of(const VariantsOptions& options) {
  return Places()
      .reads(options.file)
      .writes_store(options.store)
      .writes("--json", options.json)
      .writes("--html", options.html)
      .writes("--svg", options.svg)
      .writes("--csv", options.csv);
}

int finish_variants(const VariantsOptions& options, const Parts& parts) {
  Outputs outputs = places_of(options).open();
  variants::VariantsReport report = variants::report_variants(
      parts.file(), parts.cluster(), parts.resolved().options, parts.rows());
  report.assumed = parts.resolved().assumed;
  store::merge(parts.stores(), options.store);
  fs::remove_all(parts.folder());
  outputs.write("--json", [&](std::ostream& out) { variants::write_variants_json(out, report); });
  outputs.write("--html", [&](std::ostream& out) { variants::write_variants_html(out, report); });
  outputs.write("--svg",
                [&](std::ostream& out) { report::draw_svg(out, variants::variants_plot(report)); });
  outputs.write("--csv", [&](std::ostream& out) { variants::write_variants_csv(out, report); });
  if (!outputs.any()) {
    print(assumed_lines({report.assumed}, {}, "assumed", 8) + variants::variants_text(report));
  }
  return done;
}

int run_variants(const VariantsOptions& options) {
  places_of(options).require_usable();
  if (fs::exists(options.store)) {
    throw InputError(options.store, 0, "exists", "expected the name of a new store");
  }
  Parts parts(options);
  return sweep::run_series_program(
      options.run.watch, parts.make(), [&](const sweep::SeriesOutcome& outcome) {
        if (outcome.exit_code == done) {
          return run_guarded([&] { return finish_variants(options, parts); });
        }
        if (outcome.exit_code == stopped_early) {
          spdlog::info("{} of {} done; the same command goes on", outcome.completed,
                       counted(static_cast<std::int64_t>(parts.file().variants.size()), "variant"));
        }
        return outcome.exit_code;
      });
}

}  // namespace

void add_variants(CLI::App& app, Session& session) {
  auto options = std::make_shared<VariantsOptions>();
  options->run.command_line = session.command_line;
  CLI::App& command = add_command(
      app, session, "variants", "Predict and compare variants of a program before it is written",
      "mpirun -n 4 gridcast variants configs/variants/mhd.toml --store mhd.h5");
  command.add_option("VARIANTS", options->file, "Variants of a program (docs/analysis.md)")
      ->type_name("VARIANTS.toml")
      ->required();
  command.add_option("--store", options->store, "Store of all predictions, new")
      ->type_name("S.h5")
      ->required();
  add_assignments(command, options->assignments);
  add_run_limits(command, options->run, "predictions of a variant that fail (default: 100000)");
  add_model_options(command, options->model);
  add_json(command, options->json);
  command
      .add_option("--csv", options->csv,
                  "The ranking as a table, which gridcast compare --variants takes")
      ->type_name("F|-");
  command.add_option("--html", options->html, "The page")->type_name("F|-");
  command.add_option("--svg", options->svg, "A picture, drawn by gnuplot")->type_name("F|-");
  on_chosen(command, session, options, run_variants);
}

}  // namespace gridcast::cli
