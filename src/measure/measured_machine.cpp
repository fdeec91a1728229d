#include "gridcast/measure/measured_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "gridcast/base/error.h"
#include "gridcast/base/readable.h"
#include "gridcast/report/format.h"
#include "gridcast/report/page.h"
#include "gridcast/report/scatter.h"

namespace gridcast::measure {
namespace {

constexpr double microsecond = 1e6;

std::string range_of(const Estimate& estimate) {
  return fmt::format("95 % interval {:.4g} to {:.4g}", microsecond * estimate.low,
                     microsecond * estimate.high);
}

std::string statement(const std::string& cluster, const char* name, const Estimate& estimate) {
  return fmt::format("// {}\n{}.{} = {:.6g};\n", range_of(estimate), cluster, name,
                     microsecond * estimate.value);
}

/// What a message costs: one line, or those that its length takes. `own`: seconds of sender and
/// receiver, which a network of ports has apart.
std::string message_statements(const std::string& name, const LinkFit& fit, const Estimate& start,
                               double own) {
  if (fit.segments.size() < 2) {
    return statement(name, "TStart", start) + statement(name, "TByte", fit.per_byte);
  }
  std::string text;
  for (const Segment& segment : fit.segments) {
    text += fmt::format(
        "{}{} ({:.6g}, {:.6g})", text.empty() ? "" : ", ", text.empty() ? 0 : segment.first,
        microsecond * std::max(segment.start - own, 0.0), microsecond * segment.per_byte);
  }
  return fmt::format(
      "// bytes (TStart, TByte): one line is up to {:.0f} % off\n{}.Segments = {{{}}};\n",
      100.0 * fit.worst, name, text);
}

std::string waiting_text(const LinkFit& fit) {
  switch (fit.waiting) {
    case Waiting::none:
      return "messages of several pairs do not wait";
    case Waiting::shared:
      return "messages of several pairs share the network, as ports do";
    case Waiting::queued:
      break;
  }
  return "messages of several pairs follow one another";
}

std::string network_statements(const MeasuredLevel& measured, NetworkModel model) {
  const std::string& name = measured.level.name;
  const LinkFit& fit = measured.fit;
  if (model == NetworkModel::myrinet) {
    return fmt::format("// {} pairs at once{}\n{}.CommType = myrinet ({});\n", fit.channels,
                       fit.all_at_once ? " or more do not wait" : " do not wait, more do", name,
                       fit.channels) +
           message_statements(name, fit, fit.start, 0.0);
  }
  return fmt::format("// {}\n{}.CommType = ports;\n", waiting_text(fit), name) +
         message_statements(name, fit, fit.latency, fit.send.value + fit.receive.value) +
         statement(name, "TSend", fit.send) + statement(name, "TRecv", fit.receive) +
         statement(name, "TGap", fit.gap);
}

std::string segment_text(const Segment& segment) {
  return fmt::format("{} to {} bytes: {} + {:.4g} ns per byte", grouped(segment.first),
                     grouped(segment.last), seconds_text(segment.start), 1e9 * segment.per_byte);
}

std::string estimate_line(const char* name, const Estimate& estimate, double factor,
                          const char* unit) {
  return fmt::format("  {:28} {:>10.4g} {:7} ({:.4g} to {:.4g})\n", name, factor * estimate.value,
                     unit, factor * estimate.low, factor * estimate.high);
}

std::string level_text(const MeasuredLevel& measured) {
  const LinkFit& fit = measured.fit;
  std::string text = fmt::format("network of {}: {} x {}\n", measured.level.name,
                                 measured.level.parts, measured.level.part);
  text += estimate_line("latency L", fit.latency, microsecond, "us");
  text += estimate_line("overhead of sender o_s", fit.send, microsecond, "us");
  text += estimate_line("overhead of receiver o_r", fit.receive, microsecond, "us");
  text += estimate_line("gap g", fit.gap, microsecond, "us");
  text += estimate_line("gap per byte G", fit.per_byte, 1e9, "ns");
  text += fmt::format("  {:28} {:>10}{}\n", "messages at once", fit.channels,
                      fit.all_at_once ? " or more" : "");
  text += "  " + waiting_text(fit) + "\n";
  text += fmt::format("  {:28} {:>10.1f} %\n", "worst error of one line", 100.0 * fit.worst);
  if (fit.segments.size() > 1) {
    text += "  one line is not enough:\n";
    for (const Segment& segment : fit.segments) {
      text += "    " + segment_text(segment) + "\n";
    }
  }
  return text;
}

report::ScatterLine line_of(const Segment& segment) {
  report::ScatterLine line;
  for (std::int64_t bytes = segment.first; bytes <= segment.last; bytes *= 2) {
    const auto size = static_cast<double>(bytes);
    line.points.push_back({size, segment.start + segment.per_byte * size, {}});
  }
  return line;
}

std::string level_section(const MeasuredLevel& measured) {
  report::Scatter scatter;
  scatter.description = "Time of one message over its length";
  scatter.x_title = "length";
  scatter.y_title = "half a round trip";
  scatter.x_text = bytes_text;
  scatter.y_text = seconds_text;
  for (const Sample& sample : measured.samples.single) {
    const double seconds = 0.5 * sample.median();
    scatter.points.push_back(
        {static_cast<double>(sample.bytes), seconds,
         fmt::format("{} bytes: {}", grouped(sample.bytes), seconds_text(seconds))});
  }
  for (const Segment& segment : measured.fit.segments) {
    scatter.lines.push_back(line_of(segment));
  }
  std::string lines;
  for (const Segment& segment : measured.fit.segments) {
    lines += "<li>" + report::escape_html(segment_text(segment)) + "</li>\n";
  }
  return fmt::format(
      "<section class=\"box\"><h2>Network of {}</h2>\n<div class=\"charts\"><figure class=\"box\">"
      "<figcaption>One message</figcaption>{}</figure></div>\n<p>{}</p>\n<ul>{}</ul>\n<pre>{}</pre>"
      "</section>\n",
      report::escape_html(measured.level.name), report::scatter_svg(scatter),
      measured.fit.segments.size() > 1 ? "One line is not enough; these are:"
                                       : "One line is enough:",
      lines, report::escape_html(level_text(measured)));
}

std::string kernels_section(const std::vector<KernelTime>& kernels) {
  std::string text =
      "<section class=\"box\"><h2>Processor</h2>\n<div class=\"scroll\" "
      "tabindex=\"0\"><table><thead><tr><th "
      "class=\"l\">Loop</th><th>per element</th><th>from</th><th>to</th></tr></thead><tbody>\n";
  for (const KernelTime& kernel : kernels) {
    text += fmt::format("<tr><td class=\"l\">{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                        report::escape_html(kernel.name), seconds_text(kernel.seconds),
                        seconds_text(kernel.low), seconds_text(kernel.high));
  }
  return text + "</tbody></table></div></section>\n";
}

}  // namespace

std::string machine_file(const MeasuredMachine& machine, NetworkModel model) {
  if (machine.levels.empty()) {
    throw InputError("one process cannot time a network",
                     "expected at least two: mpirun -n 2 gridcast-measure ...");
  }
  std::string text = fmt::format("// Measured by gridcast-measure: {}.\n", machine.description);
  if (machine.uneven) {
    text += "// Nodes or sockets had different numbers of ranks; the smallest stand here.\n";
  }
  text += fmt::format("\ncluster = {};\nsearch = 0;\n", machine.levels.front().level.name);
  for (const MeasuredLevel& measured : machine.levels) {
    text += fmt::format("\n{} = {{{} x {}}};\n", measured.level.name, measured.level.parts,
                        measured.level.part) +
            network_statements(measured, model);
  }
  if (machine.socket) {
    return text + core_statement(*machine.socket);
  }
  return text +
         "\n// As fast as the machine that recorded the trace; gridcast-measure ratio compares "
         "two.\n"
         "core = 1;\n";
}

std::string machine_text(const MeasuredMachine& machine) {
  std::string text = machine.description + "\n";
  for (const MeasuredLevel& measured : machine.levels) {
    text += "\n" + level_text(measured);
  }
  text += "\nprocessor, per element\n";
  for (const KernelTime& kernel : machine.kernels) {
    text += fmt::format("  {:28} {:>10.4g} ns      ({:.4g} to {:.4g})\n", kernel.name,
                        1e9 * kernel.seconds, 1e9 * kernel.low, 1e9 * kernel.high);
  }
  return machine.socket ? text + "\n" + socket_text(*machine.socket) : text;
}

void write_machine_html(std::ostream& out, const MeasuredMachine& machine) {
  std::string text = report::page_begin("Measured machine", false) +
                     fmt::format("<h1>Measured machine</h1>\n<p class=\"sub\">{}</p>\n",
                                 report::escape_html(machine.description));
  for (const MeasuredLevel& measured : machine.levels) {
    text += level_section(measured);
  }
  text += kernels_section(machine.kernels);
  if (machine.socket) {
    text += socket_section(*machine.socket);
  }
  text += report::page_end();
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
}

}  // namespace gridcast::measure
