#include "class_pipeline.h"

#include <algorithm>
#include <numeric>
#include <type_traits>

namespace gridcast::model {
namespace {

/// Clocks of processors that are kept in all, at most.
constexpr std::size_t most_clocks = std::size_t{1} << 23;

}  // namespace

bool ClassPipeline::depends(const ClassMapping& mapping, const PipelineSpec& spec,
                            const PipelineMachine& machine) {
  if (!ready_) {
    ready_ = true;
    machine_ = machine;
    used_ = 0;
    depends_ = prepare(mapping, spec);
  }
  return depends_;
}

bool ClassPipeline::prepare(const ClassMapping& mapping, const PipelineSpec& spec) {
  const ClassLayout& loop = mapping.layout(spec.placement);
  classes_ = &mapping.classes();
  std::array<LoopDimension, machine::max_grid_rank> dimensions;
  for (int j = 0; j < classes_->rank(); ++j) {
    const auto at = static_cast<std::size_t>(j);
    LoopDimension& dimension = dimensions[at];
    dimension = {
        classes_->extent(j), classes_->stride(j), {loop.dims[at], loop.cuts[at].ascending()}};
    for (std::size_t run = 0; dimension.cut.dim >= 0 && run < classes_->runs(j); ++run) {
      const std::int64_t size = loop.cuts[at].range(classes_->starts(j)[run]).size();
      dimension.largest = std::max(dimension.largest, static_cast<double>(size));
    }
  }
  const auto array_cut = [&](PlacementId placement, int dim) {
    const ClassLayout& array = mapping.layout(placement);
    const auto at = static_cast<std::size_t>(dim);
    return DimensionCut{array.dims[at], array.cuts[at].ascending()};
  };
  if (!plan_.assign(mapping.script(), mapping.options(), spec, loop.extents, loop.elements(),
                    std::span(dimensions).first(static_cast<std::size_t>(classes_->rank())),
                    array_cut)) {
    return false;
  }
  plan_.shape.iteration_time *= machine_.inverse;
  plan_.shape.portion_cost = machine_.portion_cost;
  add_networks();
  collect_stages(loop);
  rows_.forget();
  return true;
}

void ClassPipeline::add_networks() {
  if (machine_.levels.empty()) {
    plan_.shape.add_network(machine_.network);
    return;
  }
  // Neighbours along a line are a stride apart: too far for the lowest networks, and those above
  // connect them where one of these ends between them.
  std::vector<std::uint8_t> used(machine_.levels.size(), 0);
  for (const PipelineLine& line : plan_.lines) {
    const std::int64_t stride = classes_->stride(line.dim);
    std::size_t left = 0;  // networks that may still turn out to be used
    for (std::size_t at = 0; at < used.size(); ++at) {
      left += used[at] == 0 && stride < machine_.levels[at].size ? 1 : 0;
    }
    for (std::int64_t p = 0; p + stride < classes_->processors() && left > 0; ++p) {
      if (p / stride % classes_->extent(line.dim) + 1 < classes_->extent(line.dim)) {
        std::size_t at = 0;
        while (p / machine_.levels[at].size != (p + stride) / machine_.levels[at].size) {
          ++at;
        }
        if (used[at] == 0) {
          used[at] = 1;
          --left;
          plan_.shape.add_network(machine_.levels[at].network);
        }
      }
    }
  }
}

void ClassPipeline::collect_stages(const ClassLayout& loop) {
  std::array<std::int64_t, mapping::max_rank> block{};
  for (std::size_t which = 0; which < classes_->size(); ++which) {
    PipelineStage& stage = plan_.stages.emplace_back();
    if (!loop.block(*classes_, which, block)) {
      continue;
    }
    stage = plan_.stage(block, machine_.inverse);
    for (std::size_t l = 0; l < plan_.lines.size(); ++l) {
      const PipelineLine& line = plan_.lines[l];
      const mapping::AxisCut& cut = loop.cuts[static_cast<std::size_t>(line.dim)];
      const auto runs = [&](std::int64_t x) {
        return x >= 0 && x < classes_->extent(line.dim) && !cut.range(x).empty();
      };
      // Down from the first and up from the last of a run, which stand for all.
      const std::size_t run = classes_->run(which, line.dim);
      const bool below = runs(classes_->starts(line.dim)[run] - 1);
      const bool above = runs(classes_->starts(line.dim)[run + 1]);
      if (line.ascending ? above : below) {
        stage.send(l, machine_.network);
      }
      if (line.ascending ? below : above) {
        stage.receive(l, machine_.network);
      }
    }
  }
}

template <class Medium>
void ClassPipeline::carry(const PipelineCarried& carried, Medium& medium) const {
  if (carried.exchange == nullptr) {
    return;
  }
  constexpr bool shared = std::is_same_v<Medium, network::EdgePorts>;
  for (std::uint32_t p = 0; p < plan_.stage_of.size(); ++p) {
    double ready = carried.start;
    for (const network::ClassMessage& message : carried.exchange->messages(plan_.stage_of[p])) {
      const auto to = static_cast<std::uint32_t>(static_cast<std::int64_t>(p) + message.offset);
      ready += machine_.network.send_time;
      if constexpr (shared) {
        medium.add({0, p, to, message.bytes}, ready);
      } else {
        medium.send({0, p, to, message.bytes}, ready);
      }
    }
  }
  if constexpr (shared) {
    medium.enter();
  }
}

void ClassPipeline::simulate(bool steady, const PipelineCarried& carried,
                             ClassPipelineTimes& times) {
  if (plan_.stage_of.empty()) {
    plan_.stage_of.resize(starts_.size());
    for (std::uint32_t which = 0; which < classes_->size(); ++which) {
      classes_->for_each_member(which, [&](const ProcessorClasses::Indices&, std::int64_t p) {
        plan_.stage_of[static_cast<std::size_t>(p)] = which;
      });
    }
  }
  simulation_.run(case_, steady, starts_, times_, [&](bool, auto&& simulate) {
    network::with_edge_network(machine_.network, machine_.levels, starts_.size(),
                               starts_.size() * plan_.lines.size(), carried.channels, edges_,
                               [&](auto&& medium) {
                                 carry(carried, medium);
                                 simulate(medium);
                                 times.busy_until = medium.busy_until();
                               });
  });
  times.listed.assign(*classes_, times_.finish, false);
  times.finish = &times.listed;
  times.waiting = std::accumulate(times_.waiting.begin(), times_.waiting.end(), 0.0);
  times.overlap = std::accumulate(times_.overlap.begin(), times_.overlap.end(), 0.0);
}

bool ClassPipeline::rows_known(const PipelineCarried& carried) const {
  const machine::NetworkType type = machine_.network.type;
  const bool links = type == machine::NetworkType::transputer;
  // What remains of an exchange in a port shares it with edges.
  const bool idle_ports = type == machine::NetworkType::ports && carried.exchange == nullptr;
  return machine_.levels.empty() && (links || idle_ports) && portions_.count() == 1.0;
}

const ClassPipeline::Run* ClassPipeline::known(double call, const ClassClocks& clocks,
                                               const PipelineCarried& carried) const {
  const double slack = 1e-15 * clocks.base();
  const auto close = [slack](double a, double b) { return std::abs(a - b) <= slack; };
  for (std::size_t i = used_; i-- > 0;) {
    const Run& run = *runs_[i];
    if (run.call == call && clocks.same(run.clocks, clocks.base()) &&
        carried.exchange == run.carried.exchange && close(carried.start, run.carried.start) &&
        std::equal(carried.channels.begin(), carried.channels.end(), run.carried.channels.begin(),
                   run.carried.channels.end(), close)) {
      return &run;
    }
  }
  return nullptr;
}

const ClassPipeline::Run* ClassPipeline::run(double call, bool steady, const ClassClocks& clocks,
                                             PipelineCarried carried) {
  for (double& end : carried.channels) {
    end -= clocks.base();
  }
  carried.start -= carried.exchange == nullptr ? 0.0 : clocks.base();
  if (const Run* const run = known(call, clocks, carried)) {
    return run;
  }
  const auto processors = static_cast<std::size_t>(classes_->processors());
  if (*machine_.kept > 0 && *machine_.kept + processors > most_clocks) {
    return nullptr;
  }
  if (used_ == runs_.size()) {
    runs_.push_back(std::make_unique<Run>());
  }
  Run& run = *runs_[used_++];
  PipelineShape shape = plan_.shape;
  shape.iteration_time *= call;
  portions_.cut(plan_.quantised, plan_.quantised.empty() ? 1 : shape.best_quanta());
  case_ = {&plan_,        &portions_,           call / plan_.elements, machine_.portion_cost,
           clocks.base(), machine_.interruption};
  if (clocks.list_classes(starts_) && rows_known(carried)) {
    rows_.run(case_, *classes_, machine_.network, starts_, run.times);
    *machine_.kept += run.times.rowed.size();
  } else {
    clocks.list(starts_);
    for (double& start : starts_) {
      start -= clocks.base();
    }
    simulate(steady, carried, run.times);
    *machine_.kept += processors;
  }
  run.call = call;
  clocks.keep(run.clocks, clocks.base());
  run.carried = std::move(carried);
  return &run;
}

}  // namespace gridcast::model
