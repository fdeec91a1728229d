/// Which way the ends of a communication are found in.

#include <cmath>

#include "bus_ends.h"
#include "folded_networks.h"
#include "gridcast/network/class_networks.h"
#include "gridcast/network/message_time.h"
#include "link_ends.h"
#include "port_ends.h"
#include "spread_ends.h"
#include "transposed_ends.h"
#include "tree_ends.h"

namespace gridcast::network {

/// Those for one network, then those for trees.
struct ClassCommunication::Ways {
  LinkEnds links;
  PortEnds ports;
  BusEnds bus;
  SpreadEnds spread;
  FoldedEnds folded;
  TreeEnds tree;
  TransposedEnds transposed;
};

namespace {

/// All processors but the root get the same from it.
Spread spread_of(const ProcessorClasses& classes, const Fan& fan) {
  Spread spread;
  spread.reads = spread.sends = true;
  spread.bytes = fan.bytes;
  spread.fixed.fill(true);
  spread.at = classes.coordinates_of(fan.root);
  for (int dim = 0; dim < classes.rank(); ++dim) {
    spread.hi[static_cast<std::size_t>(dim)] = classes.extent(dim);
  }
  return spread;
}

/// How many processors speak for those that hold the same iterations of a loop, those up to the
/// root not counted, under each network above the root but not under the one below that.
std::vector<std::int64_t> speakers_behind(const ProcessorClasses& classes,
                                          const mapping::ClassLayout& loop, std::int64_t root,
                                          std::span<const NetworkLevel> levels) {
  std::vector<std::int64_t> result;
  std::int64_t so_far = loop.speakers_below(classes, root + 1);
  for (std::size_t level = 0; level < levels.size(); ++level) {
    const std::int64_t size = levels[level].size;
    const bool top = level + 1 == levels.size();
    const std::int64_t end = top ? classes.processors() : (root / size + 1) * size;
    const std::int64_t here = loop.speakers_below(classes, end);
    result.push_back(here - so_far);
    so_far = here;
  }
  return result;
}

}  // namespace

ClassCommunication::ClassCommunication(ClassNetworks& networks)
    : networks_(&networks), ways_(std::make_unique<Ways>()) {}

ClassCommunication::~ClassCommunication() = default;

ClassEnds* ClassCommunication::nothing() {
  ways_->links.be_silent();
  return &ways_->links;
}

ClassEnds* ClassCommunication::exchange(const ProcessorClasses& classes,
                                        const ClassExchange& exchange) {
  ClassNetworks& networks = *networks_;
  const double copy_time = networks.cluster_->library().copy;
  if (exchange.empty()) {
    return nothing();
  }
  if (networks.ports()) {
    ways_->ports.work_out(classes, exchange, networks.port_levels_, copy_time);
    return &ways_->ports;
  }
  if ((networks.links_below_ && !networks.flat_) || copy_time > 0.0 ||
      (exchange.rings() && networks.links())) {
    return nullptr;  // links under others; packing lets messages begin at different times
  }
  if (exchange.rings()) {  // the first and the last row are neighbours: no row repeats another
    list_.work_out(classes, exchange, networks.system());
    return &list_;
  }
  if (networks.links()) {
    ways_->links.work_out(classes, exchange, networks.top_);
    return &ways_->links;
  }
  if (networks.one_channel()) {
    ways_->bus.work_out(classes, exchange, networks.top_, later_);
    return &ways_->bus;
  }
  if (!networks.levels_.empty()) {
    fold_exchange(classes, exchange, networks.levels_, ways_->folded);
    return &ways_->folded;
  }
  list_.work_out(classes, exchange, networks.system());
  return &list_;
}

ClassEnds* ClassCommunication::broadcast(const ProcessorClasses& classes, const Fan& fan,
                                         const mapping::ClassLayout* loop) {
  const ClassNetworks& networks = *networks_;
  if (!(fan.bytes > 0.0) || classes.processors() == 1) {
    return nothing();
  }
  if (networks.ports()) {
    return fan_over_ports(classes, fan, loop);
  }
  if (networks.flat_) {
    const machine::Network& network = networks.top_;
    // One after the other, as many at a time as there are channels.
    const double rounds =
        loop != nullptr ? std::ceil((fan.representatives - 1.0) / network.channels) : 0.0;
    ways_->spread.copy(0.0);
    ways_->spread.work_out(classes, spread_of(classes, fan), network,
                           later_ + rounds * channel_time(network, fan.bytes));
    return &ways_->spread;
  }
  if (networks.levels_.empty()) {
    return nullptr;
  }
  fold_fan(classes, fan, networks.levels_,
           loop != nullptr ? speakers_behind(classes, *loop, fan.root, networks.levels_)
                           : std::vector<std::int64_t>{},
           {}, ways_->folded);
  return &ways_->folded;
}

ClassEnds* ClassCommunication::fan_over_ports(const ProcessorClasses& classes, const Fan& fan,
                                              const mapping::ClassLayout* loop,
                                              const ClassEnds* before, double later) {
  const std::span<const NetworkLevel> levels = networks_->port_levels_;
  ways_->spread.copy(0.0);
  const Spread spread = spread_of(classes, fan);
  std::vector<std::uint8_t> speaks;
  SpreadEnds::Gather gather;
  if (loop != nullptr) {
    loop->speakers(classes, speaks);
    const std::vector<std::int64_t> speaking = speakers_behind(classes, *loop, fan.root, levels);
    gather.root = before == nullptr ? gather_over_ports(levels, fan.bytes, speaking)
                                    : before->over_ports()->gather_behind(fan.bytes, fan.root,
                                                                          speaks, speaking, later);
    gather.from = speaks;
  }
  if (before != nullptr && before->busy() - later > gather.root.until) {
    return nullptr;  // it meets what is handed out, too
  }
  return ways_->spread.work_out_ports(classes, spread, levels, gather) ? &ways_->spread : nullptr;
}

ClassEnds* ClassCommunication::broadcast_behind(const ProcessorClasses& classes, const Fan& fan,
                                                const ClassEnds& before, double later) {
  std::vector<double> taken;  // after the start of the broadcast
  if (networks_->levels_.empty() || before.once() || !before.channel_ends(taken, later)) {
    return nullptr;
  }
  std::erase_if(taken, [later](double end) { return !(end > later); });
  for (double& end : taken) {
    end -= later;
  }
  fold_fan(classes, fan, networks_->levels_, {}, taken, ways_->folded);
  return &ways_->folded;
}

ClassEnds* ClassCommunication::reduction(const ProcessorClasses& classes,
                                         const mapping::ClassLayout& loop, double bytes) {
  return networks_->links() ? reduction_over_links(classes, loop, bytes)
                            : broadcast(classes, reduction_fan(classes, loop, bytes), &loop);
}

ClassEnds* ClassCommunication::tree_reduction(const ProcessorClasses& classes,
                                              const mapping::ClassLayout& loop, double bytes) {
  const Fan fan = reduction_fan(classes, loop, bytes);
  if (!(fan.bytes > 0.0) || classes.processors() == 1) {
    return nothing();
  }
  return networks_->ports() && ways_->tree.work_out(classes, loop, fan, networks_->port_levels_)
             ? &ways_->tree
             : nullptr;
}

ClassEnds* ClassCommunication::reduction_behind(const ProcessorClasses& classes,
                                                const mapping::ClassLayout& loop, double bytes,
                                                const ClassEnds& before, double later) {
  const Fan fan = reduction_fan(classes, loop, bytes);
  return fan.bytes > 0.0 && before.over_ports() != nullptr
             ? fan_over_ports(classes, fan, &loop, &before, later)
             : nullptr;
}

ClassEnds* ClassCommunication::reduction_over_links(const ProcessorClasses& classes,
                                                    const mapping::ClassLayout& loop,
                                                    double bytes) {
  if (!(reduction_fan(classes, loop, bytes).bytes > 0.0)) {
    return nothing();
  }
  std::int64_t distance = 0;
  for (int dim = 0; dim < classes.rank(); ++dim) {
    const mapping::AxisCut& cut = loop.cuts[static_cast<std::size_t>(dim)];
    if (!loop.replicated[static_cast<std::size_t>(dim)]) {
      distance += 2 * (cut.holders() / 2) + classes.extent(dim) - cut.holders();
    }
  }
  const machine::Network& links = networks_->top_;
  ways_->links.work_out_fixed(classes, channel_time(links, bytes) * static_cast<double>(distance));
  return &ways_->links;
}

ClassEnds* ClassCommunication::transposition(const ProcessorClasses& classes,
                                             const Transposition& transposition) {
  if (transposition.along() < 0) {
    return nothing();
  }
  if (!networks_->ports()) {
    return nullptr;
  }
  ways_->transposed.work_out(classes, transposition, networks_->port_levels_,
                             networks_->cluster_->library().copy);
  return &ways_->transposed;
}

ClassEnds* ClassCommunication::spread(const ProcessorClasses& classes, const Spread& spread) {
  const ClassNetworks& networks = *networks_;
  ways_->spread.copy(networks.cluster_->library().copy);
  if (networks.flat_) {
    ways_->spread.work_out(classes, spread, networks.top_, later_);
    return &ways_->spread;
  }
  if (!spread.sends) {
    return nothing();
  }
  const bool ports = networks.ports();
  if (!spread.single(classes) || (!ports && networks.levels_.empty())) {
    return nullptr;
  }
  if (!ports) {
    ways_->spread.work_out_channels(classes, spread, networks.levels_);
    return &ways_->spread;
  }
  return ways_->spread.work_out_ports(classes, spread, networks.port_levels_, {}) ? &ways_->spread
                                                                                  : nullptr;
}

}  // namespace gridcast::network
