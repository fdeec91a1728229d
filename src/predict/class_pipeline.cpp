#include "class_pipeline.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "gridcast/base/error.h"
#include "gridcast/rules/pipeline.h"

namespace gridcast::model {

std::uint32_t ClassPipeline::next_line(const Kind& kind, std::uint32_t line) const noexcept {
  while (line < lines_.size() && !kind.sends[line]) {
    ++line;
  }
  return line;
}

double ClassPipeline::received(std::uint32_t p, std::uint32_t portion, double free) {
  const std::size_t cell = portion * kind_of_.size() + p;
  if (arrivals_.empty()) {
    return std::max(free, cells_[cell].arrival);
  }
  // One after the other, in order of arrival.
  const auto first = arrivals_.begin() + static_cast<std::ptrdiff_t>(cell * lines_.size());
  std::sort(first, first + static_cast<std::ptrdiff_t>(lines_.size()));
  for (std::size_t line = 0; line < lines_.size(); ++line) {
    const double arrival = first[static_cast<std::ptrdiff_t>(line)];
    if (arrival > -HUGE_VAL) {
      free = std::max(free, arrival) + machine_.network.receive_time;
    }
  }
  return free;
}

void ClassPipeline::begin_portion(std::uint32_t p) {
  const std::size_t processors = kind_of_.size();
  const Kind& kind = kinds_[kind_of_[p]];
  Progress& progress = progress_[p];
  const std::uint32_t portion = progress.begun++;
  Cell& cell = cells_[portion * processors + p];
  cell.begin = received(p, portion, progress.free) + machine_.portion_cost;
  cell.end = cell.begin + time_per_iteration_ * kind.cut * sizes_[portion];
  progress.waiting += cell.begin - progress.free + kind.send_cost;
  progress.free = cell.end + kind.send_cost;
  progress.line = kind.first_line;
  // What the processor computed while its longest edge was under way.
  const double from = cell.longest_end > cell.longest_begin ? cell.longest_begin : HUGE_VAL;
  for (std::uint32_t before = portion; before-- > 0;) {
    const Cell& earlier = cells_[before * processors + p];
    if (earlier.end <= from) {
      break;
    }
    progress.overlap +=
        std::max(std::min(cell.longest_end, earlier.end) - std::max(from, earlier.begin), 0.0);
  }
  const bool sends = kind.first_line < lines_.size();
  events_.push({sends ? cell.end + machine_.network.send_time : cell.end, p}, kind.length);
}

void ClassPipeline::note_arrival(std::uint32_t to, std::size_t line, std::uint32_t portion,
                                 double ready, double arrival) {
  const std::size_t at = portion * kind_of_.size() + to;
  Cell& cell = cells_[at];
  cell.arrival = std::max(cell.arrival, arrival);
  if (!arrivals_.empty()) {
    arrivals_[at * lines_.size() + line] = arrival;
  }
  if (arrival - ready >
      cell.longest_end - cell.longest_begin + network::relative_slack * (origin_ + arrival)) {
    cell.longest_begin = ready;
    cell.longest_end = arrival;
  }
  --cell.missing;
  if (cell.missing == 0 && progress_[to].begun == portion && progress_[to].ended == portion) {
    begin_portion(to);
  }
}

template <class Medium>
void ClassPipeline::send_edges(std::uint32_t p, double now, Medium& medium) {
  const Kind& kind = kinds_[kind_of_[p]];
  Progress& progress = progress_[p];
  const std::uint32_t portion = progress.ended;
  for (std::uint32_t l = progress.line; l < lines_.size();) {
    const auto to = static_cast<std::uint32_t>(static_cast<std::int64_t>(p) + lines_[l].step);
    const network::PortionEdge edge{p * lines_.size() + l, p, to, kind.bytes[l] * sizes_[portion]};
    note_arrival(to, l, portion, now, edge.bytes > 0.0 ? medium.send(edge, now) : now);
    l = next_line(kind, l + 1);
    if (l < lines_.size() && machine_.network.send_time > 0.0) {
      progress.line = l;
      events_.push({now + machine_.network.send_time, p}, cuts_.size() + l);
      return;
    }
  }
  ++progress.ended;
  const std::uint32_t next = progress.begun;
  if (next < sizes_.size() && cells_[next * kind_of_.size() + p].missing == 0) {
    begin_portion(p);
  }
}

template <class Medium>
void ClassPipeline::simulate(std::span<const double> clocks, Medium& medium) {
  const std::size_t processors = kind_of_.size();
  cells_.resize(sizes_.size() * processors);
  const bool receives = machine_.network.receive_time > 0.0;
  arrivals_.assign(receives ? cells_.size() * lines_.size() : 0, -HUGE_VAL);
  progress_.resize(processors);
  for (std::size_t p = 0; p < processors; ++p) {
    progress_[p] = {0, 0, 0, clocks[p], 0.0, 0.0};
    Cell cell;
    cell.missing = kinds_[kind_of_[p]].predecessors;
    for (std::size_t at = p; at < cells_.size(); at += processors) {
      cells_[at] = cell;
    }
  }
  events_.reset(cuts_.size() + lines_.size(), origin_);
  for (std::uint32_t p = 0; p < processors; ++p) {
    if (kinds_[kind_of_[p]].runs && kinds_[kind_of_[p]].predecessors == 0) {
      begin_portion(p);
    }
  }
  constexpr std::size_t at_a_time = 1024;  // events take a few nanoseconds
  std::size_t number = 0;
  while (const std::optional<PortionEvents::Event> event = events_.pop()) {
    send_edges(event->processor, event->time, medium);
    if (++number % at_a_time == 0) {
      machine_.interruption->count(at_a_time);
    }
  }
}

template <class Medium>
void ClassPipeline::carry(const PipelineCarried& carried, Medium& medium) const {
  if (carried.exchange == nullptr) {
    return;
  }
  for (std::uint32_t p = 0; p < kind_of_.size(); ++p) {
    double ready = carried.start;
    for (const network::ClassMessage& message : carried.exchange->messages(kind_of_[p])) {
      const auto to = static_cast<std::uint32_t>(static_cast<std::int64_t>(p) + message.offset);
      ready += machine_.network.send_time;
      medium.send({0, p, to, message.bytes}, ready);
    }
  }
}

double ClassPipeline::simulate_first(std::size_t count, std::span<const double> clocks,
                                     const PipelineCarried& carried, ClassPipelineTimes& times) {
  const double points = portions_.sizes_with_last(count, sizes_);
  const auto on = [&](auto&& medium) {
    carry(carried, medium);
    simulate(clocks, medium);
    times.busy_until = medium.busy_until();
  };
  network::with_edge_network(machine_.network, machine_.levels, kind_of_.size(),
                             kind_of_.size() * lines_.size(), carried.channels, edges_, on);
  return points;
}

void ClassPipeline::begin(double call, double origin) {
  origin_ = origin;
  PipelineShape shape = shape_;
  shape.iteration_time *= call;
  time_per_iteration_ = call / elements_ * machine_.inverse;
  portions_.cut(quantised_, quantised_.empty() ? 1 : shape.best_quanta());
  sizes_.assign(1, portions_.size(0));
}

void ClassPipeline::run(bool steady, std::span<const double> clocks, const PipelineCarried& carried,
                        ClassPipelineTimes& times) {
  if (kind_of_.empty()) {
    lay_out();
  }
  const std::size_t few = depth_ + steady_portions;
  const std::size_t more = few + steady_portions;
  const bool whole = !steady || portions_.count() <= static_cast<double>(more);
  double left_out = 0.0;
  double rest = 0.0;
  if (whole) {
    require_few_portions(portions_.count(), kind_of_.size());
    simulate_first(static_cast<std::size_t>(portions_.count()), clocks, carried, times);
  } else {
    const double few_points = simulate_first(few, clocks, carried, times);
    std::swap(shorter_, progress_);
    const double points = simulate_first(more, clocks, carried, times);
    left_out = shape_.quantised - points;
    rest = left_out / (points - few_points);
  }
  times.finish.resize(clocks.size());
  times.waiting = times.overlap = 0.0;
  for (std::size_t p = 0; p < clocks.size(); ++p) {
    Progress& progress = progress_[p];
    if (!whole && kinds_[kind_of_[p]].runs) {
      const double waiting = std::max(progress.waiting - shorter_[p].waiting, 0.0) * rest;
      progress.waiting += waiting;
      progress.overlap += std::max(progress.overlap - shorter_[p].overlap, 0.0) * rest;
      progress.free += waiting + time_per_iteration_ * kinds_[kind_of_[p]].cut * left_out;
    }
    times.finish[p] = progress.free;
    times.waiting += progress.waiting;
    times.overlap += progress.overlap;
  }
}

}  // namespace gridcast::model
