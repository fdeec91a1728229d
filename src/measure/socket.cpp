#include "gridcast/measure/socket.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "gridcast/base/contract.h"
#include "gridcast/base/readable.h"
#include "gridcast/measure/topology.h"
#include "gridcast/report/format.h"

namespace gridcast::measure {
namespace {

bool goes_through_memory(const Speed& loop) { return loop.name.ends_with(" in memory"); }

/// "all 64 cores of the socket", "2 of the 64 cores of the socket".
std::string cores_text(const SocketTimes& times) {
  if (times.of_socket == 1) {
    return "the only core of the socket";
  }
  return is_partial(times)
             ? fmt::format("{} of the {} cores of the socket", times.cores, times.of_socket)
             : fmt::format("all {} cores of the socket", times.cores);
}

std::string performance(double ratio) { return fmt::format("{:.3g}", ratio); }

}  // namespace

SocketTimes time_socket(bool quick, std::span<const int> allowed) {
  const SocketCores cores = cores_of_socket(allowed);
  const std::span<const int> processors(cores.processors);
  SocketTimes times{static_cast<int>(processors.size()), cores.of_socket, {}, {}};
  times.alone = time_kernels(quick, processors.first(1));
  times.busy = processors.size() == 1 ? times.alone : time_kernels(quick, processors);
  return times;
}

SocketRatios ratios_of(const SocketTimes& times) {
  SocketRatios ratios;
  ratios.loops = speeds_of(times.alone, times.busy);
  std::vector<Speed> in_memory;
  std::ranges::copy_if(ratios.loops, std::back_inserter(in_memory), goes_through_memory);
  expects(!in_memory.empty(), "a loop goes through memory");
  ratios.in_memory = mean_speed(in_memory);
  ratios.all = mean_speed(ratios.loops);
  return ratios;
}

bool is_partial(const SocketTimes& times) { return times.cores < times.of_socket; }

std::string partial_text(const SocketTimes& times) {
  return fmt::format(
      "this job may use only {}: with all of them busy a core is slower than these ratios say (a "
      "rank per core, or mpirun --bind-to none)",
      cores_text(times));
}

std::string socket_text(const SocketTimes& times) {
  const SocketRatios ratios = ratios_of(times);
  std::string text =
      fmt::format("one core alone and beside busy ones, {}; ns per element\n", cores_text(times)) +
      fmt::format("  {:36} {:>10} {:>10} {:>12}\n", "", "alone", "busy", "alone / busy");
  for (std::size_t i = 0; i < ratios.loops.size(); ++i) {
    text += fmt::format("  {:36} {:>10.4g} {:>10.4g} {:>12.3f}\n", ratios.loops[i].name,
                        1e9 * times.alone[i].seconds, 1e9 * times.busy[i].seconds,
                        ratios.loops[i].ratio);
  }
  text += fmt::format("  {:58} {:>12.3f}\n", "geometric mean of the loops through memory (core)",
                      ratios.in_memory);
  return text + fmt::format("  {:58} {:>12.3f}\n", "geometric mean of all loops", ratios.all);
}

std::string core_statement(const SocketTimes& times) {
  const SocketRatios ratios = ratios_of(times);
  std::string text = fmt::format(
      "\n// How fast a core is beside busy ones, {}; 1: as fast as alone.\n", cores_text(times));
  for (const Speed& loop : ratios.loops) {
    text += fmt::format("//   {:28} {}\n", loop.name, performance(loop.ratio));
  }
  text += fmt::format(
      "// The geometric mean of the loops through memory is {}, that of all loops {}.\n",
      performance(ratios.in_memory), performance(ratios.all));
  if (is_partial(times)) {
    text += "// But " + partial_text(times) + ".\n";
  }
  return text +
         "// This is right for loops through memory that were timed on one core while the others "
         "were idle.\n"
         "// For times taken with all cores busy it is core = 1.0.\n" +
         fmt::format("core = {};\n", performance(ratios.in_memory));
}

std::string socket_section(const SocketTimes& times) {
  const SocketRatios ratios = ratios_of(times);
  std::string text = fmt::format(
      "<section class=\"box\"><h2>One core alone and beside busy ones</h2>\n<p>Busy: {}.</p>\n"
      "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr><th class=\"l\">Loop</th>"
      "<th>alone, per element</th><th>busy</th><th>alone / busy</th></tr></thead><tbody>\n",
      cores_text(times));
  for (std::size_t i = 0; i < ratios.loops.size(); ++i) {
    text +=
        fmt::format("<tr><td class=\"l\">{}</td><td>{}</td><td>{}</td><td>{:.3f}</td></tr>\n",
                    report::escape_html(ratios.loops[i].name), seconds_text(times.alone[i].seconds),
                    seconds_text(times.busy[i].seconds), ratios.loops[i].ratio);
  }
  return text +
         fmt::format(
             "</tbody></table></div>\n<p>Geometric mean of the loops through memory: {:.3f}, of "
             "all loops: {:.3f}.{}</p></section>\n",
             ratios.in_memory, ratios.all,
             is_partial(times) ? " But " + partial_text(times) + "." : "");
}

}  // namespace gridcast::measure
