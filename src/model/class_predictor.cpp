#include "class_predictor.h"

#include <algorithm>

#include "gridcast/network/networks.h"

namespace gridcast::model {

using machine::ClusterNode;
using machine::NetworkType;

namespace {

/// Processors in front, in order of the description, that are as fast as the first.
struct Alike {
  std::int64_t count = 0;
  double performance = 1.0;
  bool all = true;  ///< of the node looked at
};

void count_alike(const machine::Cluster& cluster, std::size_t at, Alike& alike) {
  const ClusterNode& node = cluster.nodes()[at];
  if (node.items.empty()) {
    if (alike.count == 0) {
      alike.performance = node.performance;
    }
    alike.all = node.performance == alike.performance;
    alike.count += alike.all ? 1 : 0;
    return;
  }
  for (const ClusterNode::Item& item : node.items) {
    const std::int64_t before = alike.count;
    count_alike(cluster, item.node, alike);
    if (!alike.all) {
      return;
    }
    alike.count += (item.count - 1) * (alike.count - before);
  }
}

bool links_below(const machine::Cluster& cluster, std::size_t at, bool top) {
  const ClusterNode& node = cluster.nodes()[at];
  if (node.items.empty()) {
    return false;
  }
  return (node.network.type == NetworkType::transputer && (!top || node.levels > 1)) ||
         std::any_of(node.items.begin(), node.items.end(), [&](const ClusterNode::Item& item) {
           return links_below(cluster, item.node, false);
         });
}

}  // namespace

ClassPredictor::ClassPredictor(const Script& script, const machine::Cluster& cluster,
                               const ModelOptions& options)
    : script_(&script), cluster_(&cluster), mapping_(script, options) {
  const ClusterNode& top = cluster.nodes()[cluster.root()];
  unsupported_ = mapping_.unsupported();
  if (options.extrapolate_iterations) {
    unsupported_ = "extrapolated iterations";
  } else if (links_below(cluster, cluster.root(), true)) {
    unsupported_ = "links inside a tree of networks";
  }
  flat_ = top.levels <= 1;
  network_ = top.network;
  Alike alike;
  count_alike(cluster, cluster.root(), alike);
  alike_ = alike.count;
  inverse_ = 1.0 / alike.performance;
  timed_.resize(script.tables().communications.size());
  shares_.resize(script.tables().placements.size());
  pending_.resize(script.header().tokens);
}

const machine::ProcessorSystem& ClassPredictor::system() {
  const std::int64_t wanted = mapping_.classes().processors();
  if (static_cast<std::int64_t>(system_.processors()) < wanted) {
    system_ = cluster_->expand(std::min(2 * wanted, cluster_->processors()));
  }
  return system_;
}

const std::vector<Characteristics>* ClassPredictor::evaluate(const machine::Grid& grid) {
  reason_.clear();
  if (unsupported_ != nullptr) {
    reason_ = unsupported_;
  } else if (grid.processors() > cluster_->processors()) {
    reason_ = "more processors than the machine has";
  } else if (grid.processors() > alike_) {
    reason_ = "processors of unequal performance";
  } else if (const char* const reason = mapping_.reset(grid); reason != nullptr) {
    reason_ = reason;
  }
  if (!reason_.empty()) {
    return nullptr;
  }
  for (const auto& timed : timed_) {
    if (timed) {
      timed->ready = false;
    }
  }
  for (auto& [bytes, timed] : broadcasts_) {
    timed->ready = false;
  }
  for (Share& share : shares_) {
    share.ready = false;
  }
  clocks_.reset(*script_, mapping_.classes(), inverse_);
  try {
    for (const Op& op : script_->tables().ops) {
      step(op);
    }
    clocks_.finish(results_);
  } catch (const NotByClasses& error) {
    reason_ = error.what();
    return nullptr;
  }
  return &results_;
}

void ClassPredictor::step(const Op& op) {
  switch (op.kind) {
    case Op::Kind::work:
      clocks_.work(op.call, op.ret);
      break;
    case Op::Kind::io_work:
      clocks_.io_work(op.call);
      break;
    case Op::Kind::broadcast:
      clocks_.broadcast(broadcast_ends(op.call));
      break;
    case Op::Kind::share: {
      const Share& share = share_of(op.a);
      if (share.any) {
        clocks_.share(op.call, share.fraction, share.sum, share.duplicated);
      } else {
        clocks_.work(op.call, 0.0);
      }
      break;
    }
    case Op::Kind::begin_interval:
      clocks_.begin_interval(op.a);
      break;
    case Op::Kind::end_interval:
      clocks_.end_interval();
      break;
    case Op::Kind::synchronize:
      clocks_.synchronize(op.operation);
      break;
    case Op::Kind::start: {
      Pending& pending = pending_[op.b];
      pending.ends = &ends_of(op.a);
      pending.start = clocks_.synchronize(op.operation);
      clocks_.launch(*pending.ends, pending.start);
      break;
    }
    case Op::Kind::wait:
      clocks_.wait(*pending_[op.b].ends, pending_[op.b].start, op.operation);
      break;
    case Op::Kind::transfer: {
      const ClassEnds& ends = ends_of(op.a);
      const double start = clocks_.synchronize(op.operation);
      clocks_.launch(ends, start);
      clocks_.transfer(ends, start, op.operation);
      break;
    }
    case Op::Kind::enter_view:
    case Op::Kind::leave_view:
    case Op::Kind::send:
    case Op::Kind::exchange:
    case Op::Kind::copied:
    case Op::Kind::pipeline:
      throw NotByClasses("an operation by processors");  // ClassMapping::unsupported() names it
  }
}

const ClassPredictor::Share& ClassPredictor::share_of(std::uint32_t placement) {
  Share& share = shares_[placement];
  if (share.ready) {
    return share;
  }
  share.ready = true;
  share.any = false;
  const ClassLayout& loop = mapping_.layout(placement);
  double all = 1.0;
  for (const std::int64_t extent : loop.extents) {
    all *= static_cast<double>(extent);
  }
  if (!(all > 0.0)) {
    return share;
  }
  mapping_.counts(placement, share.fraction);
  const std::span<const double> members = mapping_.classes().members();
  share.sum = 0.0;
  for (std::size_t c = 0; c < members.size(); ++c) {
    share.any = share.any || share.fraction[c] > 0.0;
    share.fraction[c] = share.fraction[c] / all * inverse_;
    share.sum += share.fraction[c] * members[c];
  }
  share.duplicated = loop.copies > 1.0 ? share.sum * ((loop.copies - 1.0) / loop.copies) : 0.0;
  return share;
}

void ClassPredictor::time_fan(Timed& timed, const Fan& fan, const ClassLayout* loop) {
  if (flat_) {
    timed.fan.work_out(mapping_.classes(), fan, network_);
    timed.ends = &timed.fan;
  } else {
    timed.listed.work_out(mapping_, fan, loop, system());
    timed.ends = &timed.listed;
  }
}

void ClassPredictor::time_exchange(Timed& timed, const CommunicationSpec& spec) {
  const ProcessorClasses& classes = mapping_.classes();
  timed.exchange.work_out(mapping_, spec);
  if (flat_ && network_.type == NetworkType::transputer) {
    timed.links.work_out(classes, timed.exchange, network_);
    timed.ends = &timed.links;
  } else if (flat_ && network_.channels == 1) {
    timed.bus.work_out(classes, timed.exchange, network_);
    timed.ends = &timed.bus;
  } else if (timed.exchange.empty()) {
    timed.fan.work_out(classes, Fan{}, network_);  // silent
    timed.ends = &timed.fan;
  } else {
    timed.listed.work_out(classes, timed.exchange, system());
    timed.ends = &timed.listed;
  }
}

const ClassEnds& ClassPredictor::ends_of(std::uint32_t communication) {
  std::unique_ptr<Timed>& timed = timed_[communication];
  if (!timed) {
    timed = std::make_unique<Timed>();
  }
  if (timed->ready) {
    return *timed->ends;
  }
  timed->ready = true;
  const CommunicationSpec& spec = script_->tables().communications[communication];
  const bool alone = mapping_.classes().processors() == 1;
  if (alone || spec.kind == CommunicationSpec::Kind::nothing) {
    time_fan(*timed, Fan{}, nullptr);
  } else if (spec.kind == CommunicationSpec::Kind::shadow) {
    time_exchange(*timed, spec);
  } else {
    const ClassLayout& loop = mapping_.layout(spec.placement);
    if (flat_ && network_.type == NetworkType::transputer) {
      std::int64_t distance = 0;
      for (int dim = 0; dim < mapping_.classes().rank(); ++dim) {
        const AxisCut& cut = loop.cuts[static_cast<std::size_t>(dim)];
        distance += cut.active() ? 2 * (cut.holders() / 2) +
                                       (mapping_.classes().extent(dim) - cut.holders())
                                 : 0;
      }
      if (loop.fully_replicated || !(spec.bytes > 0.0)) {
        time_fan(*timed, Fan{}, nullptr);
      } else {
        timed->fan.work_out_fixed(mapping_.classes(),
                                  (network_.start_time + network_.byte_time * spec.bytes) *
                                      static_cast<double>(distance));
        timed->ends = &timed->fan;
      }
    } else {
      time_fan(*timed, reduction_fan(mapping_, spec), &loop);
    }
  }
  return *timed->ends;
}

const ClassEnds& ClassPredictor::broadcast_ends(double bytes) {
  std::unique_ptr<Timed>& timed = broadcasts_[bytes];
  if (!timed) {
    timed = std::make_unique<Timed>();
  }
  if (!timed->ready) {
    timed->ready = true;
    Fan fan;
    fan.any = bytes > 0.0;
    fan.representatives = 1.0;
    fan.bytes = bytes;
    time_fan(*timed, fan, nullptr);
  }
  return *timed->ends;
}

}  // namespace gridcast::model
