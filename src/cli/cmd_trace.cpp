#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "commands.h"
#include "gridcast/base/error.h"
#include "gridcast/compile/compile.h"
#include "gridcast/trace/consistency.h"
#include "gridcast/trace/info.h"
#include "inputs.h"
#include "output.h"
#include "run.h"

namespace gridcast::cli {
namespace {

struct InfoOptions {
  std::vector<std::string> traces;
};

struct CheckOptions {
  std::vector<std::string> traces;
};

int run_info(const InfoOptions& options) {
  std::string text;
  for (const std::string& file : options.traces) {
    text += text.empty() ? "" : "\n";
    text += trace::to_text(trace::summarise(trace::read_program(file)));
  }
  print(text);
  return done;
}

/// Two processors on a bus: enough for every kind of operation to communicate.
machine::Cluster check_machine() {
  return machine::Cluster::parse(
      "cluster = pair; pair = {2 x p}; pair.CommType = ethernet;"
      "pair.TStart = 1; pair.TByte = 0.001; p = 1;",
      "machine of the check");
}

/// Remarks about a trace that can be predicted. Throws InputError for one that cannot.
std::vector<std::string> remarks_of(const trace::Program& program, const std::string& file) {
  const model::Compiled compiled = model::compile(program);
  LoadedProgram loaded{compiled.script, model::resolve({}, program), {file}, compiled.warnings};
  const std::int32_t rank = std::max(1, compiled.script.header().grid_rank);
  std::vector<std::int64_t> two(static_cast<std::size_t>(rank), 1);
  two.front() = 2;
  settle(loaded.resolved, 2);
  return predict(loaded, check_machine(), machine::Grid(two)).warnings;
}

int print_findings(const std::vector<trace::Finding>& findings) {
  for (const trace::Finding& finding : findings) {
    print_error(finding.text());
  }
  return findings.empty() ? done : bad_input;
}

/// Everything that is wrong with one trace, or what is to be noted about a right one. The program
/// is kept for what can be said about several together.
int check_file(const std::string& file, std::vector<trace::Program>& programs) {
  trace::Checked checked = trace::check_trace(file);
  if (!checked.findings.empty()) {
    programs.push_back(std::move(*checked.program));
    return print_findings(checked.findings);
  }
  const std::vector<std::string> remarks = remarks_of(*checked.program, file);
  std::string text = fmt::format(
      "{}: OK{}\n", file, remarks.empty() ? "" : fmt::format(", {} to note", remarks.size()));
  for (const std::string& remark : remarks) {
    text += fmt::format("  {}\n", remark);
  }
  print(text);
  programs.push_back(std::move(*checked.program));
  return done;
}

/// Whether the traces are those of all processes of one run.
bool is_one_run(const std::vector<trace::Program>& programs) {
  return programs.size() > 1 && std::ranges::all_of(programs, [&](const trace::Program& program) {
           return program.process_count == static_cast<std::int64_t>(programs.size());
         });
}

int run_check(const CheckOptions& options) {
  int code = done;
  std::vector<trace::Program> programs;
  for (const std::string& file : options.traces) {
    code = std::max(code, run_guarded([&] { return check_file(file, programs); }));
    if (options.traces.size() != programs.size() && programs.size() > 1 &&
        programs.back().process_count != static_cast<std::int64_t>(options.traces.size())) {
      programs.clear();  // not one run: nothing to be compared, nothing to be kept
    }
  }
  if (programs.size() == options.traces.size() && is_one_run(programs)) {
    const std::vector<trace::Finding> findings = trace::check_processes(programs);
    code = std::max(code, print_findings(findings));
    if (findings.empty()) {
      print(fmt::format("{} processes make the same collective calls\n", programs.size()));
    }
  }
  return code;
}

void add_trace_files(CLI::App& command, std::vector<std::string>& traces) {
  command.add_option("TRACE", traces, "Traces (.ptr, also gzip)")->type_name("")->required();
}

void add_info(CLI::App& parent, Session& session) {
  auto options = std::make_shared<InfoOptions>();
  CLI::App& command =
      add_command(parent, session, "info", "Print calls, times, arrays and intervals of traces",
                  "gridcast trace info jac.ptr");
  add_trace_files(command, options->traces);
  on_chosen(command, session, options, run_info);
}

void add_check(CLI::App& parent, Session& session) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App& command =
      add_command(parent, session, "check",
                  "Find everything that is wrong with traces, alone and as those of one run",
                  "gridcast trace check jac.ptr");
  add_trace_files(command, options->traces);
  on_chosen(command, session, options, run_check);
}

}  // namespace

void add_trace(CLI::App& app, Session& session) {
  CLI::App& group = *app.add_subcommand("trace", "Look at, check and make traces");
  group.footer("Example:\n  gridcast trace info jac.ptr");
  group.require_subcommand(1);
  add_info(group, session);
  add_check(group, session);
  add_trace_merge(group, session);
  add_trace_average(group, session);
  add_trace_interpolate(group, session);
  add_trace_generate(group, session);
}

}  // namespace gridcast::cli
