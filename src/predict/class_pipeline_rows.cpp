/// Pipelined loops of one portion on links and ports, where only the edges of the same processor
/// meet: processors end row after row, and rows that repeat are left out.

#include <algorithm>
#include <limits>

#include "class_pipeline.h"
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

void ClassPipeline::shape_rows() {
  const ProcessorClasses& classes = *classes_;
  // Few rows repeat, so they had better be short.
  along_ = 0;
  for (std::uint32_t l = 1; l < lines_.size(); ++l) {
    along_ = classes.extent(lines_[l].dim) > classes.extent(lines_[along_].dim) ? l : along_;
  }
  std::array<std::uint8_t, machine::max_grid_rank> single{};
  for (const Line& line : lines_) {
    single[static_cast<std::size_t>(line.dim)] = 1;
  }
  rows_.assign(classes, lines_[along_].dim, lines_[along_].ascending, single);
  // A cell comes after those that send to it.
  std::vector<std::int64_t> steps(rows_.cells().size(), 0);
  order_.resize(steps.size());
  for (std::size_t c = 0; c < steps.size(); ++c) {
    order_[c] = static_cast<std::uint32_t>(c);
    for (std::uint32_t l = 0; l < lines_.size(); ++l) {
      const std::int64_t x = rows_.cells()[c].at[static_cast<std::size_t>(lines_[l].dim)];
      steps[c] += l == along_ ? 0 : lines_[l].ascending ? x : -x;
    }
  }
  std::stable_sort(order_.begin(), order_.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return steps[a] < steps[b]; });
}

bool ClassPipeline::rows_known(std::span<const double> starts,
                               const PipelineCarried& carried) const {
  const machine::Network& network = machine_.network;
  const bool links = network.type == machine::NetworkType::transputer;
  const bool ports = network.type == machine::NetworkType::ports;
  if (!machine_.levels.empty() || !(links || ports) || portions_.count() != 1.0) {
    return false;
  }
  if (links || carried.exchange == nullptr) {
    return true;
  }
  // A processor that has waited for an exchange has ports that are free, but edges may reach one
  // that is still waiting.
  double first = HUGE_VAL;
  double last = -HUGE_VAL;
  for (std::size_t c = 0; c < starts.size(); ++c) {
    const Kind& kind = kinds_[c];
    last = std::max(last, starts[c]);
    if (kind.runs && kind.first_line < lines_.size()) {
      first = std::min(first, starts[c] + portion_time(kind));
    }
  }
  return carried.waited_for &&
         first + network.send_time + network.start_time >= last - network.receive_time;
}

std::uint32_t ClassPipeline::edges_to(const Row& row, std::size_t cell,
                                      std::array<Incoming, machine::max_grid_rank>& edges) const {
  const ProcessorClasses& classes = rows_.classes();
  const std::size_t stride = classes.class_stride(rows_.along());
  std::uint32_t count = 0;
  const auto add = [&](std::uint32_t line, std::size_t from, std::size_t run, double end) {
    const Kind& kind = kinds_[rows_.cells()[from].part + run * stride];
    if (kind.runs && kind.sends[line]) {
      edges[count++] = {end, row.rates[from], &kind, line};
    }
  };
  for (std::uint32_t l = 0; l < lines_.size(); ++l) {
    const Line& line = lines_[l];
    if (l == along_) {
      if (row.has_before) {
        add(l, cell, row.run_before, row.before[cell]);
      }
      continue;
    }
    const std::int64_t x = rows_.cells()[cell].at[static_cast<std::size_t>(line.dim)];
    if (line.ascending ? x > 0 : x + 1 < classes.extent(line.dim)) {
      const std::size_t from =
          line.ascending ? cell - rows_.stride(line.dim) : cell + rows_.stride(line.dim);
      add(l, from, row.run, row.ends[from]);
    }
  }
  return count;
}

double ClassPipeline::received_of(std::span<const Incoming> edges, double free, double& last) {
  const machine::Network& network = machine_.network;
  messages_.clear();
  for (const Incoming& edge : edges) {
    messages_.push_back(message_of(edge));
  }
  // They enter in the order in which they are ready, those of lower processors first.
  sort_few(messages_, [&](const Message& a, const Message& b) {
    const double slack = network::relative_slack * (origin_ + b.ready);
    const double earlier = b.ready - a.ready;
    return earlier > slack || (earlier >= -slack && lines_[a.line].step > lines_[b.line].step);
  });
  port_.clear();
  for (Message& message : messages_) {
    if (network.type == machine::NetworkType::ports && message.sent) {
      message.arrival = port_.pass(message.arrival, message.length) + message.length;
    }
    last = std::max(last, message.arrival);
  }
  sort_few(messages_, [](const Message& a, const Message& b) { return a.arrival < b.arrival; });
  for (const Message& message : messages_) {
    free = std::max(free, message.arrival) + network.receive_time;
  }
  return free + machine_.portion_cost;
}

ClassPipeline::Message ClassPipeline::message_of(const Incoming& edge) const {
  const machine::Network& network = machine_.network;
  Message message;
  message.line = edge.line;
  message.ready = edge.end;
  double free = -HUGE_VAL;  // the sender's port, after its messages along lower lines
  for (std::uint32_t l = edge.from->first_line; l <= edge.line; l = next_line(*edge.from, l + 1)) {
    const double bytes = edge.from->bytes[l] * sizes_.front();
    message.ready += network.send_time;
    message.sent = bytes > 0.0;
    message.arrival = message.ready;
    if (network.type == machine::NetworkType::transputer) {
      message.arrival += message.sent ? network::channel_time(network, bytes) : 0.0;
    } else if (message.sent) {
      message.length = network::port_time(network, bytes);
      const double leaves = std::max(message.ready, free);
      free = leaves + message.length;
      message.arrival = leaves + network.start_time;  // at the receiver's port
    }
  }
  return message;
}

void ClassPipeline::compute_row(std::span<const double> starts, Row& row) {
  const std::size_t stride = rows_.classes().class_stride(rows_.along());
  std::array<Incoming, machine::max_grid_rank> edges;
  std::fill(row.rates.begin(), row.rates.end(), 0.0);
  for (const std::uint32_t cell : order_) {
    const std::size_t which = rows_.cells()[cell].part + row.run * stride;
    const Kind& kind = kinds_[which];
    row.arrived[cell] = -HUGE_VAL;
    row.ends[cell] = starts[which];
    if (kind.runs) {
      const std::uint32_t count = edges_to(row, cell, edges);
      row.ends[cell] =
          received_of({edges.data(), count}, starts[which], row.arrived[cell]) + portion_time(kind);
    }
  }
}

/// Whether each cell of the next row will be later by as much as it is later than in the row
/// before: times only add up, so it is if what decides about the cell's end is. Other edges may
/// fall behind.
bool ClassPipeline::repeats(Row& row) {
  const std::size_t stride = rows_.classes().class_stride(rows_.along());
  std::array<Incoming, machine::max_grid_rank> edges;
  for (std::size_t c = 0; c < row.rates.size(); ++c) {
    row.rates[c] = row.ends[c] - row.before[c];
  }
  for (std::size_t c = 0; c < row.rates.size(); ++c) {
    const Kind& kind = kinds_[rows_.cells()[c].part + row.run * stride];
    if (!kind.runs) {
      continue;
    }
    const double slack = few_roundings * std::abs(row.ends[c]);
    const std::uint32_t count = edges_to(row, c, edges);
    std::uint32_t kept = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      if (edges[i].rate > row.rates[c] + slack) {
        return false;
      }
      if (edges[i].rate >= row.rates[c] - slack) {
        edges[kept++] = edges[i];
      }
    }
    double last = -HUGE_VAL;
    if (row.rates[c] < 0.0 || kept == 0 ||
        received_of({edges.data(), kept}, -HUGE_VAL, last) + portion_time(kind) != row.ends[c]) {
      return false;
    }
  }
  return true;
}

void ClassPipeline::add_rows(std::span<const double> starts, std::int64_t count, Row& row,
                             RowedEnds& finish, ClassPipelineTimes& times) {
  const std::size_t stride = rows_.classes().class_stride(rows_.along());
  const auto rows = static_cast<double>(count);
  row.finish = row.ends;
  for (std::size_t c = 0; c < row.ends.size(); ++c) {
    const RowShape::Cell& cell = rows_.cells()[c];
    const std::size_t which = cell.part + row.run * stride;
    const Kind& kind = kinds_[which];
    if (kind.runs) {
      row.finish[c] += kind.send_cost;
      const double first = row.finish[c] - portion_time(kind) - starts[which];
      times.waiting += cell.members * rows * (first + 0.5 * (rows - 1.0) * row.rates[c]);
      times.busy_until = std::max(times.busy_until, row.arrived[c] + (rows - 1.0) * row.rates[c]);
    }
  }
  finish.add(row.run, count, row.finish, row.rates);
  for (std::size_t c = 0; c < row.ends.size(); ++c) {
    row.ends[c] += (rows - 1.0) * row.rates[c];
  }
}

bool ClassPipeline::run_rows(std::span<const double> starts, const PipelineCarried& carried,
                             RowedEnds& finish, ClassPipelineTimes& times) {
  if (!rows_known(starts, carried)) {
    return false;
  }
  if (order_.empty()) {
    shape_rows();
  }
  const ProcessorClasses& classes = rows_.classes();
  times.waiting = times.overlap = 0.0;
  times.busy_until = -HUGE_VAL;
  finish.reset(rows_);
  Row& row = row_;
  row.has_before = false;
  for (std::vector<double>* const values : {&row.ends, &row.before, &row.rates, &row.arrived}) {
    values->assign(rows_.cells().size(), 0.0);
  }
  const std::size_t runs = classes.runs(rows_.along());
  for (std::size_t r = 0; r < runs; ++r) {
    row.run = rows_.ascending() ? r : runs - 1 - r;
    const std::span<const std::int64_t> borders = classes.starts(rows_.along());
    const std::int64_t length = borders[row.run + 1] - borders[row.run];
    for (std::int64_t i = 0, count = 1; i < length; i += count) {
      std::swap(row.ends, row.before);
      compute_row(starts, row);
      const bool repeat = i > 0 && i + 1 < length && repeats(row);
      count = repeat ? length - i : 1;
      if (!repeat) {
        std::fill(row.rates.begin(), row.rates.end(), 0.0);
      }
      add_rows(starts, count, row, finish, times);
      row.has_before = true;
      row.run_before = row.run;
    }
  }
  finish.finish();
  return true;
}

}  // namespace gridcast::model
