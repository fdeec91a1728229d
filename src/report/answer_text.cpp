#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "gridcast/base/readable.h"
#include "gridcast/report/answer.h"
#include "gridcast/report/format.h"
#include "gridcast/report/page.h"

namespace gridcast::report {
namespace {

using NamedLines = std::vector<std::pair<std::string, std::string>>;

constexpr std::size_t name_columns = 15;

std::string where_text(const AnsweredGrid& grid) {
  return size_text(grid.grid.processors(), grid.grid.threads()) +
         (grid.nodes.empty() ? "" : " on " + nodes_text(grid.nodes)) +
         (grid.placement == machine::Placement{}
              ? ""
              : ", placed by " + grid.placement.text(grid.grid.rank()));
}

std::string speed_text(const AnsweredGrid& grid) {
  std::string text = fmt::format("{}, efficiency {}", seconds_text(grid.execution_time),
                                 format_efficiency(grid.efficiency));
  if (!grid.cost) {
    return text;
  }
  return text + (grid.cost_is_price ? fmt::format(", price {:.4g}", *grid.cost)
                                    : fmt::format(", {:.4g} node-hours", *grid.cost));
}

bool is_command(std::string_view text) { return text.find(" PROGRAM") != std::string_view::npos; }

std::string tasks_text(const machine::Job& job) {
  std::string text = fmt::format("{}, ", counted(job.nodes, "node"));
  const machine::NodeRun& first = job.tasks.front();
  text += job.tasks.size() == 1
              ? fmt::format("{} on each", counted(first.size, "rank"))
              : fmt::format("{} on {}", counted(first.size, "rank"),
                            first.count == 1 ? std::string("the first")
                                             : fmt::format("each of the first {}", first.count));
  for (std::size_t i = 1; i < job.tasks.size(); ++i) {
    const machine::NodeRun& run = job.tasks[i];
    text += run.count == 1 ? fmt::format(", {} on the next", run.size)
                           : fmt::format(", {} on each of the next {}", run.size, run.count);
  }
  return fmt::format("{} ({} in all, {} each)", text, job.processes,
                     counted(job.threads, "thread"));
}

constexpr std::string_view needs_rank_file =
    "no command places the ranks so without a rank file: --rankfile F writes one";

}  // namespace

std::string processors_text(const machine::Grid& grid) {
  constexpr int dimensions = 3;
  std::string text;
  for (int dim = 0; dim < std::max(dimensions, grid.rank()); ++dim) {
    text += fmt::format("{}{}", dim == 0 ? "" : " ", grid.extent(dim));
  }
  return text;
}

std::string nodes_text(const std::vector<machine::NodeRun>& nodes) {
  std::string text;
  for (const machine::NodeRun& run : nodes) {
    text += text.empty() ? fmt::format("{} of {}", counted(run.count, "node"), run.size)
                         : fmt::format(" and {} of {}", run.count, run.size);
  }
  return text;
}

std::string answered_text(const AnsweredGrid& grid) {
  return fmt::format("{} ({}): {}", grid.grid.text(), where_text(grid), speed_text(grid));
}

std::string answered_figures(const AnsweredGrid& grid) {
  return where_text(grid) + ", " + speed_text(grid);
}

NamedLines answer_lines(const Answer& answer) {
  NamedLines lines;
  lines.emplace_back("Best grid", answer.best ? answered_text(*answer.best) : "none");
  if (!answer.best) {
    return lines;
  }
  if (const std::int64_t idle = answer.best->idle_processors.value_or(0); idle > 0) {
    lines.emplace_back("Left empty", fmt::format("{} of its processors get no elements", idle));
    lines.emplace_back("None empty", answer.full ? answered_text(*answer.full)
                                                 : "no evaluated grid leaves no processor empty");
  }
  if (answer.runner_up) {
    lines.emplace_back(
        "Runner-up",
        fmt::format("{}; {} by {:.3g} %", answered_text(*answer.runner_up),
                    answer.gap < 0.0 ? "better" : "worse", 100.0 * std::abs(answer.gap)));
    lines.emplace_back("Within 1 %", counted(answer.near_count, "other evaluated grid"));
  }
  if (answer.limited && answer.unconstrained) {
    lines.emplace_back("Without limits", answered_text(*answer.unconstrained));
  }
  if (!answer.robust.empty()) {
    lines.emplace_back("Robust", answer.robust);
  }
  return lines;
}

NamedLines job_lines(const Answer& answer) {
  if (!answer.job) {
    return answer.note.empty() ? NamedLines{} : NamedLines{{"Nodes", answer.note}};
  }
  const machine::Job& job = *answer.job;
  NamedLines lines{{"Job", tasks_text(job)}};
  if (!answer.note.empty()) {
    lines.emplace_back("", answer.note);
  }
  if (job.srun.empty()) {
    lines.emplace_back("", std::string(needs_rank_file));
  } else {
    lines.emplace_back("Slurm", job.srun);
    lines.emplace_back("Open MPI", job.mpirun);
  }
  if (job.ranks == machine::Placement::Kind::column) {
    lines.emplace_back("MPI", "the program numbers its ranks by column, the first coordinate of " +
                                  job.grid.text() + " fastest");
    return lines;
  }
  lines.emplace_back("MPI", fmt::format("MPI_Cart_create with dims {{{}}}, reorder 0: row-major, "
                                        "the last coordinate runs fastest",
                                        fmt::join(job.grid.extents(), ", ")));
  lines.emplace_back("LAMMPS-like", "processors " + processors_text(job.grid));
  return lines;
}

std::string aligned_lines(const NamedLines& lines) {
  std::string text;
  for (const auto& [name, value] : lines) {
    const std::string line = fmt::format("{:<{}}{}\n", name, name_columns, value);
    text += is_command(value) ? line : wrapped(line, name_columns);
  }
  return text;
}

std::string job_section(const Answer& answer) {
  std::string commands;
  std::string more;
  for (const auto& [name, value] : job_lines(answer)) {
    const bool command = is_command(value);
    std::string text = escape_html(value);
    if (command || value.starts_with("processors ")) {
      text = fmt::format(
          "<code>{}</code> <button type=\"button\" class=\"copy\" aria-label=\"copy, {}\">"
          "copy</button>",
          text, name);
    }
    (command ? commands : more) +=
        (name.empty() ? "" : fmt::format("<dt>{}</dt>", name)) + "<dd>" + text + "</dd>\n";
  }
  const auto list = [](const std::string& facts) {
    return "<dl class=\"facts\">\n" + facts + "</dl>\n";
  };
  if (commands.empty()) {
    return more.empty() ? more : list(more);
  }
  return list(commands) +
         "<details class=\"fold\"><summary>Ranks on nodes, MPI_Cart_create, "
         "LAMMPS-like</summary>\n" +
         list(more) + "</details>\n";
}

}  // namespace gridcast::report
