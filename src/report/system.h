#pragma once
/// Text, JSON and pages about a program on a machine as one parallel system.

#include <iosfwd>
#include <string>

#include "gridcast/explain/system.h"
#include "gridcast/report/plot.h"

namespace gridcast::report {

[[nodiscard]] std::string system_text(const model::SystemAnalysis& system);
/// One JSON object, schema gridcast.system/1 (docs/analysis.md).
void write_system_json(std::ostream& out, const model::SystemAnalysis& system);
void write_system_html(std::ostream& out, const model::SystemAnalysis& system);
/// Processors at work over time.
[[nodiscard]] Plot system_plot(const model::SystemAnalysis& system);

}  // namespace gridcast::report
