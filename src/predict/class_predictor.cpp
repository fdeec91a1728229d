#include "class_predictor.h"

#include <algorithm>

#include "gridcast/network/networks.h"
#include "gridcast/rules/walk.h"

namespace gridcast::model {

using machine::ClusterNode;

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

/// Iterations that are left out at a time: roundings of a single one count so often.
constexpr std::size_t most_left_out = 1000;

}  // namespace

ClassPredictor::ClassPredictor(const Script& script, const machine::Cluster& cluster,
                               const ModelOptions& options, GridDetails& details,
                               Interruption& interruption)
    : script_(&script),
      cluster_(&cluster),
      options_(options),
      mapping_(script, options),
      interruption_(interruption),
      details_(details),
      networks_(cluster, [this]() -> const machine::ProcessorSystem& { return details_.system(); }),
      pending_(script.header().tokens),
      cycles_(find_cycles(script)) {
  unsupported_ = mapping_.unsupported();
  Alike alike;
  count_alike(cluster, cluster.root(), alike);
  alike_ = alike.count;
  inverse_ = 1.0 / alike.performance;
  timed_.resize(script.tables().communications.size());
}

const char* ClassPredictor::evaluate(const machine::Grid& grid, std::span<IntervalSums>& sums) {
  if (unsupported_ != nullptr) {
    return unsupported_;
  }
  if (grid.processors() > cluster_->processors()) {
    return "more processors than the machine has";
  }
  if (grid.processors() > alike_) {
    return "processors of unequal performance";
  }
  networks_.reset(grid.processors());
  if (const char* const reason = mapping_.reset(grid, networks_.ports()); reason != nullptr) {
    return reason;
  }
  details_.reset(grid);
  by_kinds_ = true;
  sums = run();
  if (again_) {
    by_kinds_ = false;
    sums = run();
  }
  return "";
}

std::span<IntervalSums> ClassPredictor::run() {
  prepare();
  const std::span<const Op> ops = script_->tables().ops;
  auto cycle = cycles_.begin();
  for (at_ = 0; at_ < ops.size(); ++at_) {
    interruption_.check(members());
    for (; cycle != cycles_.end() && cycle->end() <= at_; ++cycle) {
    }
    if (cycle != cycles_.end() && cycle->begins_at(at_)) {
      leave_out(*cycle);
    }
    walk(*this, *script_, ops[at_]);
  }
  return clocks_.finish();
}

void ClassPredictor::leave_out(const Cycle& cycle) {
  const bool first = at_ == cycle.begin;
  const std::size_t left = std::min((cycle.end() - at_) / cycle.period, most_left_out);
  const bool free = clocks_.latest() >= busy_until_ * (1.0 - network::relative_slack) &&
                    mapping_.stretches().size() == 1;
  if (free && !first && kept_ && clocks_.repeat(moment_, static_cast<double>(left))) {
    at_ += left * cycle.period;
  }
  kept_ = free;
  if (free) {
    clocks_.keep(moment_);
  }
}

void ClassPredictor::prepare() {
  stretch_ = 0;
  if (mapping_.stretches().size() > 1) {
    mapping_.enter(root_view);
  }
  busy_until_ = 0.0;
  launched_.clear();
  forget_ends();
  replayed_ = 0;
  live_ = false;
  unseen_ = again_ = false;
  told_ = all_launched_ = true;
  pipelines_.resize(script_->tables().pipelines.size());
  for (ClassPipeline& pipeline : pipelines_) {
    pipeline.reset();
  }
  kept_clocks_ = 0;
  clocks_.reset(*script_, mapping_.classes(), inverse_, mapping_.stretches().size() > 1);
}

void ClassPredictor::broadcast(double bytes) {
  const double start = clocks_.first();
  launch(timed_broadcast(bytes), start, blocking_);
  clocks_.broadcast(*blocking_.ends, start);
}

bool ClassPredictor::share(double seconds, PlacementId placement, PortionId portion) {
  const ClassShare& share = share_of(placement, portion);
  if (share.any) {
    clocks_.share(seconds, share);
  }
  return share.any;
}

void ClassPredictor::wait(std::uint32_t token, Operation operation) {
  Pending& pending = pending_[token];
  clocks_.wait(*pending.ends, pending.start, operation);
  if (pending.ends == &pending.own) {
    pending.own.put_away(nullptr);  // nobody looks at it again
  }
}

double ClassPredictor::synchronize(Operation operation, bool pipelined) {
  const double latest = clocks_.synchronize(operation, pipelined);
  const std::vector<Stretch>& stretches = mapping_.stretches();
  if (stretch_ + 1 < stretches.size() && stretches[stretch_ + 1].begin == at_) {
    ++stretch_;
    if (stretches[stretch_].asked != stretches[stretch_ - 1].asked) {
      go_on();
    }
  }
  return latest;
}

void ClassPredictor::go_on() {
  clocks_.leave_classes();
  mapping_.enter(stretch_);
  clocks_.enter_classes();
  forget_ends();
  told_ = all_launched_ = false;
}

void ClassPredictor::start(CommunicationId communication, std::uint32_t token, double start) {
  launch(timed(communication), start, pending_[token]);
}

void ClassPredictor::transfer(CommunicationId communication, double start, Operation operation,
                              bool pipelined) {
  launch(timed(communication), start, blocking_);
  if (blocking_.ends->silent()) {
    return;
  }
  const CommunicationSpec& spec = script_->tables().communications[communication];
  const bool plain = !blocking_.ends->once() && blocking_.ends->ends_after_overheads();
  if (plain && (clocks_.level() || spec.kind == CommunicationSpec::Kind::old_values)) {
    Timed& timed = *timed_[communication];
    if (timed.participants.empty() && !clocks_.level()) {
      timed.participants = network::participants(mapping_.classes(), timed.exchange);
    }
    clocks_.exchange(*blocking_.ends, timed.participants, start, operation, pipelined);
  } else {
    clocks_.exchange(*blocking_.ends, details_.transfers({communication}).transfers, start,
                     operation, pipelined);
  }
}

/// Of whole arrays.
void ClassPredictor::written_by(CommunicationId communication, ClassShare& share) const {
  const auto& tables = script_->tables();
  const std::span<const double> members = mapping_.classes().members();
  std::vector<double> counts;
  double elements = 0.0;
  share.listed = false;
  share.sum = 0.0;
  share.fraction.assign(members.size(), 0.0);
  for (const std::uint32_t part : script_->part_ids(tables.communications[communication].parts)) {
    const ClassLayout& to = mapping_.layout(tables.copy_parts[part].to);
    to.counts(mapping_.classes(), counts);
    for (std::size_t c = 0; c < members.size(); ++c) {
      share.fraction[c] += counts[c];
      elements += counts[c] * members[c] / std::max(to.copies, 1.0);
    }
  }
  share.any = elements > 0.0;
  share.once = inverse_;
  for (std::size_t c = 0; c < members.size() && share.any; ++c) {
    share.fraction[c] *= inverse_ / elements;
    share.sum += share.fraction[c] * members[c];
  }
}

const ClassShare& ClassPredictor::written(CommunicationId communication) {
  const ProcessorClasses& classes = mapping_.classes();
  ClassShare& share = timed(communication).written;
  if (share.epoch == epoch_) {
    return share;
  }
  share.epoch = epoch_;
  const Spread* const spread = mapping_.spread(communication);
  if (mapping_.transposition(communication) != nullptr) {
    written_by(communication, share);
    return share;
  }
  if (spread == nullptr) {
    list(share, details_.written(communication));
    return share;
  }
  share.any = spread->reads;
  share.listed = false;
  share.fraction.assign(classes.size(), 0.0);
  double copies = 0.0;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    bool reads = true;
    for (int dim = 0; dim < classes.rank(); ++dim) {
      const auto at = static_cast<std::size_t>(dim);
      const std::int64_t x = classes.coordinates(c, dim).first;
      reads = reads && spread->lo[at] <= x && x < spread->hi[at];
    }
    share.fraction[c] = reads ? inverse_ : 0.0;
    copies += reads ? classes.members()[c] : 0.0;
  }
  share.sum = copies * inverse_;
  share.once = share.sum / std::max(copies, 1.0);
  return share;
}

bool ClassPredictor::copied(CommunicationId communication, double ret) {
  const ClassShare& share = written(communication);
  if (share.any) {
    clocks_.copied(ret, share);
  }
  return share.any;
}

}  // namespace gridcast::model
