#include "rowed_pipeline.h"

#include <algorithm>
#include <limits>

#include "gridcast/network/message_time.h"

namespace gridcast::model {
namespace {

/// What a few roundings may change of a time.
constexpr double few_roundings = 8.0 * std::numeric_limits<double>::epsilon();

/// Brings a few values in order, which need not be a strict one.
template <class T, class Before>
void sort_few(std::vector<T>& values, Before&& before) {
  for (std::size_t a = 1; a < values.size(); ++a) {
    for (std::size_t b = a; b > 0 && before(values[b], values[b - 1]); --b) {
      std::swap(values[b], values[b - 1]);
    }
  }
}

}  // namespace

void RowedPipeline::shape_rows(const ProcessorClasses& classes) {
  const std::vector<PipelineLine>& lines = case_.plan->lines;
  // Few rows repeat, so they had better be short.
  along_ = 0;
  std::array<std::uint8_t, machine::max_grid_rank> single{};
  for (std::uint32_t l = 0; l < lines.size(); ++l) {
    along_ = classes.extent(lines[l].dim) > classes.extent(lines[along_].dim) ? l : along_;
    single[static_cast<std::size_t>(lines[l].dim)] = 1;
  }
  rows_.assign(classes, lines[along_].dim, lines[along_].ascending, single);
  // A cell comes after those that send to it.
  std::vector<std::int64_t> steps(rows_.cells().size(), 0);
  order_.resize(steps.size());
  for (std::size_t c = 0; c < steps.size(); ++c) {
    order_[c] = static_cast<std::uint32_t>(c);
    for (std::uint32_t l = 0; l < lines.size(); ++l) {
      const std::int64_t x = rows_.cells()[c].at[static_cast<std::size_t>(lines[l].dim)];
      steps[c] += l == along_ ? 0 : lines[l].ascending ? x : -x;
    }
  }
  std::stable_sort(order_.begin(), order_.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return steps[a] < steps[b]; });
}

void RowedPipeline::collect_edges() {
  const std::size_t lines = case_.plan->lines.size();
  const bool ports = network_->type == machine::NetworkType::ports;
  edges_.assign(case_.plan->stages.size() * lines, {});
  sending_.clear();
  for (std::size_t which = 0; which < case_.plan->stages.size(); ++which) {
    const PipelineStage& stage = case_.plan->stages[which];
    double ready = 0.0;
    port_.clear();  // the sender's
    for (std::uint32_t l = stage.first_line; l < lines; l = stage.next_line(l + 1)) {
      const double bytes = stage.bytes[l] * points_;
      ready += network_->send_time;
      Edge& edge = edges_[which * lines + l];
      edge = {ready, ready, bytes, ports && bytes > 0.0};
      if (edge.by_port) {
        edge.arrival = port_.pass(*network_, bytes, ready);
      } else if (bytes > 0.0) {
        edge.arrival += network::channel_time(*network_, bytes);
      }
    }
    sending_.push_back(port_.busy_until());
  }
}

void RowedPipeline::add_edge(std::size_t line, std::size_t from, std::size_t run, double end) {
  const std::size_t which = class_of(from, run);
  if (case_.plan->stages[which].sends[line]) {
    Incoming edge{edges_[which * case_.plan->lines.size() + line], rates_[from],
                  case_.plan->lines[line].step};
    edge.ready += end;
    edge.arrival += end;
    incoming_.push_back(edge);
  }
}

void RowedPipeline::edges_to(std::size_t cell) {
  incoming_.clear();
  for (std::uint32_t l = 0; l < case_.plan->lines.size(); ++l) {
    const PipelineLine& line = case_.plan->lines[l];
    if (l == along_) {
      if (has_before_) {
        add_edge(l, cell, run_before_, before_[cell]);
      }
      continue;
    }
    const std::int64_t x = rows_.cells()[cell].at[static_cast<std::size_t>(line.dim)];
    if (line.ascending ? x > 0 : x + 1 < rows_.classes().extent(line.dim)) {
      const std::size_t stride = rows_.stride(line.dim);
      const std::size_t from = line.ascending ? cell - stride : cell + stride;
      add_edge(l, from, run_, ends_[from]);
    }
  }
}

/// When the edges have been received and a portion can begin; `last`: no arrival is later, and the
/// port is free.
double RowedPipeline::received(double free, double& last) {
  // They enter in the order in which they are ready, those of lower processors first.
  sort_few(incoming_, [&](const Incoming& a, const Incoming& b) {
    const double slack = network::relative_slack * (case_.origin + b.ready);
    const double earlier = b.ready - a.ready;
    return earlier > slack || (earlier >= -slack && a.step > b.step);
  });
  port_.clear();
  for (Incoming& edge : incoming_) {
    if (edge.by_port) {
      const double through = port_.pass(*network_, edge.bytes, edge.ready);
      edge.arrival = std::max(edge.arrival, through) + network_->start_of(edge.bytes);
    }
    last = std::max(last, edge.arrival);
  }
  last = std::max(last, port_.busy_until());
  sort_few(incoming_, [](const Incoming& a, const Incoming& b) { return a.arrival < b.arrival; });
  for (const Incoming& edge : incoming_) {
    free = std::max(free, edge.arrival) + network_->receive_time;
  }
  return free + case_.portion_cost;
}

void RowedPipeline::compute_row() {
  std::fill(rates_.begin(), rates_.end(), 0.0);
  for (const std::uint32_t cell : order_) {
    const std::size_t which = class_of(cell, run_);
    const PipelineStage& stage = case_.plan->stages[which];
    busy_[cell] = -HUGE_VAL;
    ends_[cell] = starts_[which];
    if (stage.runs) {
      edges_to(cell);
      ends_[cell] = received(starts_[which], busy_[cell]) + portion_time(stage);
      busy_[cell] = std::max(busy_[cell], ends_[cell] + sending_[which]);
    }
  }
}

/// Whether each cell of the next row will be later by as much as it is later than in the row
/// before: times only add up, so it is if what decides about the cell's end is. Other edges may
/// fall behind.
bool RowedPipeline::repeats() {
  for (std::size_t c = 0; c < rates_.size(); ++c) {
    rates_[c] = ends_[c] - before_[c];
  }
  for (std::size_t c = 0; c < rates_.size(); ++c) {
    const PipelineStage& stage = case_.plan->stages[class_of(c, run_)];
    if (!stage.runs) {
      continue;
    }
    const double slack = few_roundings * std::abs(ends_[c]);
    edges_to(c);
    const bool overtaken =
        std::any_of(incoming_.begin(), incoming_.end(),
                    [&](const Incoming& edge) { return edge.rate > rates_[c] + slack; });
    const auto behind =
        std::partition(incoming_.begin(), incoming_.end(),
                       [&](const Incoming& edge) { return edge.rate >= rates_[c] - slack; });
    // One that leaves later now would leave earlier in a later row, and share the port with others.
    const bool crossing = std::any_of(behind, incoming_.end(), [&](const Incoming& late) {
      return std::any_of(incoming_.begin(), behind,
                         [&](const Incoming& edge) { return late.ready >= edge.ready - slack; });
    });
    incoming_.erase(behind, incoming_.end());
    double last = -HUGE_VAL;
    if (overtaken || crossing || rates_[c] < 0.0 || incoming_.empty() ||
        received(-HUGE_VAL, last) + portion_time(stage) != ends_[c]) {
      return false;
    }
  }
  return true;
}

void RowedPipeline::add_rows(std::int64_t count, ClassPipelineTimes& times) {
  const auto rows = static_cast<double>(count);
  sent_ = ends_;
  for (std::size_t c = 0; c < ends_.size(); ++c) {
    const std::size_t which = class_of(c, run_);
    const PipelineStage& stage = case_.plan->stages[which];
    if (stage.runs) {
      sent_[c] += stage.send_cost;
      const double first = sent_[c] - portion_time(stage) - starts_[which];
      times.waiting += rows_.cells()[c].members * rows * (first + 0.5 * (rows - 1.0) * rates_[c]);
      times.busy_until = std::max(times.busy_until, busy_[c] + (rows - 1.0) * rates_[c]);
    }
    ends_[c] += (rows - 1.0) * rates_[c];
  }
  times.rowed.add_band(count, 1);
  std::ranges::copy(sent_, times.rowed.row(times.rowed.last_band(), 0).begin());
  std::ranges::copy(rates_, times.rowed.steps(times.rowed.last_band(), 0).begin());
}

void RowedPipeline::run(const PortionCase& what, const ProcessorClasses& classes,
                        const machine::Network& network, std::span<const double> starts,
                        ClassPipelineTimes& times) {
  case_ = what;
  network_ = &network;
  starts_ = starts;
  points_ = what.portions->size(0);
  if (order_.empty()) {
    shape_rows(classes);
  }
  collect_edges();
  times.finish = &times.rowed;
  times.waiting = times.overlap = 0.0;
  times.busy_until = -HUGE_VAL;
  times.rowed.begin(rows_);
  has_before_ = false;
  for (std::vector<double>* const values : {&ends_, &before_, &rates_, &busy_}) {
    values->assign(order_.size(), 0.0);
  }
  const std::span<const std::int64_t> borders = classes.starts(rows_.along());
  const std::size_t runs = classes.runs(rows_.along());
  for (std::size_t r = 0; r < runs; ++r) {
    run_ = rows_.ascending() ? r : runs - 1 - r;
    const std::int64_t length = borders[run_ + 1] - borders[run_];
    for (std::int64_t i = 0, count = 1; i < length; i += count) {
      std::swap(ends_, before_);
      compute_row();
      const bool repeat = i > 0 && i + 1 < length && repeats();
      count = repeat ? length - i : 1;
      if (!repeat) {
        std::fill(rates_.begin(), rates_.end(), 0.0);
      }
      add_rows(count, times);
      has_before_ = true;
      run_before_ = run_;
    }
  }
  times.rowed.finish();
}

}  // namespace gridcast::model
