#include "transfer_parts.h"

#include <algorithm>

#include "gridcast/network/networks.h"

namespace gridcast::model {
namespace {

/// What a message costs, of which some may be left out.
struct Charged {
  bool start = true;
  bool bytes = true;
  bool packing = true;
};

/// When the ends of a message are through with it.
struct Ends {
  double sender = 0.0;
  double receiver = 0.0;
};

/// A communication in which no message waits for another.
class FreeRun {
public:
  FreeRun(const network::Communication& communication, const machine::ProcessorSystem& system,
          const machine::Grid& grid, const Charged& charged)
      : communication_(communication), system_(system), grid_(grid), charged_(charged) {}

  std::vector<TransferParts> run() {
    result_.assign(system_.processors(), {});
    if (communication_.one_by_one) {
      for (const network::Transfer& transfer : communication_.transfers) {
        add(transfer, std::max(result_[transfer.from].end, result_[transfer.to].end));
      }
      return std::move(result_);
    }
    for (std::size_t round = 0; round < communication_.rounds.size(); ++round) {
      const std::vector<TransferParts> before = result_;
      for (const network::Transfer& transfer : communication_.round(round)) {
        add(transfer, before[transfer.from].end);
      }
    }
    if (!communication_.rounds.empty()) {
      return std::move(result_);
    }
    double at = 0.0;
    for (std::size_t phase = 0; phase < communication_.phases(); ++phase) {
      double last = at;
      for (const network::Transfer& transfer : communication_.phase(phase)) {
        const Ends ends = add(transfer, at);
        last = std::max({last, ends.sender, ends.receiver});
      }
      at = last;
    }
    return std::move(result_);
  }

private:
  [[nodiscard]] double packing(const std::vector<double>& seconds, std::uint32_t p) const {
    return charged_.packing && !seconds.empty() ? seconds[p] : 0.0;
  }

  [[nodiscard]] Ends alone(const network::Transfer& transfer, const machine::Network& network,
                           double ready) const {
    const double start = charged_.start ? 1.0 : 0.0;
    const double bytes = charged_.bytes ? 1.0 : 0.0;
    if (network.type == machine::NetworkType::ports) {
      const double sent = ready + start * network.send_time;
      const double through = sent + bytes * network.time_of(transfer.bytes);
      return {through, through + start * (network.start_of(transfer.bytes) + network.receive_time)};
    }
    const double time =
        network.type == machine::NetworkType::transputer
            ? network::pipelined_message_time(
                  grid_.distance(transfer.from, transfer.to), transfer.bytes,
                  start * network.start_of(transfer.bytes), bytes * network.byte_of(transfer.bytes))
            : start * network.start_of(transfer.bytes) + bytes * network.time_of(transfer.bytes);
    return {ready + time, ready + time};
  }

  Ends add(const network::Transfer& transfer, double start) {
    const std::uint32_t id = system_.common_network(transfer.from, transfer.to);
    const machine::Network& network = system_.networks[id];
    Ends ends = alone(transfer, network, start + packing(communication_.packing, transfer.from));
    ends.receiver += packing(communication_.unpacking, transfer.to);
    const auto take = [&](std::uint32_t p, double end) {
      TransferParts& parts = result_[p];
      if (end >= parts.end) {
        parts.end = end;
        parts.network = id;
        parts.queues = network.type != machine::NetworkType::transputer;
      }
    };
    take(transfer.from, ends.sender);
    take(transfer.to, ends.receiver);
    return ends;
  }

  const network::Communication& communication_;
  const machine::ProcessorSystem& system_;
  const machine::Grid& grid_;
  Charged charged_;
  std::vector<TransferParts> result_;
};

/// Divides an end in proportion to what it would be if only starts, bytes or packing took time.
void divide(TransferParts& parts, double start, double bytes, double packing) {
  const double sum = start + bytes + packing;
  if (!(sum > 0.0)) {
    parts.latency = parts.end;
    return;
  }
  parts.bandwidth = parts.end * (bytes / sum);
  parts.overhead = parts.end * (packing / sum);
  parts.latency = parts.end - parts.bandwidth - parts.overhead;
}

}  // namespace

TransferParts parts_of(const network::Transfer& message, const machine::ProcessorSystem& system,
                       const machine::Grid& grid) {
  TransferParts parts;
  parts.network = system.common_network(message.from, message.to);
  const machine::Network& network = system.networks[parts.network];
  parts.queues = network.type != machine::NetworkType::transputer;
  const double start = network.start_of(message.bytes);
  const double bytes = network.time_of(message.bytes);
  parts.end = parts.queues ? start + bytes
                           : network::pipelined_message_time(
                                 grid.distance(message.from, message.to), message.bytes, network);
  divide(parts, start, bytes, 0.0);
  return parts;
}

MessageParts divided(const TransferParts& parts, double seconds, double time) {
  MessageParts divided;
  if (parts.queues && time > parts.end) {
    divided.contention = seconds * ((time - parts.end) / time);
  }
  const double alone = seconds - divided.contention;
  divided.bandwidth = parts.end > 0.0 ? alone * (parts.bandwidth / parts.end) : 0.0;
  divided.latency = alone - divided.bandwidth;
  return divided;
}

std::vector<TransferParts> parts_of(const Transfers& transfers,
                                    const machine::ProcessorSystem& system,
                                    const machine::Grid& grid) {
  if (transfers.fixed_time) {
    TransferParts parts;
    parts.end = *transfers.fixed_time;
    parts.queues = false;
    const machine::Network& links = system.networks.front();
    divide(parts, links.start_of(transfers.fixed_bytes), links.time_of(transfers.fixed_bytes), 0.0);
    return std::vector<TransferParts>(system.processors(), parts);
  }
  const auto ends = [&](const Charged& charged) {
    return FreeRun(transfers.communication, system, grid, charged).run();
  };
  std::vector<TransferParts> result = ends({});
  const std::vector<TransferParts> start = ends({true, false, false});
  const std::vector<TransferParts> bytes = ends({false, true, false});
  const std::vector<TransferParts> packing = ends({false, false, true});
  for (std::size_t p = 0; p < result.size(); ++p) {
    divide(result[p], start[p].end, bytes[p].end, packing[p].end);
  }
  return result;
}

}  // namespace gridcast::model
