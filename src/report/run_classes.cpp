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

/// What tells the classes apart: the steps without what is too short to be told.
std::vector<RunStep> coarse(const std::vector<RunStep>& steps) {
  std::vector<RunStep> result;
  for (const RunStep& step : steps) {
    const std::int64_t end = (step.end + class_ticks / 2) / class_ticks;
    if (end > (result.empty() ? 0 : result.back().end)) {
      result.push_back({end, step.kind});
    }
  }
  return result;
}

std::vector<std::int64_t> thousandths(const RunShares& shares) {
  std::vector<std::int64_t> result;
  for (const double share : shares) {
    result.push_back(std::llround(1000.0 * share));
  }
  return result;
}

void group_lines(std::vector<std::vector<RunStep>>& lines, RunClasses& result) {
  std::map<std::vector<RunStep>, std::size_t> numbers;
  for (std::size_t p = 0; p < lines.size(); ++p) {
    const auto [entry, fresh] = numbers.try_emplace(coarse(lines[p]), result.classes.size());
    if (fresh) {
      result.classes.push_back({std::move(lines[p]), p, 0});
    }
    ++result.classes[entry->second].processors;
  }
}

void group_shares(const std::vector<RunShares>& shares, RunClasses& result) {
  std::map<std::vector<std::int64_t>, std::uint32_t> numbers;
  for (const RunShares& own : shares) {
    const auto [entry, fresh] =
        numbers.try_emplace(thousandths(own), static_cast<std::uint32_t>(result.shares.size()));
    if (fresh) {
      result.shares.push_back(own);
    }
    result.of_processor.push_back(entry->second);
  }
}

}  // namespace

RunClasses classes_of(const model::Timeline& timeline) {
  RunClasses result;
  Kinds known;
  std::vector<std::vector<RunStep>> lines(timeline.processors);
  std::vector<RunShares> shares(timeline.processors);
  const double unit = static_cast<double>(run_ticks) / timeline.execution_time;
  for (const model::Phase& phase : timeline.phases) {
    shares[phase.processor][static_cast<std::size_t>(phase.doing)] +=
        (phase.end - phase.begin) / timeline.execution_time;
    std::vector<RunStep>& steps = lines[phase.processor];
    const auto end = static_cast<std::int64_t>(std::llround(phase.end * unit));
    if (end > (steps.empty() ? 0 : steps.back().end)) {
      steps.push_back({end, kind_of(timeline, phase, known, result.kinds)});
    }
  }
  group_lines(lines, result);
  group_shares(shares, result);
  return result;
}

}  // namespace gridcast::report
