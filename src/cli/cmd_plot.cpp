#include <charconv>

#include "commands.h"
#include "gridcast/base/error.h"
#include "places.h"
#include "plot_tables.h"
#include "run.h"

namespace gridcast::cli {
namespace {

using MakePlot = report::Plot (*)(const std::string&);

struct PlotOptions {
  std::string input;
  MakePlot make = nullptr;
  std::string output, data;
  std::string size = "16x10";
  double font = 10.0;
};

/// "16x10": width and height, cm.
void take_size(const std::string& text, report::PlotStyle& style) {
  constexpr double least = 2.0;
  constexpr double most = 100.0;
  const char* const end = text.data() + text.size();
  const auto width = std::from_chars(text.data(), end, style.width);
  const bool crossed = width.ec == std::errc() && width.ptr != end && *width.ptr == 'x';
  const auto height =
      crossed ? std::from_chars(width.ptr + 1, end, style.height) : std::from_chars_result{};
  const auto possible = [](double cm) { return cm >= least && cm <= most; };
  if (!crossed || height.ec != std::errc() || height.ptr != end || !possible(style.width) ||
      !possible(style.height)) {
    throw InputError("--size " + text, "expected width and height of 2 to 100 cm, as 16x10");
  }
}

int run_plot(const PlotOptions& options) {
  report::PlotStyle style;
  style.font = options.font;
  take_size(options.size, style);
  const std::string ending = options.output.substr(options.output.find_last_of('.') + 1);
  if (!report::is_picture(ending) && ending != "csv") {
    throw InputError("--output " + options.output,
                     "expected a name that ends with .svg, .png, .pdf or .csv");
  }
  Outputs outputs = Places()
                        .reads_store(options.input)
                        .writes("--output", options.output)
                        .writes("--data", options.data)
                        .open();
  const report::Plot plot = options.make(options.input);
  outputs.write("--output", [&](std::ostream& out) {
    ending == "csv" ? report::write_plot_csv(out, plot)
                    : report::draw_plot(out, plot, ending, style);
  });
  outputs.write("--data", [&](std::ostream& out) { report::write_plot_csv(out, plot); });
  return done;
}

}  // namespace

void add_plot(CLI::App& app, Session& session) {
  auto options = std::make_shared<PlotOptions>();
  CLI::App& command = add_command(app, session, "plot", "Draw a chart for a paper with gnuplot",
                                  "gridcast plot jac.h5 --kind map -o map.pdf");
  command
      .add_option("INPUT", options->input,
                  "Store (.h5), prediction (--json, with --timeline), CSV of runs or trace events, "
                  "by the kind")
      ->type_name("")
      ->required();
  add_choice<MakePlot>(command, "--kind", options->make,
                       {{"front", plot_front},
                        {"map", plot_map},
                        {"scaling", plot_scaling},
                        {"losses", plot_losses},
                        {"factors", plot_factors},
                        {"timeline", plot_timeline}},
                       "What is drawn")
      .required();
  command.add_option("-o,--output", options->output, "The chart: F.svg, .png, .pdf; numbers: .csv")
      ->type_name("F")
      ->required();
  command.add_option("--data", options->data, "The numbers that are drawn, CSV")->type_name("F");
  command.add_option("--size", options->size, "Width and height, cm")
      ->type_name("WxH")
      ->capture_default_str();
  command.add_option("--font", options->font, "Size of the text, points")
      ->type_name("POINTS")
      ->check(CLI::Range(4.0, 72.0))
      ->capture_default_str();
  on_chosen(command, session, options, run_plot);
}

}  // namespace gridcast::cli
