#include "gridcast/rules/pipeline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "gridcast/base/error.h"

namespace gridcast::model {

namespace {

/// --pipeline=exhaustive tries at most this many numbers of portions ([Predictor2010 §4.6]).
constexpr std::int64_t most_trials = 1000;

}  // namespace

void require_few_portions(double portions, std::size_t processors) {
  constexpr double most_cells = 2e7;
  if (portions * static_cast<double>(processors) > most_cells) {
    throw InputError("a pipelined loop of " + std::to_string(portions) + " portions on " +
                         std::to_string(processors) +
                         " processors is too large to simulate in full",
                     "use --pipeline=steady");
  }
}

// --- simulation
// ----------------------------------------------------------------------------------------

double Pipeline::send(std::size_t from, std::size_t line, double bytes, double ready,
                      network::Networks& networks) {
  const std::size_t index = from * lines_.size() + line;
  const mapping::ProcessorView& view = loop_->view();
  const network::Transfer transfer{view.processors()[from], view.processors()[edges_[index].to],
                                   bytes};
  if (!(bytes > 0.0)) {
    return ready;
  }
  const bool links =
      networks.between(transfer.from, transfer.to).type == machine::NetworkType::transputer;
  const double start = links ? std::max(ready, link_free_[index]) : ready;
  const double end = networks.send(transfer, start);
  link_free_[index] = end;
  return end;
}

void Pipeline::begin_portion(std::size_t p, std::span<const double> clocks) {
  const std::size_t processors = loop_->view().size();
  const std::size_t portion = next_[p]++;
  const std::size_t at = portion * processors + p;
  const double free =
      portion == 0 ? clocks[loop_->view().processors()[p]] : end_[at - processors] + send_costs_[p];
  begin_[at] = received(p, at, free) + mapping_->system().library.portion;
  end_[at] = begin_[at] + iteration_time_[p] * relative_[p] * sizes_[portion];
  waited_[at] = begin_[at] - free + send_costs_[p];
  // The part of the longest incoming transfer during which this processor computed.
  overlapped_[at] = 0.0;
  const double from = longest_end_[at] > longest_begin_[at] ? longest_begin_[at] : HUGE_VAL;
  for (std::size_t before = portion; before-- > 0 && end_[before * processors + p] > from;) {
    const double common = std::min(longest_end_[at], end_[before * processors + p]) -
                          std::max(from, begin_[before * processors + p]);
    overlapped_[at] += std::max(common, 0.0);
  }
  const std::size_t line = next_edge(p, 0);
  push({line < lines_.size() ? end_[at] + edges_[p * lines_.size() + line].send_time : end_[at], p,
        line});
}

std::size_t Pipeline::next_edge(std::size_t p, std::size_t line) const noexcept {
  while (line < lines_.size() && !edges_[p * lines_.size() + line].exists) {
    ++line;
  }
  return line;
}

double Pipeline::received(std::size_t p, std::size_t cell, double free) const {
  if (predecessors_[p] == 0) {
    return free;
  }
  // One after the other, in order of arrival.
  std::array<std::pair<double, double>, machine::max_grid_rank> edges;  // arrival, receive time
  const std::size_t lines = lines_.size();
  for (std::size_t line = 0; line < lines; ++line) {
    edges[line] = {arrival_[cell * lines + line], receive_times_[p * lines + line]};
  }
  std::sort(edges.begin(), edges.begin() + static_cast<std::ptrdiff_t>(lines));
  for (std::size_t line = 0; line < lines; ++line) {
    free = std::max(free, edges[line].first) + edges[line].second;
  }
  return free;
}

void Pipeline::push(const Event& event) {
  if (event.time <= now_) {
    ready_.push_back(event);
    std::push_heap(ready_.begin(), ready_.end(), later_sender);
  } else {
    queue_.push_back(event);
    std::push_heap(queue_.begin(), queue_.end(), std::greater<>{});
  }
}

std::optional<Pipeline::Event> Pipeline::pop() {
  if (ready_.empty()) {
    if (queue_.empty()) {
      return std::nullopt;
    }
    // Times that differ by rounding only are a tie, which goes to the lowest sender.
    const double first = queue_.front().time;
    now_ = first + network::relative_slack * (origin_ + first);
    while (!queue_.empty() && queue_.front().time <= now_) {
      std::pop_heap(queue_.begin(), queue_.end(), std::greater<>{});
      push(queue_.back());
      queue_.pop_back();
    }
  }
  std::pop_heap(ready_.begin(), ready_.end(), later_sender);
  const Event event = ready_.back();
  ready_.pop_back();
  return event;
}

void Pipeline::simulate(std::span<const double> clocks, network::Networks& networks) {
  const std::size_t processors = loop_->view().size();
  const std::size_t portions = sizes_.size();
  const std::size_t cells = portions * processors;
  begin_.assign(cells, 0.0);
  end_.assign(cells, 0.0);
  waited_.assign(cells, 0.0);
  overlapped_.assign(cells, 0.0);
  arrival_.assign(cells * lines_.size(), -HUGE_VAL);
  longest_begin_.assign(cells, 0.0);
  longest_end_.assign(cells, 0.0);
  missing_.resize(cells);
  for (std::size_t k = 0; k < portions; ++k) {
    std::copy(predecessors_.begin(), predecessors_.end(),
              missing_.begin() + static_cast<std::ptrdiff_t>(k * processors));
  }
  next_.assign(processors, 0);
  finished_.assign(processors, 0);
  link_free_.assign(edges_.size(), -HUGE_VAL);
  queue_.clear();
  ready_.clear();
  now_ = -HUGE_VAL;
  for (std::size_t p = 0; p < processors; ++p) {
    if (runs_[p] != 0 && predecessors_[p] == 0) {
      begin_portion(p, clocks);
    }
  }
  while (const std::optional<Event> next = pop()) {
    const std::size_t p = next->processor;
    if (!send_edges(*next, clocks, networks)) {
      continue;
    }
    ++finished_[p];
    if (next_[p] < portions && missing_[next_[p] * processors + p] == 0) {
      begin_portion(p, clocks);
    }
  }
}

bool Pipeline::send_edges(const Event& event, std::span<const double> clocks,
                          network::Networks& networks) {
  const std::size_t p = event.processor;
  const double points = sizes_[finished_[p]];
  std::size_t line = event.line;
  while (line < lines_.size()) {
    const Edge& edge = edges_[p * lines_.size() + line];
    const double arrival = send(p, line, edge.bytes_per_quantised * points, event.time, networks);
    note_arrival({event.time, p, line}, edge, arrival, clocks);
    line = next_edge(p, line + 1);
    if (line < lines_.size() && edges_[p * lines_.size() + line].send_time > 0.0) {
      push({event.time + edges_[p * lines_.size() + line].send_time, p, line});
      return false;
    }
  }
  return true;
}

void Pipeline::note_arrival(const Event& event, const Edge& edge, double arrival,
                            std::span<const double> clocks) {
  const std::size_t portion = finished_[event.processor];
  const std::size_t at = portion * loop_->view().size() + edge.to;
  arrival_[at * lines_.size() + event.line] = arrival;
  const double slack = network::relative_slack * (origin_ + arrival);
  if (arrival - event.time > longest_end_[at] - longest_begin_[at] + slack) {
    longest_begin_[at] = event.time;
    longest_end_[at] = arrival;
  }
  --missing_[at];
  if (missing_[at] == 0 && next_[edge.to] == portion && finished_[edge.to] == portion) {
    begin_portion(edge.to, clocks);
  }
}

double Pipeline::simulate_first(std::size_t count, std::span<const double> clocks,
                                network::Networks& networks, PipelineTimes& times) {
  const std::size_t processors = loop_->view().size();
  const double points = portions_.sizes_with_last(count, sizes_);
  simulate(clocks, networks);
  times.finish.assign(processors, 0.0);
  times.waiting.assign(processors, 0.0);
  times.overlap.assign(processors, 0.0);
  times.fill.assign(processors, 0.0);
  for (std::size_t p = 0; p < processors; ++p) {
    if (runs_[p] == 0) {
      times.finish[p] = clocks[loop_->view().processors()[p]];
      continue;
    }
    times.finish[p] = end_[(count - 1) * processors + p] + send_costs_[p];
    times.fill[p] = begin_[p] - clocks[loop_->view().processors()[p]];
    for (std::size_t k = 0; k < count; ++k) {
      times.waiting[p] += waited_[k * processors + p];
      times.overlap[p] += overlapped_[k * processors + p];
    }
  }
  return points;
}

void Pipeline::simulate_portions(bool steady, std::span<const double> clocks,
                                 network::Networks& networks, PipelineTimes& times) {
  shape_blocks();
  // Times are counted from the loop's start: late in a long run they would lose digits.
  origin_ = clocks[loop_->view().processors().front()];
  starts_.assign(clocks.begin(), clocks.end());
  for (double& start : starts_) {
    start -= origin_;
  }
  networks.shift(-origin_);
  simulate_from_origin(steady, networks, times);
  networks.shift(origin_);
  for (double& finish : times.finish) {
    finish += origin_;
  }
}

void Pipeline::simulate_from_origin(bool steady, network::Networks& networks,
                                    PipelineTimes& times) {
  const std::size_t processors = loop_->view().size();
  const std::size_t few = depth_ + steady_portions;
  const std::size_t more = few + steady_portions;
  if (!steady || portions_.count() <= static_cast<double>(more)) {
    require_few_portions(portions_.count(), processors);
    simulate_first(static_cast<std::size_t>(portions_.count()), starts_, networks, times);
    return;
  }
  // What the additional portions of a longer pipeline add is what those left out add. (Waiting
  // within one simulation would not do: a processor that runs ahead fills a shared channel first
  // and lets the others wait for as long as it had portions.)
  network::Networks scratch = networks;
  const double few_points = simulate_first(few, starts_, scratch, shorter_);
  const double points = simulate_first(more, starts_, networks, times);
  const double left_out = shape_.quantised - points;
  const double rest = left_out / (points - few_points);
  for (std::size_t p = 0; p < processors; ++p) {
    if (runs_[p] == 0) {
      continue;
    }
    const double waiting = std::max(times.waiting[p] - shorter_.waiting[p], 0.0) * rest;
    times.waiting[p] += waiting;
    times.overlap[p] += std::max(times.overlap[p] - shorter_.overlap[p], 0.0) * rest;
    times.finish[p] += waiting + iteration_time_[p] * relative_[p] * left_out;
  }
}

void Pipeline::run(PipelineMode mode, std::span<const double> clocks, network::Networks& networks,
                   PipelineTimes& times) {
  std::int64_t quanta = quantised_.empty() ? 1 : shape_.best_quanta();
  if (mode == PipelineMode::exhaustive && !quantised_.empty()) {
    const auto most = static_cast<std::int64_t>(std::min(shape_.quantised, 1e15));
    const std::int64_t trials = std::min(most, most_trials);
    double best = 0.0;
    for (std::int64_t trial = 1; trial <= trials; ++trial) {
      // Evenly spread ratios: few portions differ more from each other than many do.
      const auto candidate =
          most <= most_trials
              ? trial
              : static_cast<std::int64_t>(std::llround(
                    std::pow(static_cast<double>(most),
                             static_cast<double>(trial - 1) / static_cast<double>(trials - 1))));
      portions_.cut(quantised_, candidate);
      network::Networks scratch = networks;
      simulate_portions(true, clocks, scratch, times);
      const double last = *std::max_element(times.finish.begin(), times.finish.end());
      if (trial == 1 || last < best) {
        best = last;
        quanta = candidate;
      }
    }
  }
  run_cut(quanta, mode, clocks, networks, times);
}

void Pipeline::run_cut(std::int64_t quanta, PipelineMode mode, std::span<const double> clocks,
                       network::Networks& networks, PipelineTimes& times) {
  portions_.cut(quantised_, quanta);
  simulate_portions(mode != PipelineMode::full, clocks, networks, times);
}

}  // namespace gridcast::model
