#include "run_classes.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <tuple>

namespace gridcast::report {
namespace {

using Kinds = std::map<std::tuple<std::uint32_t, model::Activity, model::Doing>, std::uint32_t>;

std::uint32_t kind_of(const model::Timeline& timeline, const model::Phase& phase, Kinds& known,
                      std::vector<RunKind>& kinds) {
  const auto [entry, fresh] = known.try_emplace({phase.place, phase.activity, phase.doing},
                                                static_cast<std::uint32_t>(kinds.size()));
  if (fresh) {
    const char* const doing = model::name(phase.doing);
    kinds.push_back({phase.doing, phase.doing == model::Doing::idle
                                      ? std::string(doing)
                                      : fmt::format("{} {} {}", doing, model::name(phase.activity),
                                                    timeline.places[phase.place])});
  }
  return entry->second;
}

}  // namespace

RunClasses classes_of(const model::Timeline& timeline) {
  RunClasses result;
  Kinds known;
  std::vector<RunClass> lines(timeline.processors);
  const double unit = static_cast<double>(run_ticks) / timeline.execution_time;
  for (const model::Phase& phase : timeline.phases) {
    RunClass& line = lines[phase.processor];
    line.of[static_cast<std::size_t>(phase.doing)] +=
        (phase.end - phase.begin) / timeline.execution_time;
    const auto end = static_cast<std::int64_t>(std::llround(phase.end * unit));
    if (end > (line.steps.empty() ? 0 : line.steps.back().end)) {
      line.steps.push_back({end, kind_of(timeline, phase, known, result.kinds)});
    }
  }
  std::map<std::vector<RunStep>, std::uint32_t> numbers;
  for (std::size_t p = 0; p < lines.size(); ++p) {
    const auto [entry, fresh] =
        numbers.try_emplace(lines[p].steps, static_cast<std::uint32_t>(result.classes.size()));
    if (fresh) {
      result.classes.push_back(std::move(lines[p]));
      result.classes.back().first = p;
    }
    ++result.classes[entry->second].processors;
    result.of_processor.push_back(entry->second);
  }
  return result;
}

}  // namespace gridcast::report
