/// What a loop adds to clocks and sums: taken apart, estimated, corrected.

#include <algorithm>

#include "loop_sampler.h"

namespace gridcast::model {

void ProcessorClocks::LoopSampler::synchronize() {
  const Op& op = iteration(0).front();
  if (op.kind == Op::Kind::synchronize) {
    all_.step(op);  // nothing else, and nothing when it is done again
  } else {
    all_.synchronize(op.operation, false);
  }
}

void ProcessorClocks::LoopSampler::capture(Values& values) const {
  values.assign(all_.clock_.begin(), all_.clock_.end());
  values.insert(values.end(), all_.busy_.begin(), all_.busy_.end());
  all_.ledger_.save(intervals_, values);
}

void ProcessorClocks::LoopSampler::load(const Values& values) {
  const auto processors = static_cast<std::ptrdiff_t>(all_.processors_);
  std::copy_n(values.begin(), processors, all_.clock_.begin());
  std::copy_n(values.begin() + processors, processors, all_.busy_.begin());
  all_.ledger_.load(intervals_, values.data() + 2 * processors);
  at_ = values;
}

bool ProcessorClocks::LoopSampler::networks_idle() const {
  const double now = all_.clock_.front();
  return all_.networks_.front().busy_until() <= now * (1.0 + network::relative_slack);
}

double ProcessorClocks::LoopSampler::simulate(std::span<const Op> ops, Values& increments) {
  const double before = all_.clock_.front();
  for (const Op& op : ops) {
    all_.step(op);
  }
  synchronize();
  idle_ = idle_ && networks_idle();
  capture(scratch_);
  increments.resize(at_.size());
  for (std::size_t i = 0; i < at_.size(); ++i) {
    increments[i] = scratch_[i] - at_[i];
  }
  at_.swap(scratch_);
  ++simulated_;
  return all_.clock_.front() - before;
}

double& ProcessorClocks::LoopSampler::sum_of(Values& values, std::size_t interval,
                                             std::size_t place) const {
  const std::size_t processors = all_.processors_;
  const std::size_t block = field_count + (detail_ ? field_count + 2 : 2) * processors;
  return values[2 * processors + interval * block + place];
}

void ProcessorClocks::LoopSampler::wait_more(Values& total, double seconds) const {
  const auto innermost =
      std::lower_bound(intervals_.begin(), intervals_.end(), all_.ledger_.innermost());
  auto at = static_cast<std::size_t>(innermost - intervals_.begin());
  const Op& cut = iteration(0).front();
  Operation operation = cut.operation;
  std::vector<Field> fields{Field::synchronization, of(Field::synch, operation)};
  if (cut.kind == Op::Kind::synchronize && operation == Operation::shadow) {
    fields.insert(fields.end(), {Field::pipelined, Field::pipelined_synch});
  }
  if (seconds < 0.0) {
    // Less waiting is less of what there is most of.
    fields.clear();
    double most = 0.0;
    for (std::size_t i = 0; i < intervals_.size(); ++i) {
      for (std::size_t k = 0; k < operation_count; ++k) {
        const auto kind = static_cast<Operation>(k);
        const auto of_kind = [&](Field first) {
          return sum_of(total, i, static_cast<std::size_t>(of(first, kind)));
        };
        const double transfers = of_kind(Field::communication) - of_kind(Field::synch);
        if (transfers > most) {
          most = transfers;
          at = i;
          operation = kind;
        }
      }
    }
    const double pipelined = sum_of(total, at, static_cast<std::size_t>(Field::pipelined)) -
                             sum_of(total, at, static_cast<std::size_t>(Field::pipelined_synch));
    if (operation == Operation::shadow && pipelined > most / 2.0) {
      fields.push_back(Field::pipelined);
    }
  }
  fields.push_back(of(Field::communication, operation));
  const std::size_t processors = all_.processors_;
  for (const Field field : fields) {
    const auto place = static_cast<std::size_t>(field);
    sum_of(total, at, place) += seconds * static_cast<double>(processors);
    for (std::size_t p = 0; detail_ && p < processors; ++p) {
      sum_of(total, at, field_count + (2 + place) * processors + p) += seconds;
    }
  }
  add_time(total, at, seconds);
}

void ProcessorClocks::LoopSampler::add_time(Values& total, std::size_t place,
                                            double seconds) const {
  // The clocks at the cut are seen by the intervals that are open there; the time is to be that of
  // the intervals around the given one.
  const auto specs = all_.script_->tables().intervals;
  const auto around = [&](std::uint32_t outer, std::uint32_t inner) {
    auto interval = static_cast<std::int64_t>(inner);
    while (interval > static_cast<std::int64_t>(outer)) {
      interval = specs[static_cast<std::size_t>(interval)].parent;
    }
    return interval == static_cast<std::int64_t>(outer);
  };
  const std::size_t processors = all_.processors_;
  for (std::size_t p = 0; p < processors; ++p) {
    total[p] += seconds;
  }
  for (std::size_t i = 0; i < intervals_.size(); ++i) {
    const int wanted = around(intervals_[i], intervals_[place]) ? 1 : 0;
    const int seen = around(intervals_[i], all_.ledger_.innermost()) ? 1 : 0;
    for (std::size_t p = 0; p < processors && wanted != seen; ++p) {
      sum_of(total, i, field_count + p) += seconds * (wanted - seen);
    }
  }
}

bool ProcessorClocks::LoopSampler::plausible(Values& total) {
  // Nobody waits for less than no time. Sums below 0 mean a sample that does not fit the rest.
  const std::size_t processors = all_.processors_;
  const double time = total[0] - start_[0];
  const double slack = 1e-9 * time;
  double io = 0.0;  // of processor 0
  for (std::size_t i = 0; i < intervals_.size(); ++i) {
    for (std::size_t field = 0; field < field_count; ++field) {
      const double sum = sum_of(total, i, field) - sum_of(start_, i, field);
      if (sum < -slack * static_cast<double>(processors)) {
        return false;
      }
      io += field == static_cast<std::size_t>(Field::io) ? sum : 0.0;
    }
  }
  for (std::size_t p = 0; p < processors; ++p) {
    const double busy = total[processors + p] - start_[processors + p];
    if (time < busy + (p == 0 ? io : 0.0) - slack) {
      return false;
    }
  }
  return true;
}

}  // namespace gridcast::model
