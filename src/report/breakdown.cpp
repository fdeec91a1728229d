#include "breakdown.h"

#include <fmt/format.h>

#include <algorithm>

#include "gridcast/base/readable.h"
#include "gridcast/report/format.h"

namespace gridcast::report {

std::array<Part, part_count> parts_of_total(const model::IntervalResult& interval) {
  const model::Characteristics& sums = interval.sums;
  return {{{"Productive CPU", sums.productive_cpu_time},
           {"Productive SYS", sums.productive_sys_time},
           {"Productive I/O", sums.io_time},
           {"Insufficient parallelism", sums.insufficient_parallelism},
           {"I/O communication", sums.operations[0].communication},
           {"Reduction", sums.operations[1].communication},
           {"Shadow edges",
            std::max(0.0, sums.operations[2].communication - interval.pipelined.communication)},
           {"Pipelined loops", interval.pipelined.communication},
           {"Remote access", sums.operations[3].communication},
           {"Redistribution", sums.operations[4].communication},
           {"Idle", sums.idle}}};
}

std::string breakdown_bar(const model::IntervalResult& interval) {
  constexpr double room_for_number = 0.04;
  const double whole = interval.sums.total_time;
  const auto parts = parts_of_total(interval);
  if (whole <= 0.0) {
    return "<p class=\"mute\">No time was spent here.</p>\n";
  }
  std::string bar;
  std::string legend;
  for (std::size_t index = 0; index < parts.size(); ++index) {
    const Part& part = parts[index];
    if (part.seconds <= 0.0) {
      continue;
    }
    const std::size_t number = index + 1;
    const double fraction = part.seconds / whole;
    bar += fmt::format("<i class=\"c{}\" style=\"flex-grow:{:.4f}\" title=\"{}: {}\">{}</i>",
                       number, 1000.0 * fraction, part.name, format_share(part.seconds, whole),
                       fraction >= room_for_number ? std::to_string(number) : std::string());
    legend += fmt::format(
        "<li><b class=\"key c{0}\">{0}</b> {1} <span class=\"num\" title=\"{2} s\">{3}</span> "
        "<span class=\"mute num\">{4}</span></li>",
        number, part.name, exact(part.seconds), seconds_text(part.seconds),
        format_share(part.seconds, whole));
  }
  return fmt::format(
      "<div class=\"stack\" aria-hidden=\"true\">{}</div>\n<ul class=\"legend\">{}</ul>\n", bar,
      legend);
}

}  // namespace gridcast::report
