#pragma once
/// Internal: of what the time of a communication consists for each processor.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gridcast/machine/cluster.h"
#include "gridcast/machine/grid.h"
#include "gridcast/rules/transfers.h"

namespace gridcast::model {

/// If every message had its network for itself. Seconds after the start of the communication;
/// latency, bandwidth and overhead add up to `end`.
struct TransferParts {
  double end = 0.0;
  double latency = 0.0;
  double bandwidth = 0.0;
  double overhead = 0.0;      ///< packing and unpacking
  std::uint32_t network = 0;  ///< instance that its last message uses
  bool queues = true;         ///< messages can wait for each other there
};

/// The parts of one message; `end` from the moment on at which it may go.
[[nodiscard]] TransferParts parts_of(const network::Transfer& message,
                                     const machine::ProcessorSystem& system,
                                     const machine::Grid& grid);

/// Of what is shown of a message that takes `time`: seconds.
struct MessageParts {
  double latency = 0.0, bandwidth = 0.0;
  double contention = 0.0;  ///< it shares its network with others
};

/// Divides `seconds` of a message that takes `time` and would take parts.end alone.
[[nodiscard]] MessageParts divided(const TransferParts& parts, double seconds, double time);

/// The parts for every processor of the root grid.
[[nodiscard]] std::vector<TransferParts> parts_of(const Transfers& transfers,
                                                  const machine::ProcessorSystem& system,
                                                  const machine::Grid& grid);

}  // namespace gridcast::model
