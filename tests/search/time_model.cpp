#include "time_model.h"

#include <algorithm>
#include <array>
#include <map>

namespace search_test {
namespace {

using gridcast::machine::Grid;

/// Elements along one dimension on coordinate q with blocks of ceil(d/P).
std::int64_t block(std::int64_t extent, std::int64_t processors, std::int64_t q) {
  const std::int64_t size = (extent + processors - 1) / processors;
  return std::clamp<std::int64_t>(extent - q * size, 0, size);
}

/// The time of a set of transfers that all start at once: each takes the channel of its network
/// that is free first.
class Transfers {
public:
  explicit Transfers(const Machine& machine) : machine_(machine) {}

  void add(std::int64_t from, std::int64_t to, double bytes) {
    const std::int64_t node = from / machine_.node_size;
    const bool inside = machine_.node_size > 1 && node == to / machine_.node_size;
    const Network& network = inside ? machine_.inner : machine_.outer;
    auto& channels = busy_[inside ? node : -1];
    channels.resize(static_cast<std::size_t>(network.channels));
    double& channel = *std::min_element(channels.begin(), channels.end());
    channel += network.start_time + bytes * network.byte_time;
    end_ = std::max(end_, channel);
  }

  double end() const { return end_; }

private:
  const Machine& machine_;
  std::map<std::int64_t, std::vector<double>> busy_;
  double end_ = 0.0;
};

double shadow_time(const Stencil& program, const Machine& machine, const Grid& grid) {
  Transfers transfers(machine);
  const std::int64_t processors = grid.processors();
  for (std::int64_t p = 0; p < processors; ++p) {
    std::array<std::int64_t, 4> held{1, 1, 1, 1};
    std::array<std::int64_t, 4> coordinate{};
    std::array<std::int64_t, 4> stride{};
    std::int64_t below = 1;
    double elements = 1.0;
    for (int dim = grid.rank() - 1; dim >= 0; --dim) {
      const auto d = static_cast<std::size_t>(dim);
      coordinate[d] = p / below % grid.extent(dim);
      stride[d] = below;
      below *= grid.extent(dim);
      held[d] = block(program.extents[d], grid.extent(dim), coordinate[d]);
      elements *= static_cast<double>(held[d]);
    }
    for (std::size_t d = static_cast<std::size_t>(grid.rank()); d < program.extents.size(); ++d) {
      elements *= static_cast<double>(program.extents[d]);
    }
    if (elements == 0.0) {
      continue;
    }
    for (int dim = 0; dim < grid.rank(); ++dim) {
      const auto d = static_cast<std::size_t>(dim);
      const double bytes = 8.0 * elements / static_cast<double>(held[d]);
      if (coordinate[d] > 0) {
        transfers.add(p, p - stride[d], bytes);
      }
      if (coordinate[d] + 1 < grid.extent(dim) &&
          block(program.extents[d], grid.extent(dim), coordinate[d] + 1) > 0) {
        transfers.add(p, p + stride[d], bytes);
      }
    }
  }
  return transfers.end();
}

double reduction_time(const Machine& machine, std::int64_t processors) {
  constexpr double bytes = 16.0;
  Transfers gather(machine);
  Transfers broadcast(machine);
  for (std::int64_t p = 1; p < processors; ++p) {
    gather.add(p, 0, bytes);
    broadcast.add(0, p, bytes);
  }
  return gather.end() + broadcast.end();
}

double elements_of(const Stencil& program) {
  double elements = 1.0;
  for (const std::int64_t extent : program.extents) {
    elements *= static_cast<double>(extent);
  }
  return elements;
}

}  // namespace

double computation_bound(const Stencil& program, const Grid& grid) {
  double largest = 1.0;
  for (std::size_t d = 0; d < program.extents.size(); ++d) {
    largest *= static_cast<double>(block(program.extents[d], grid.extent(static_cast<int>(d)), 0));
  }
  return program.iterations * (largest * program.seconds_per_element);
}

double reduction_bound(const Stencil& program, const Machine& machine, const Grid& grid) {
  // A little less than the sum: rounding must not lift it above evaluate().
  return (1.0 - 1e-12) * (computation_bound(program, grid) +
                          program.iterations * reduction_time(machine, grid.processors()));
}

gridcast::search::Outcome evaluate(const Stencil& program, const Machine& machine,
                                   const Grid& grid) {
  const double communication =
      shadow_time(program, machine, grid) + reduction_time(machine, grid.processors());
  const double time = computation_bound(program, grid) + program.iterations * communication;
  const double serial = program.iterations * (elements_of(program) * program.seconds_per_element);
  return {grid, false, time, serial / (time * static_cast<double>(grid.processors()))};
}

}  // namespace search_test
