/// Figures of programs with subsystems and tasks, from lists of processors. Communications on a
/// subsystem may meet others on the same networks, so that only what each network carries counts.

#include <algorithm>
#include <map>

#include "bound_figures.h"
#include "bound_lists.h"
#include "gridcast/rules/loop_part.h"

namespace gridcast::model {
namespace {

/// More candidates make a bound slower, hardly better.
constexpr std::size_t most_candidates = 24;

class ListedFigures final : public BoundFigures {
public:
  ListedFigures(const Script& script, const ModelOptions& options, BoundMachine& machine)
      : script_(&script),
        machine_(&machine),
        lists_(script, options, machine),
        mapping_(lists_.mapping()),
        builder_(lists_.builder()) {
    times_.resize(script.tables().communications.size());
    written_.resize(times_.size());
    for (const Op& op : script.tables().ops) {
      if (op.kind == Op::Kind::share) {
        weight_[op.a] += op.call;
      } else if (op.kind == Op::Kind::enter_view) {
        weight_view_[op.a] += 1.0;
      }
    }
  }

  void reset(const machine::Grid& grid) override {
    lists_.reset(grid);
    for (BoundTimes& times : times_) {
      times.ready = false;
    }
    for (WrittenShares& written : written_) {
      written.share.clear();
    }
    shares_.clear();
    choose_candidates();
    number_.assign(mapping_.processors(), -1);
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      number_[static_cast<std::size_t>(candidates_[i])] = static_cast<std::int32_t>(i);
    }
  }

  bool in_view(std::uint32_t view, std::size_t candidate) override {
    return mapping_.view(view).local(static_cast<std::uint32_t>(candidates_[candidate])) >= 0;
  }

  const BoundShare& share(std::uint32_t, std::uint32_t placement, std::uint32_t portion) override {
    BoundShare& result = shares_[{placement, portion}];
    if (result.ready) {
      return result;
    }
    result.ready = true;
    result.own.assign(candidates_.size(), 0.0);
    const mapping::Layout& loop = mapping_.layout(placement);
    const LoopPart part(loop, *script_, portion);
    result.nobody = part.empty();
    result.most = 1.0 / machine_->slowest(static_cast<std::int64_t>(mapping_.processors()));
    std::array<std::int64_t, machine::max_grid_rank> at{};
    std::array<mapping::IndexRange, mapping::max_rank> block;
    for (std::size_t i = 0; i < candidates_.size() && !result.nobody; ++i) {
      const std::int64_t local = loop.view().local(static_cast<std::uint32_t>(candidates_[i]));
      if (local < 0) {
        continue;
      }
      loop.coordinates(static_cast<std::size_t>(local), at);
      if (loop.block(at, block)) {
        result.own[i] = part.share(block) / machine_->performance(candidates_[i]);
      }
    }
    return result;
  }

  const BoundTimes& times(std::uint32_t communication) override {
    BoundTimes& result = times_[communication];
    if (!result.ready) {
      const BoundLists::Listed& listed = lists_.listed(communication);
      work_out(listed.transfers, listed.ends, result);
    }
    return result;
  }

  const BoundTimes& broadcast(std::uint32_t view, double bytes) override {
    builder_.broadcast(view, bytes, transfers_);
    ends_.assign(mapping_.processors(), 0.0);
    lists_.run_idle(transfers_.communication, ends_);
    work_out(transfers_, ends_, broadcast_);
    return broadcast_;
  }

  double written(std::uint32_t communication, std::size_t candidate) override {
    WrittenShares& written = written_[communication];
    if (written.share.empty()) {
      builder_.written(script_->tables().communications[communication], written);
    }
    return written.any ? written.share[static_cast<std::size_t>(candidates_[candidate])] : 1.0;
  }

  bool pipeline(std::uint32_t id, double call, BoundClocks& clocks) override {
    // With or without portions each processor of the current system computes its part.
    const PipelineSpec& spec = script_->tables().pipelines[id];
    const BoundShare& own = share(spec.view, spec.placement, none);
    for (std::size_t i = 0; i < clocks.own.size(); ++i) {
      clocks.own[i] += in_view(spec.view, i) ? call * own.own[i] : 0.0;
    }
    return true;
  }

  BoundLists* lists() override { return &lists_; }

private:
  void work_out(const Transfers& transfers, std::span<const double> ends, BoundTimes& result) {
    result.reset(candidates_.size());
    if (transfers.fixed_time) {
      for (std::size_t i = 0; i < candidates_.size(); ++i) {
        result.raise(i, *transfers.fixed_time, *transfers.fixed_time);
      }
      result.raise_last(*transfers.fixed_time, *transfers.fixed_time);
      return;
    }
    const network::Communication& communication = transfers.communication;
    if (communication.empty()) {
      return;
    }
    network::Networks& networks = lists_.networks();
    const double last = *std::max_element(ends.begin(), ends.end());
    result.raise_last(last, shared_last(communication));
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      result.raise(i, ends[static_cast<std::size_t>(candidates_[i])], 0.0);
    }
    for (const network::Transfer& transfer : communication.transfers) {
      const std::int32_t from = number_[transfer.from];
      const std::int32_t to = number_[transfer.to];
      if (from < 0 && to < 0) {
        continue;
      }
      const machine::Network& network = networks.between(transfer.from, transfer.to);
      const double length = network.type == machine::NetworkType::transputer
                                ? network.start_time
                                : network.start_time + transfer.bytes * network.byte_time;
      for (const std::int32_t i : {from, to}) {
        if (i >= 0) {
          result.raise(static_cast<std::size_t>(i), length, length);
        }
      }
    }
  }

  /// Phase after phase, the network that carries most for its channels.
  double shared_last(const network::Communication& communication) {
    const machine::ProcessorSystem& system = machine_->system();
    double end = 0.0;
    for (std::size_t phase = 0; phase < communication.phases(); ++phase) {
      carried_.assign(system.networks.size(), 0.0);
      double longest = 0.0;
      for (const network::Transfer& transfer : communication.phase(phase)) {
        const std::uint32_t id = system.common_network(transfer.from, transfer.to);
        const machine::Network& network = system.networks[id];
        if (network.type == machine::NetworkType::transputer) {
          longest = std::max(longest, network.start_time);
          continue;
        }
        carried_[id] += (network.start_time + transfer.bytes * network.byte_time) /
                        static_cast<double>(network.channels);
        longest = std::max(longest, carried_[id]);
      }
      end += longest;
    }
    return end;
  }

  void add_candidate(std::uint32_t processor) {
    const auto p = static_cast<std::int64_t>(processor);
    if (candidates_.size() < most_candidates &&
        std::find(candidates_.begin(), candidates_.end(), p) == candidates_.end()) {
      candidates_.push_back(p);
    }
  }

  /// Processor 0; for each loop the last of those that take longest; the first and last of each
  /// view.
  void choose_candidates() {
    candidates_.assign(1, 0);
    for (const auto& [placement, weight] : weight_) {
      const mapping::Layout& loop = mapping_.layout(placement);
      loop.counts(counts_);
      std::uint32_t slowest = 0;
      double most = 0.0;
      for (std::size_t local = 0; local < counts_.size(); ++local) {
        const std::uint32_t p = loop.view().processors()[local];
        const double time = counts_[local] / machine_->performance(static_cast<std::int64_t>(p));
        if (time >= most) {
          most = time;
          slowest = p;
        }
      }
      add_candidate(slowest);
    }
    add_candidate(static_cast<std::uint32_t>(mapping_.processors() - 1));
    for (const auto& [view, weight] : weight_view_) {
      add_candidate(mapping_.view(view).processors().front());
      add_candidate(mapping_.view(view).processors().back());
    }
  }

  const Script* script_;
  BoundMachine* machine_;
  BoundLists lists_;
  GridMapping& mapping_;
  TransferBuilder& builder_;
  std::map<std::uint32_t, double> weight_;       // of the loops
  std::map<std::uint32_t, double> weight_view_;  // how often entered
  std::vector<BoundTimes> times_;
  BoundTimes broadcast_;
  std::vector<WrittenShares> written_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, BoundShare> shares_;
  Transfers transfers_;
  std::vector<double> ends_;
  std::vector<double> counts_;
  std::vector<double> carried_;       // per network
  std::vector<std::int32_t> number_;  // among the candidates, per processor; -1: none
};

}  // namespace

std::unique_ptr<BoundFigures> make_listed_figures(const Script& script, const ModelOptions& options,
                                                  BoundMachine& machine) {
  return std::make_unique<ListedFigures>(script, options, machine);
}

}  // namespace gridcast::model
