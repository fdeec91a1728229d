#include "gridcast/rules/pipeline.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

namespace gridcast::model {

namespace {

/// --pipeline=exhaustive tries at most this many numbers of portions ([Predictor2010 §4.6]).
constexpr std::int64_t most_trials = 1000;

/// Edges on the networks of the machine.
struct EdgesOnNetworks {
  network::Networks& networks;
  std::span<const std::uint32_t> processors;
  std::vector<double>& link_free;

  double send(const network::PortionEdge& edge, double ready) {
    const network::Transfer transfer{processors[edge.from], processors[edge.to], edge.bytes};
    const bool links =
        networks.between(transfer.from, transfer.to).type == machine::NetworkType::transputer;
    double& free = link_free[edge.number];
    free = networks.send(transfer, links ? std::max(ready, free) : ready);
    return free;
  }
};

}  // namespace

bool Pipeline::prepare(const PipelineSpec& spec, double call) {
  loop_ = &mapping_->layout(spec.placement);
  call_ = call;
  const mapping::ProcessorView& view = loop_->view();
  std::array<LoopDimension, machine::max_grid_rank> dimensions;
  for (int j = 0; j < view.rank(); ++j) {
    LoopDimension& dimension = dimensions[static_cast<std::size_t>(j)];
    dimension = {view.extent(j), view.stride(j), {loop_->split_dimension(j), loop_->ascending(j)}};
    for (std::int64_t q = 0; dimension.cut.dim >= 0 && q < dimension.extent; ++q) {
      dimension.largest =
          std::max(dimension.largest, static_cast<double>(loop_->range(j, q).size()));
    }
  }
  const auto array_cut = [this](PlacementId placement, int dim) {
    const mapping::Layout& array = mapping_->layout(placement);
    return array.view() == loop_->view()
               ? DimensionCut{array.split_dimension(dim), array.ascending(dim)}
               : DimensionCut{};
  };
  if (!plan_.assign(
          mapping_->script(), mapping_->options(), spec, loop_->extents(), loop_->elements(),
          std::span(dimensions).first(static_cast<std::size_t>(view.rank())), array_cut)) {
    return false;
  }
  double slowest = HUGE_VAL;
  for (const std::uint32_t p : view.processors()) {
    slowest = std::min(slowest, mapping_->system().performance[p]);
  }
  plan_.shape.iteration_time *= call / slowest;
  plan_.shape.portion_cost = mapping_->library().portion;
  factor_ = ShapeFactor(mapping_->script(), spec.portion, loop_->extents());
  collect_stages(spec);
  return true;
}

const machine::Network& Pipeline::between(std::size_t a, std::size_t b) const noexcept {
  const std::span<const std::uint32_t> processors = loop_->view().processors();
  const machine::ProcessorSystem& system = mapping_->system();
  return system.networks[system.common_network(processors[a], processors[b])];
}

void Pipeline::collect_stages(const PipelineSpec& spec) {
  const mapping::ProcessorView& view = loop_->view();
  // A task may hold a part of the loop's processors only: the others neither compute nor send.
  const mapping::ProcessorView& current = mapping_->view(spec.view);
  const auto takes_part = [&](std::size_t local) {
    return &current == &view || current.local(view.processors()[local]) >= 0;
  };
  plan_.stages.assign(view.size(), {});
  plan_.stage_of.resize(view.size());
  std::iota(plan_.stage_of.begin(), plan_.stage_of.end(), 0U);
  mapping_->for_each_holder(*loop_, [&](const Holder& holder) {
    if (takes_part(holder.local)) {
      plan_.stages[holder.local] =
          plan_.stage(holder.sizes(), 1.0 / mapping_->system().performance[holder.processor()]);
    }
  });
  std::array<std::int64_t, machine::max_grid_rank> at{};
  for (std::size_t local = 0; local < view.size(); ++local) {
    loop_->coordinates(local, at);
    for (std::size_t l = 0; l < plan_.lines.size(); ++l) {
      const PipelineLine& line = plan_.lines[l];
      const std::int64_t next = at[static_cast<std::size_t>(line.dim)] + (line.ascending ? 1 : -1);
      if (next < 0 || next >= view.extent(line.dim)) {
        continue;
      }
      const auto to = static_cast<std::size_t>(static_cast<std::int64_t>(local) + line.step);
      const machine::Network& network = between(local, to);
      plan_.shape.add_network(network);
      if (plan_.stages[local].runs && takes_part(to) && !loop_->range(line.dim, next).empty()) {
        plan_.stages[local].send(l, network);
        plan_.stages[to].receive(l, network);
      }
    }
  }
}

double Pipeline::edges(network::Communication& edges) {
  portions_.cut(plan_.quantised, plan_.quantised.empty() ? 1 : plan_.shape.best_quanta());
  const std::span<const std::uint32_t> processors = loop_->view().processors();
  for (std::size_t local = 0; local < plan_.stages.size(); ++local) {
    const PipelineStage& stage = plan_.stages[local];
    for (std::uint32_t l = stage.next_line(0); l < plan_.lines.size(); l = stage.next_line(l + 1)) {
      const auto to =
          static_cast<std::size_t>(static_cast<std::int64_t>(local) + plan_.lines[l].step);
      edges.transfers.push_back(
          {processors[local], processors[to], stage.bytes[l] * plan_.shape.quantised});
    }
  }
  return portions_.count();
}

void Pipeline::cut_to_portion(std::span<std::int64_t> extents) const {
  std::size_t cut = 0;
  for (std::size_t dim = 0; dim < extents.size(); ++dim) {
    extents[dim] = plan_.split[dim] != 0 ? extents[dim] : portions_.first(cut++);
  }
}

std::int64_t Pipeline::best_tried(std::span<const double> clocks, const network::Networks& networks,
                                  PipelineTimes& times) {
  const auto most = static_cast<std::int64_t>(std::min(plan_.shape.quantised, 1e15));
  const std::int64_t trials = std::min(most, most_trials);
  std::int64_t quanta = 1;
  double best = HUGE_VAL;
  for (std::int64_t trial = 1; trial <= trials; ++trial) {
    // Evenly spread ratios: few portions differ more from each other than many do.
    const auto candidate =
        most <= most_trials ? trial
                            : static_cast<std::int64_t>(std::llround(std::pow(
                                  static_cast<double>(most), static_cast<double>(trial - 1) /
                                                                 static_cast<double>(trials - 1))));
    network::Networks scratch = networks;
    run_cut(candidate, PipelineMode::steady, clocks, scratch, times);
    const double last = *std::max_element(times.finish.begin(), times.finish.end());
    if (last < best) {
      best = last;
      quanta = candidate;
    }
  }
  return quanta;
}

void Pipeline::run(PipelineMode mode, std::span<const double> clocks, network::Networks& networks,
                   PipelineTimes& times) {
  std::int64_t quanta = 1;
  if (!plan_.quantised.empty()) {
    quanta = mode == PipelineMode::exhaustive && plan_.shape.portions == 0
                 ? best_tried(clocks, networks, times)
                 : plan_.shape.best_quanta();
  }
  run_cut(quanta, mode, clocks, networks, times);
}

void Pipeline::cut(std::int64_t quanta) {
  portions_.cut(plan_.quantised, quanta);
  if (factor_.known()) {
    mapping_->for_each_holder(*loop_, [&](const Holder& holder) {
      if (PipelineStage& stage = plan_.stages[holder.local]; stage.runs) {
        auto sizes = holder.sizes();
        const auto extents = std::span(sizes).first(holder.block().size());
        cut_to_portion(extents);
        stage.relative = factor_(extents);
      }
    });
  }
}

void Pipeline::run_cut(std::int64_t quanta, PipelineMode mode, std::span<const double> clocks,
                       network::Networks& networks, PipelineTimes& times) {
  cut(quanta);
  // Times are counted from the loop's start: late in a long run they would lose digits.
  const std::span<const std::uint32_t> processors = loop_->view().processors();
  const double origin = clocks[processors.front()];
  starts_.resize(processors.size());
  std::transform(processors.begin(), processors.end(), starts_.begin(),
                 [&](std::uint32_t p) { return clocks[p] - origin; });
  networks.shift(-origin);
  const PortionCase what{&plan_, &portions_, iteration_time(), mapping_->library().portion, origin};
  std::optional<network::Networks> used;
  simulation_.run(what, mode != PipelineMode::full, starts_, times,
                  [&](bool alone, auto&& simulate) {
                    link_free_.assign(plan_.stages.size() * plan_.lines.size(), -HUGE_VAL);
                    if (!alone) {
                      used = networks;
                    }
                    simulate(EdgesOnNetworks{alone ? networks : *used, processors, link_free_});
                  });
  if (used) {
    networks = std::move(*used);
  }
  networks.shift(origin);
  for (double& finish : times.finish) {
    finish += origin;
  }
}

}  // namespace gridcast::model
