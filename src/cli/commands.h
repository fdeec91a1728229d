#pragma once
/// The commands of gridcast: each function adds one, from the file cmd_NAME.cpp.

#include <CLI/CLI.hpp>

#include "options.h"

namespace gridcast::cli {

void add_predict(CLI::App& app, Session& session);
void add_plan(CLI::App& app, Session& session);
void add_sweep(CLI::App& app, Session& session);
void add_robust(CLI::App& app, Session& session);
void add_status(CLI::App& app, Session& session);
void add_watch(CLI::App& app, Session& session);
void add_report(CLI::App& app, Session& session);
void add_plot(CLI::App& app, Session& session);
void add_export(CLI::App& app, Session& session);
void add_merge(CLI::App& app, Session& session);
void add_store(CLI::App& app, Session& session);
void add_trace(CLI::App& app, Session& session);
/// Parts of `trace` that make traces.
void add_trace_merge(CLI::App& parent, Session& session);
void add_trace_average(CLI::App& parent, Session& session);
void add_trace_interpolate(CLI::App& parent, Session& session);
void add_trace_generate(CLI::App& parent, Session& session);

void add_record(CLI::App& app, Session& session);
void add_recording(CLI::App& app, Session& session);
void add_infer(CLI::App& app, Session& session);
void add_tune(CLI::App& app, Session& session);
void add_machine(CLI::App& app, Session& session);
void add_dataset(CLI::App& app, Session& session);
void add_variants(CLI::App& app, Session& session);
void add_analyse(CLI::App& app, Session& session);
void add_calibrate(CLI::App& app, Session& session);
void add_compare(CLI::App& app, Session& session);
/// What helps with the command line itself.
void add_examples(CLI::App& app, Session& session);
/// Makes the names of the shipped programs the words that `examples` takes, if they are found.
void name_examples(CLI::App& app);
void add_completion(CLI::App& app, Session& session);
void add_manual(CLI::App& app, Session& session);

void add_pred(CLI::App& app, Session& session);

}  // namespace gridcast::cli
