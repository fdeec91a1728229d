#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "gridcast/report/format.h"
#include "gridcast/report/text.h"

namespace gridcast::report {
namespace {

using model::Characteristics;
using model::Operation;

/// Below this share of the total time a loss is not worth a sentence.
constexpr double negligible = 1e-4;
/// Losses after the largest one are named from this share of the lost time on, so many at most.
constexpr double worth_naming = 0.15;
constexpr std::size_t most_named = 3;
std::string percent(double part, double whole) {
  return fmt::format("{:.0f} %", 100.0 * share(part, whole));
}

/// At the start of a sentence.
std::string share_in_sentence(double part, double whole) {
  return share(part, whole) > 0.995 ? "All" : percent(part, whole);
}

/// One part of the lost time; the parts add up to it.
struct NamedLoss {
  std::string name;
  double seconds = 0.0;
};

/// An operation of the run-time library: what it takes itself, and the waiting before it for
/// processors that arrive later, which has other causes than the operation.
struct OperationLoss {
  std::string_view name;
  std::string_view before;  ///< where the waiting is, in a sentence
  double itself = 0.0;
  double waiting = 0.0;
};

using OperationLosses = std::array<OperationLoss, model::operation_count + 1>;

/// The operations by kind, pipelined loops apart from other exchanges of shadow edges.
OperationLosses operations_of(const model::IntervalResult& interval) {
  const auto& kinds = interval.sums.operations;
  const auto loss = [](std::string_view name, std::string_view before,
                       const model::OperationTimes& times) {
    return OperationLoss{name, before, times.communication - times.synch, times.synch};
  };
  const model::OperationTimes& pipelined = interval.pipelined;
  model::OperationTimes exchange = kinds[static_cast<std::size_t>(Operation::shadow)];
  exchange.synch = std::max(0.0, exchange.synch - pipelined.synch);
  exchange.communication =
      std::max(exchange.synch, exchange.communication - pipelined.communication);
  return {{loss("broadcast of input", "input", kinds[static_cast<std::size_t>(Operation::io)]),
           loss("reduction", "reductions", kinds[static_cast<std::size_t>(Operation::reduction)]),
           loss("exchange of shadow edges", "exchanges of shadow edges", exchange),
           loss("pipelining of loops with dependences", "pipelined loops", pipelined),
           loss("remote access", "remote accesses",
                kinds[static_cast<std::size_t>(Operation::remote_access)]),
           loss("redistribution", "redistributions",
                kinds[static_cast<std::size_t>(Operation::redistribution)])}};
}

NamedLoss waiting_before(const OperationLosses& operations) {
  double waiting = 0.0;
  const OperationLoss* most = operations.data();
  for (const OperationLoss& operation : operations) {
    waiting += operation.waiting;
    most = operation.waiting > most->waiting ? &operation : most;
  }
  const double part = share(most->waiting, waiting);
  return {fmt::format("waiting for other processors to arrive{}{}",
                      part > 0.995 ? " before "
                      : part > 0.5 ? ", mostly before "
                                   : "",
                      part > 0.5 ? most->before : std::string_view()),
          waiting};
}

/// All parts of the lost time, the largest first.
std::vector<NamedLoss> losses_of(const model::IntervalResult& interval) {
  const Characteristics& sums = interval.sums;
  const OperationLosses operations = operations_of(interval);
  std::vector<NamedLoss> losses{
      {"computation repeated on several processors", sums.insufficient_parallelism_usr},
      {"work of the run-time library repeated on several processors",
       sums.insufficient_parallelism_sys},
      waiting_before(operations),
      {"idle time of processors that finish early or take no part", sums.idle}};
  for (const OperationLoss& operation : operations) {
    losses.push_back({std::string(operation.name), operation.itself});
  }
  std::stable_sort(losses.begin(), losses.end(),
                   [](const NamedLoss& a, const NamedLoss& b) { return a.seconds > b.seconds; });
  return losses;
}

std::string imbalance_sentence(const Characteristics& sums) {
  const double waiting = sums.idle + sums.synchronization;
  if (share(sums.load_imbalance, sums.total_time) < 0.01 || sums.load_imbalance < 0.5 * waiting) {
    return {};
  }
  return fmt::format(" The load is uneven: load imbalance is {} of the total time.",
                     percent(sums.load_imbalance, sums.total_time));
}

}  // namespace

std::string explain(const model::IntervalResult& interval) {
  const Characteristics& sums = interval.sums;
  if (sums.lost_time <= negligible * sums.total_time) {
    return "Hardly any time is lost.";
  }
  const std::vector<NamedLoss> losses = losses_of(interval);
  std::string text =
      fmt::format("{} of the lost time is {}", share_in_sentence(losses[0].seconds, sums.lost_time),
                  losses[0].name);
  for (std::size_t i = 1; i < most_named; ++i) {
    if (losses[i].seconds >= worth_naming * sums.lost_time) {
      text += fmt::format("; {} is {}", percent(losses[i].seconds, sums.lost_time), losses[i].name);
    }
  }
  return text + "." + imbalance_sentence(sums);
}

}  // namespace gridcast::report
