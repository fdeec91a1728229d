#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "format.h"
#include "gridcast/report/text.h"

namespace gridcast::report {
namespace {

using model::Characteristics;
using model::Operation;

/// Below this share of the total time a loss is not worth a sentence.
constexpr double negligible = 1e-4;

std::string percent(double part, double whole) {
  return fmt::format("{:.0f} %", 100.0 * share(part, whole));
}

/// At the start of a sentence.
std::string share_in_sentence(double part, double whole) {
  return share(part, whole) > 0.995 ? "All" : percent(part, whole);
}

std::string_view kind_in_sentence(std::size_t kind) {
  constexpr std::array<std::string_view, model::operation_count> names{
      "broadcast of input", "reduction", "exchange of shadow edges", "remote access",
      "redistribution"};
  return names[kind];
}

std::string communication_detail(const Characteristics& sums) {
  std::size_t largest = 0;
  for (std::size_t kind = 1; kind < model::operation_count; ++kind) {
    if (sums.operations[kind].communication > sums.operations[largest].communication) {
      largest = kind;
    }
  }
  const double part = share(sums.operations[largest].communication, sums.communication);
  std::string detail = part > 0.999 ? fmt::format(", all of it {}", kind_in_sentence(largest))
                       : part > 0.5 ? fmt::format(", mostly {}", kind_in_sentence(largest))
                                    : fmt::format(", {} foremost", kind_in_sentence(largest));
  if (share(sums.communication_synch, sums.communication) >= 0.25) {
    detail += fmt::format(" ({} of it waiting for other processors to arrive)",
                          percent(sums.communication_synch, sums.communication));
  }
  return detail;
}

std::string insufficient_detail(const Characteristics& sums) {
  return sums.insufficient_parallelism_usr >= sums.insufficient_parallelism_sys
             ? ", mostly computation repeated on several processors"
             : ", mostly run-time library work repeated on every processor";
}

struct Loss {
  double seconds;
  std::string_view name;
  std::string detail;
};

std::string imbalance_sentence(const Characteristics& sums) {
  const double waiting = sums.idle + sums.synchronization;
  if (share(sums.load_imbalance, sums.total_time) < 0.01 || sums.load_imbalance < 0.5 * waiting) {
    return {};
  }
  return fmt::format(" The load is uneven: load imbalance is {} of the total time.",
                     percent(sums.load_imbalance, sums.total_time));
}

}  // namespace

std::string explain(const Characteristics& sums) {
  if (sums.lost_time <= negligible * sums.total_time) {
    return "Hardly any time is lost.";
  }
  std::vector<Loss> losses{
      {sums.communication, "communication", communication_detail(sums)},
      {sums.insufficient_parallelism, "insufficient parallelism", insufficient_detail(sums)},
      {sums.idle, "idle time", ", processors that finish before the slowest one"}};
  std::stable_sort(losses.begin(), losses.end(),
                   [](const Loss& a, const Loss& b) { return a.seconds > b.seconds; });
  std::string text = fmt::format("{} of the lost time is {}{}",
                                 share_in_sentence(losses[0].seconds, sums.lost_time),
                                 losses[0].name, losses[0].detail);
  if (losses[1].seconds >= 0.15 * sums.lost_time) {
    text += fmt::format("; {} is {}{}", percent(losses[1].seconds, sums.lost_time), losses[1].name,
                        losses[1].detail);
  }
  return text + "." + imbalance_sentence(sums);
}

}  // namespace gridcast::report
