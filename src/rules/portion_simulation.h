#pragma once
/// Simulation of the portions of a pipelined loop (docs/model.md §6), whatever their
/// edges go over.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "gridcast/base/interruption.h"
#include "gridcast/network/edge_networks.h"
#include "gridcast/rules/pipeline_plan.h"
#include "gridcast/rules/portion_events.h"
#include "gridcast/rules/portions.h"

namespace gridcast::model {

/// Portions simulated beyond those that fill the line, and once more as many: the difference of the
/// two simulations is what a portion of the steady state takes. Where that is not yet sure, as many
/// again, twice as many, and so on.
inline constexpr std::size_t steady_portions = 16;

/// What the loop did to each processor; those without iterations keep their clocks.
struct PipelineTimes {
  std::vector<double> finish;   ///< clock after the last portion
  std::vector<double> waiting;  ///< for edges, in all
  std::vector<double> overlap;  ///< of edges with computation
  std::vector<double> fill;     ///< the part of waiting before the first portion
};

/// What is simulated.
struct PortionCase {
  const PipelinePlan* plan = nullptr;
  const Portions* portions = nullptr;
  double iteration_time = 0.0;           ///< of an iteration, times PipelineStage::work
  double portion_cost = 0.0;             ///< TPortion
  double origin = 0.0;                   ///< of all times
  Interruption* interruption = nullptr;  ///< where portions are counted; null: nowhere
};

/// Simulates the portions of a pipelined loop (docs/model.md §6), whatever carries their edges.
class PortionSimulation {
public:
  /// Simulates the portions of a loop that processors come to at `starts`; if `steady` and there
  /// are many, those of the steady state are extrapolated. `on_networks(alone, simulate)`
  /// calls simulate(medium) with the networks as the loop finds them; the last call is the one that
  /// counts, which is the first if it is `alone`. Throws InputError if there are too many.
  template <class OnNetworks>
  void run(const PortionCase& what, bool steady, std::span<const double> starts,
           PipelineTimes& times, OnNetworks&& on_networks) {
    case_ = what;
    stages_ = what.plan->stages.data();
    stage_of_ = what.plan->stage_of.data();
    const auto simulate = [&](std::size_t portions, bool alone) {
      points_ = what.portions->sizes_with_last(portions, sizes_);
      on_networks(alone, [&](auto&& medium) { this->simulate(starts, medium); });
    };
    const double all = what.portions->count();
    std::size_t portions = what.plan->depth + steady_portions;
    // Two short simulations may be longer than all of it.
    const auto least = static_cast<double>(portions + steady_portions);
    bool whole =
        !steady || all <= least || (all <= least + static_cast<double>(portions) && is_small(all));
    const bool alone = whole;
    if (whole) {
      require_few();
    } else {
      rates_.clear();
      simulate(portions, false);
      bool sure = false;
      for (std::size_t added = steady_portions; !sure && !whole; added *= 2) {
        keep_shorter();
        simulate(portions += added, false);
        const auto next = static_cast<double>(portions + 2 * added);
        sure = is_steady(starts) || !is_small(next);
        whole = !sure && all <= next;
      }
    }
    if (whole) {
      simulate(static_cast<std::size_t>(all), alone);
    }
    collect(whole, starts, times);
  }

private:
  /// A portion of one processor.
  struct Cell {
    double begin = 0.0, end = 0.0;
    double computed = 0.0;                          // by its processor, up to its end
    double arrival = -HUGE_VAL;                     // of the last edge that it needs
    double longest_begin = 0.0, longest_end = 0.0;  // its longest edge
    std::uint32_t missing = 0;                      // edges still to come
  };
  /// How far a processor is.
  struct Progress {
    std::uint32_t begun = 0, ended = 0;
    std::uint32_t line = 0;  // along which it sends next
    double free = 0.0;       // from then on: its last portion and what sending it costs
    double waiting = 0.0, overlap = 0.0;
  };

  [[nodiscard]] const PipelineStage& stage(std::size_t p) const noexcept {
    return stages_[stage_of_[p]];
  }
  /// Whether so many portions may be simulated.
  [[nodiscard]] bool is_small(double portions) const noexcept;
  void require_few() const;
  void keep_shorter();
  /// Whether the portions left out can be taken to add as much as those that the longer of two
  /// simulations has more; if not, rates_ is what the next two are compared with.
  [[nodiscard]] bool is_steady(std::span<const double> starts);
  /// Seconds per point that a processor took for its last portions but one.
  [[nodiscard]] double rate_within(std::size_t p, std::size_t portions) const;
  void begin(std::span<const double> starts);
  void begin_portion(std::uint32_t p);
  /// Seconds that a processor has computed up to a time in its first portions, so many.
  [[nodiscard]] double computed(std::uint32_t p, std::uint32_t portions, double until) const;
  /// When the edges of a portion have been received, by a processor that is free at that time.
  [[nodiscard]] double received(const PipelineStage& stage, std::size_t cell, double free) const;
  void note_arrival(std::uint32_t to, std::size_t line, std::uint32_t portion, double ready,
                    double arrival);
  void collect(bool whole, std::span<const double> starts, PipelineTimes& times);

  template <class Medium>
  void simulate(std::span<const double> starts, Medium& medium) {
    begin(starts);
    for (auto event = events_.pop(); event.time < PortionEvents::never; event = events_.pop()) {
      send_edges(event.processor, event.time, medium);
      if (case_.interruption != nullptr) {
        case_.interruption->count();
      }
    }
  }

  template <class Medium>
  void send_edges(std::uint32_t p, double now, Medium& medium) {
    const PipelineStage& stage = this->stage(p);
    const std::vector<PipelineLine>& lines = case_.plan->lines;
    Progress& progress = progress_[p];
    const std::uint32_t portion = progress.ended;
    for (std::uint32_t l = progress.line; l < lines.size();) {
      const auto to = static_cast<std::uint32_t>(std::int64_t{p} + lines[l].step);
      const network::PortionEdge edge{p * lines.size() + l, p, to,
                                      stage.bytes[l] * sizes_[portion]};
      note_arrival(to, l, portion, now, edge.bytes > 0.0 ? medium.send(edge, now) : now);
      l = stage.next_line(l + 1);
      if (l < lines.size() && stage.send_time[l] > 0.0) {
        progress.line = l;
        events_.push({now + stage.send_time[l], p}, case_.plan->lengths.size() + l);
        return;
      }
    }
    ++progress.ended;
    const std::uint32_t next = progress.begun;
    if (next < sizes_.size() && cells_[next * progress_.size() + p].missing == 0) {
      begin_portion(p);
    }
  }

  PortionCase case_;
  const PipelineStage* stages_ = nullptr;  // of its plan
  const std::uint32_t* stage_of_ = nullptr;
  std::vector<double> sizes_;  // quantised points of the portions that are simulated
  double points_ = 0.0;        // their sum, and that of the shorter simulation
  double few_points_ = 0.0;
  std::vector<Cell> cells_;       // portion * processors + processor
  std::vector<double> arrivals_;  // of each edge that a cell needs, if receiving takes time
  std::vector<Progress> progress_;
  std::vector<Progress> shorter_;  // of the shorter of two simulations
  std::size_t few_ = 0;            // portions of that
  std::vector<double> rates_;      // per processor, of the two before; empty: there were none
  PortionEvents events_;
};

inline double PortionSimulation::received(const PipelineStage& stage, std::size_t cell,
                                          double free) const {
  if (arrivals_.empty()) {
    return std::max(free, cells_[cell].arrival);
  }
  // One after the other, in order of arrival.
  std::array<std::pair<double, double>, machine::max_grid_rank> edges;  // arrival, receive time
  const std::size_t lines = case_.plan->lines.size();
  for (std::size_t line = 0; line < lines; ++line) {
    edges[line] = {arrivals_[cell * lines + line], stage.receive_time[line]};
  }
  std::sort(edges.begin(), edges.begin() + static_cast<std::ptrdiff_t>(lines));
  for (std::size_t line = 0; line < lines; ++line) {
    if (edges[line].first > -HUGE_VAL) {
      free = std::max(free, edges[line].first) + edges[line].second;
    }
  }
  return free;
}

inline void PortionSimulation::begin_portion(std::uint32_t p) {
  const std::size_t processors = progress_.size();
  const PipelineStage& stage = this->stage(p);
  Progress& progress = progress_[p];
  const std::uint32_t portion = progress.begun++;
  const std::size_t at = portion * processors + p;
  Cell& cell = cells_[at];
  cell.begin = received(stage, at, progress.free) + case_.portion_cost;
  cell.end = cell.begin + case_.iteration_time * stage.work * stage.relative * sizes_[portion];
  progress.waiting += cell.begin - progress.free + stage.send_cost;
  progress.free = cell.end + stage.send_cost;
  progress.line = stage.first_line;
  // What the processor computed while its longest edge was under way.
  if (cell.longest_end > cell.longest_begin) {
    progress.overlap +=
        computed(p, portion, cell.longest_end) - computed(p, portion, cell.longest_begin);
  }
  cell.computed = cell.end - cell.begin;
  cell.computed += portion > 0 ? cells_[at - processors].computed : 0.0;
  const bool sends = stage.first_line < case_.plan->lines.size();
  events_.push({sends ? cell.end + stage.send_time[stage.first_line] : cell.end, p}, stage.length);
}

inline double PortionSimulation::computed(std::uint32_t p, std::uint32_t portions,
                                          double until) const {
  std::uint32_t low = 0;  // portions before this one have begun
  for (std::uint32_t high = portions; low < high;) {
    const std::uint32_t middle = low + (high - low) / 2;
    const bool begun = cells_[middle * progress_.size() + p].begin < until;
    (begun ? low : high) = begun ? middle + 1 : middle;
  }
  if (low == 0) {
    return 0.0;
  }
  const Cell& last = cells_[(low - 1) * progress_.size() + p];
  return last.computed - std::max(last.end - until, 0.0);
}

inline void PortionSimulation::note_arrival(std::uint32_t to, std::size_t line,
                                            std::uint32_t portion, double ready, double arrival) {
  const std::size_t at = portion * progress_.size() + to;
  Cell& cell = cells_[at];
  cell.arrival = std::max(cell.arrival, arrival);
  if (!arrivals_.empty()) {
    arrivals_[at * case_.plan->lines.size() + line] = arrival;
  }
  if (arrival - ready >
      cell.longest_end - cell.longest_begin + network::relative_slack * (case_.origin + arrival)) {
    cell.longest_begin = ready;
    cell.longest_end = arrival;
  }
  --cell.missing;
  if (cell.missing == 0 && progress_[to].begun == portion && progress_[to].ended == portion) {
    begin_portion(to);
  }
}

}  // namespace gridcast::model
