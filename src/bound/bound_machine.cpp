#include "bound_machine.h"

#include <algorithm>
#include <cmath>

namespace gridcast::model {

void BoundMachine::cover(std::int64_t processors) {
  if (static_cast<std::int64_t>(system_.processors()) >= processors) {
    return;
  }
  // Twice as many as needed now, so that a search expands the machine a few times only.
  const std::int64_t most = cluster_->processors();
  system_ = cluster_->expand(processors > most ? processors : std::min(2 * processors, most));
  forget_ports();
  build_tree();
  const std::size_t count = system_.processors();
  slowest_.resize(count);
  fastest_.resize(count);
  inverse_sums_.assign(1, 0.0);
  equal_ = 0;
  double least = system_.performance.front();
  double largest = least;
  for (std::size_t p = 0; p < count; ++p) {
    least = std::min(least, system_.performance[p]);
    largest = std::max(largest, system_.performance[p]);
    slowest_[p] = least;
    fastest_[p] = largest;
    inverse_sums_.push_back(inverse_sums_.back() + 1.0 / system_.performance[p]);
    equal_ += least == largest ? 1 : 0;
  }
  roots_.clear();
}

void BoundMachine::forget_ports() {
  for (machine::Network& network : system_.networks) {
    if (network.type == machine::NetworkType::ports) {
      network = {machine::NetworkType::myrinet, 1, 0.0, 0.0};
    }
  }
}

void BoundMachine::build_tree() {
  parts_.assign(system_.networks.size(), {});
  const std::size_t count = system_.processors();
  for (std::int32_t level = 0; level < system_.levels; ++level) {
    for (std::size_t p = 0; p < count; ++p) {
      const std::uint32_t id = above(static_cast<std::int64_t>(p), level);
      if (id == machine::ProcessorSystem::no_network) {
        continue;
      }
      Part& part = parts_[id];
      const bool first = part.end == 0;
      part.begin = first ? static_cast<std::int64_t>(p) : part.begin;
      part.end = static_cast<std::int64_t>(p) + 1;
      part.level = level;
      if (first && level > 0) {
        parts_[above(static_cast<std::int64_t>(p), level - 1)].networks.push_back(id);
      }
    }
  }
  for (Part& part : parts_) {
    for (const std::uint32_t below : part.networks) {
      part.largest = std::max(part.largest, parts_[below].end - parts_[below].begin);
    }
  }
}

bool BoundMachine::has_links(std::int64_t n) const noexcept {
  for (std::size_t id = 0; id < parts_.size(); ++id) {
    if (parts_[id].begin < n && system_.networks[id].type == machine::NetworkType::transputer) {
      return true;
    }
  }
  return false;
}

std::span<const double> BoundMachine::roots(std::int64_t root) {
  const auto index = static_cast<std::size_t>(root);
  if (roots_.size() <= index) {
    roots_.resize(index + 1);
  }
  std::vector<double>& values = roots_[index];
  if (values.size() != system_.processors()) {
    values.resize(system_.processors());
    const double exponent = 1.0 / static_cast<double>(root);
    std::transform(system_.performance.begin(), system_.performance.end(), values.begin(),
                   [exponent](double w) { return std::pow(w, exponent); });
  }
  return values;
}

}  // namespace gridcast::model
