#include "gridcast/report/plot.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <ostream>
#include <system_error>

#include "gridcast/base/csv.h"
#include "gridcast/base/error.h"
#include "gridcast/base/printable.h"
#include "gridcast/base/readable.h"

extern char** environ;  // NOLINT: POSIX

namespace gridcast::report {
namespace {

constexpr double css_pixels_per_cm = 96 / 2.54;

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

File scratch_file() {
  File file(std::tmpfile(), std::fclose);
  if (!file) {
    throw RunError("a temporary file", "cannot be made: " + std::generic_category().message(errno),
                   "free some space or set TMPDIR");
  }
  return file;
}

std::string contents(const File& file) {
  std::rewind(file.get());
  std::string text;
  std::array<char, 65536> buffer{};
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), file.get())) {
    text.append(buffer.data(), count);
  }
  return text;
}

std::string terminal(std::string_view ending, const PlotStyle& style) {
  const auto pixels = [](double cm, double per_cm) { return std::llround(cm * per_cm); };
  if (ending == "svg") {
    return fmt::format("svg size {},{} font 'sans-serif,{}' noenhanced background rgb 'white'",
                       pixels(style.width, css_pixels_per_cm),
                       pixels(style.height, css_pixels_per_cm), style.font);
  }
  if (ending == "png") {
    return fmt::format("pngcairo size {},{} font 'sans,{}' fontscale 2 linewidth 2 noenhanced",
                       pixels(style.width, pixels_per_cm), pixels(style.height, pixels_per_cm),
                       style.font);
  }
  return fmt::format("pdfcairo size {}cm,{}cm font 'sans,{}' noenhanced", style.width, style.height,
                     style.font);
}

std::string script(const Plot& plot, std::string_view ending, const PlotStyle& style) {
  std::string text = "$data << ____\n";
  for (const std::vector<PlotCell>& row : plot.rows) {
    for (const PlotCell& cell : row) {
      const double* number = std::get_if<double>(&cell);
      text += number != nullptr ? std::isfinite(*number) ? exact(*number) : "NaN"
                                : "\"" + gnuplot_text(std::get<std::string>(cell)) + "\"";
      text += ' ';
    }
    text += '\n';
  }
  text += "____\nset encoding utf8\nset terminal " + terminal(ending, style) + "\nset title '" +
          gnuplot_text(plot.title) +
          "'\nset border 3\nset tics nomirror out\nset grid back lc rgb '#dddddd'\n"
          "set key above samplen 1.5\n" +
          plot.commands;
  return text;
}

/// Exit code, or 128 + signal.
int run(const std::string& program, const File& in, const File& out, const File& errors) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  int standard = 0;
  for (const File* file : {&in, &out, &errors}) {
    posix_spawn_file_actions_adddup2(&actions, fileno(file->get()), standard++);
  }
  std::string name = program;
  std::array<char*, 2> words{name.data(), nullptr};
  pid_t child = 0;
  const int error = posix_spawnp(&child, program.c_str(), &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    throw RunError(program, "cannot be started: " + std::generic_category().message(error),
                   "install gnuplot (Debian: gnuplot-nox), name it in GRIDCAST_GNUPLOT, or write "
                   "the numbers with -o F.csv");
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  constexpr int signalled = 128;
  return WIFEXITED(status) ? WEXITSTATUS(status) : signalled + WTERMSIG(status);
}

}  // namespace

bool is_picture(std::string_view ending) {
  return ending == "svg" || ending == "png" || ending == "pdf";
}

void draw_plot(std::ostream& out, const Plot& plot, std::string_view ending,
               const PlotStyle& style) {
  const char* named = std::getenv("GRIDCAST_GNUPLOT");  // NOLINT(concurrency-mt-unsafe)
  const std::string program = named != nullptr && *named != '\0' ? named : "gnuplot";
  const File in = scratch_file();
  const File drawn = scratch_file();
  const File errors = scratch_file();
  const std::string commands = script(plot, ending, style);
  if (std::fwrite(commands.data(), 1, commands.size(), in.get()) != commands.size() ||
      std::fflush(in.get()) != 0) {
    throw RunError("a temporary file",
                   "cannot be written: " + std::generic_category().message(errno),
                   "free some space or set TMPDIR");
  }
  std::rewind(in.get());
  const int code = run(program, in, drawn, errors);
  const std::string picture = contents(drawn);
  if (code != 0 || picture.empty()) {
    std::string said = contents(errors);
    said.erase(0, said.find_first_not_of(" \n"));
    throw RunError(program,
                   fmt::format("failed with exit code {}: {}", code,
                               printable(said.substr(0, said.find_last_not_of(" \n") + 1), " ")),
                   "expected gnuplot 5.4 or later with the terminals svg, pngcairo and pdfcairo");
  }
  out << picture;
}

void write_plot_csv(std::ostream& out, const Plot& plot) {
  const auto line = [&out](const auto& cells, const auto& text) {
    const char* separator = "";
    for (const auto& cell : cells) {
      out << separator << text(cell);
      separator = ",";
    }
    out << '\n';
  };
  line(plot.columns, [](const std::string& name) { return csv_cell(name); });
  for (const std::vector<PlotCell>& row : plot.rows) {
    line(row, [](const PlotCell& cell) {
      const double* number = std::get_if<double>(&cell);
      return number == nullptr        ? csv_cell(std::get<std::string>(cell))
             : std::isfinite(*number) ? exact(*number)
                                      : std::string();
    });
  }
}

std::string gnuplot_text(std::string_view text) {
  std::string plain = printable(text);
  for (char& character : plain) {
    // Quotes, substitution of commands and variables, escapes, and what ends a block of data.
    if (std::string_view("'\"`@$\\").find(character) != std::string_view::npos) {
      character = ' ';
    }
  }
  return plain;
}

TimeUnit time_unit(double largest) noexcept {
  constexpr double milli = 1e3;
  constexpr double micro = 1e6;
  if (largest >= 1.0) {
    return {};
  }
  return largest * milli >= 1.0 ? TimeUnit{"ms", milli} : TimeUnit{"µs", micro};
}

}  // namespace gridcast::report
