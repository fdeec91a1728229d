#pragma once
/// Internal: the machine as a lower bound sees it: the tree of networks over ranges of processors,
/// and figures of the first n processors for every n.

#include <cstdint>
#include <span>
#include <vector>

#include "gridcast/machine/cluster.h"

namespace gridcast::model {

class BoundMachine {
public:
  /// One network and the processors [begin, end) under it.
  struct Part {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int32_t level = 0;
    std::int64_t largest = 0;             ///< processors of the largest network right below
    std::vector<std::uint32_t> networks;  ///< right below, in order of their processors
  };

  /// `cluster` must outlive this object.
  explicit BoundMachine(const machine::Cluster& cluster) : cluster_(&cluster) {}

  /// From now on at least the first `processors` are known. Throws InputError if there are fewer.
  void cover(std::int64_t processors);

  [[nodiscard]] const machine::ProcessorSystem& system() const noexcept { return system_; }
  [[nodiscard]] const machine::Network& network(std::uint32_t id) const noexcept {
    return system_.networks[id];
  }
  [[nodiscard]] const Part& part(std::uint32_t network) const noexcept { return parts_[network]; }
  /// One network above all processors.
  [[nodiscard]] bool flat() const noexcept { return system_.levels == 1; }
  [[nodiscard]] std::uint32_t common(std::int64_t a, std::int64_t b) const noexcept {
    return system_.common_network(static_cast<std::size_t>(a), static_cast<std::size_t>(b));
  }
  /// The network at depth `level` above a processor, or no_network.
  [[nodiscard]] std::uint32_t above(std::int64_t processor, std::int32_t level) const noexcept {
    return system_.ancestors[static_cast<std::size_t>(level) * system_.processors() +
                             static_cast<std::size_t>(processor)];
  }

  [[nodiscard]] double performance(std::int64_t p) const noexcept {
    return system_.performance[static_cast<std::size_t>(p)];
  }
  // Of the first n processors.
  [[nodiscard]] bool equal(std::int64_t n) const noexcept { return n <= equal_; }
  [[nodiscard]] double slowest(std::int64_t n) const noexcept {
    return slowest_[static_cast<std::size_t>(n - 1)];
  }
  [[nodiscard]] double fastest(std::int64_t n) const noexcept {
    return fastest_[static_cast<std::size_t>(n - 1)];
  }

  /// Σ 1/performance.
  [[nodiscard]] double inverse_sum(std::int64_t n) const noexcept {
    return inverse_sums_[static_cast<std::size_t>(n)];
  }
  /// Whether a network above some of the first n processors is a grid of links.
  [[nodiscard]] bool has_links(std::int64_t n) const noexcept;

  /// performance^(1/root) of each processor.
  std::span<const double> roots(std::int64_t root);

private:
  /// What networks of ports cost is not bounded: messages take no time there.
  void forget_ports();
  void build_tree();

  const machine::Cluster* cluster_;
  machine::ProcessorSystem system_;
  std::vector<Part> parts_;
  std::vector<double> slowest_, fastest_;
  std::vector<double> inverse_sums_;  // one more: of none first
  std::int64_t equal_ = 0;            // so many processors at the front are as fast as the first
  std::vector<std::vector<double>> roots_;
};

}  // namespace gridcast::model
