#include "clock_model.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gridcast/rules/walk.h"

namespace gridcast::model {
namespace {

/// Ways of cutting a pipelined loop that are simulated, at most.
constexpr std::size_t table_size = 4;

}  // namespace

ProcessorClocks::ClockModel::ClockModel(ProcessorClocks& all, std::span<const Op> iterations,
                                        std::size_t period)
    : all_(all), ops_(iterations), period_(period), contended_(networks_contended()) {}

bool ProcessorClocks::ClockModel::networks_contended() const {
  // Where every communication is over for all before the next begins, networks are idle. The first
  // edges of a pipeline may meet what its last processors still wait for.
  std::ptrdiff_t pending = 0;
  for (const Op& op : ops_.first(period_)) {
    const bool starts = op.kind == Op::Kind::start || op.kind == Op::Kind::send;
    if (op.kind == Op::Kind::enter_view || op.kind == Op::Kind::broadcast ||
        op.kind == Op::Kind::pipeline ||
        (pending > 0 &&
         (starts || op.kind == Op::Kind::transfer || op.kind == Op::Kind::exchange))) {
      return true;
    }
    pending += starts ? 1 : 0;
    pending -= op.kind == Op::Kind::wait ? 1 : 0;
  }
  return false;
}

void ProcessorClocks::ClockModel::choose_processors(std::span<const std::size_t> iterations) {
  std::vector<std::uint32_t> all(all_.processors_);
  std::iota(all.begin(), all.end(), 0U);
  choose(std::move(all));
  last_ = {0};  // its clock starts broadcasts
  for (const std::size_t k : iterations) {
    static_cast<void>(cost(k));
  }
  choose({last_.begin(), last_.end()});
}

void ProcessorClocks::ClockModel::choose(std::vector<std::uint32_t> processors) {
  processors_ = std::move(processors);
  members_.clear();
  steps_.clear();
  started_.clear();
  for (std::size_t i = 0; i < period_; ++i) {
    steps_.push_back(make_step(i));
  }
}

const std::vector<std::uint8_t>& ProcessorClocks::ClockModel::chosen_here() {
  const auto [entry, made] = members_.try_emplace(all_.current_);
  if (made) {
    const mapping::ProcessorView& view = all_.mapping_.view(all_.current_);
    for (const std::uint32_t p : processors_) {
      entry->second.push_back(view.local(p) >= 0 ? 1 : 0);
    }
  }
  return entry->second;
}

auto ProcessorClocks::ClockModel::make_step(std::size_t index) -> Step {
  const Op& op = ops_[index];
  if (op.kind == Op::Kind::enter_view || op.kind == Op::Kind::leave_view) {
    all_.enter(op.view());
  }
  Step step;
  step.here = &chosen_here();
  step.members = all_.mapping_.view(all_.current_).size();
  switch (op.kind) {
    case Op::Kind::work:
      for (std::size_t r = 0; r < processors_.size(); ++r) {
        step.call.push_back((*step.here)[r] != 0 ? all_.inverse_[processors_[r]] : 0.0);
      }
      step.ret = step.call;
      break;
    case Op::Kind::io_work:
      for (const std::uint32_t p : processors_) {
        step.call.push_back(p == 0 ? all_.inverse_[0] : 0.0);
      }
      step.ret.assign(processors_.size(), 0.0);
      break;
    case Op::Kind::copied:
      make_copied(step, op.communication());
      break;
    case Op::Kind::share:
      make_share(step, op.placement(), op.portion());
      break;
    case Op::Kind::start:
    case Op::Kind::send:
      make_communication(step, all_.timed(op.communication()));
      started_[op.b] = index;
      break;
    case Op::Kind::wait:
      step.started = started_.at(op.b);
      break;
    case Op::Kind::transfer:
    case Op::Kind::exchange:
      make_communication(step, all_.timed(op.communication()));
      break;
    case Op::Kind::broadcast:
      make_communication(step, all_.timed_broadcast(op.call));
      break;
    case Op::Kind::pipeline:
      make_pipeline(step, index);
      break;
    default:
      break;
  }
  return step;
}

void ProcessorClocks::ClockModel::make_share(Step& step, PlacementId placement, PortionId portion) {
  const Share& share = all_.share_of(placement, portion);
  const mapping::ProcessorView& view = all_.mapping_.view(all_.current_);
  for (std::size_t r = 0; r < processors_.size(); ++r) {
    const auto local = view.local(processors_[r]);
    step.call.push_back(local < 0   ? 0.0
                        : share.any ? share.fraction[static_cast<std::size_t>(local)]
                                    : all_.inverse_[processors_[r]]);
  }
  step.ret.assign(processors_.size(), 0.0);
}

void ProcessorClocks::ClockModel::make_copied(Step& step, CommunicationId communication) {
  const WrittenShares& written = all_.written_of(communication);
  step.call.assign(processors_.size(), 0.0);
  for (std::size_t r = 0; r < processors_.size(); ++r) {
    const std::uint32_t p = processors_[r];
    const double share = written.any ? written.share[p] : ((*step.here)[r] != 0 ? 1.0 : 0.0);
    step.ret.push_back(share * all_.inverse_[p]);
  }
}

void ProcessorClocks::ClockModel::make_communication(Step& step, const Timed& timed) {
  step.timed = &timed;
  if (!timed.silent) {
    for (const std::uint32_t p : processors_) {
      step.ends.push_back(timed.profile.ends[p]);
      step.overheads.push_back(timed.profile.overheads.empty() ? 0.0 : timed.profile.overheads[p]);
    }
  }
}

void ProcessorClocks::ClockModel::make_pipeline(Step& step, std::size_t index) {
  const PipelineSpec& spec = all_.script_->tables().pipelines[ops_[index].a];
  step.index = index;
  step.pipelined = all_.processors_ > 1 && all_.share_of(spec.placement, none).any &&
                   all_.pipeline_.prepare(spec, ops_[index].call);
  if (!step.pipelined) {
    make_share(step, spec.placement, spec.portion);
  }
}

auto ProcessorClocks::ClockModel::tabulate(const Step& step) -> Table {
  // The clocks now are those of all processors.
  Table table;
  const PipelineSpec& spec = all_.script_->tables().pipelines[ops_[step.index].a];
  Pipeline& pipeline = all_.pipeline_;
  pipeline.prepare(spec, 1.0);
  PipelineShape shape = pipeline.shape();
  const double unit = shape.iteration_time;
  std::map<double, Cut> cuts;
  for (std::size_t at = step.index; at < ops_.size(); at += period_) {
    const double call = ops_[at].call;
    shape.iteration_time = unit * call;
    const std::int64_t quanta = shape.best_quanta();
    table.portions.push_back(pipeline.first_portion(quanta));
    const auto [cut, fresh] = cuts.try_emplace(table.portions.back());
    cut->second.portion = table.portions.back();
    cut->second.quanta = quanta;
    cut->second.least = fresh ? call : std::min(cut->second.least, call);
    cut->second.most = std::max(cut->second.most, call);
  }
  // Those between which the others lie evenly.
  std::vector<double> sorted = table.portions;
  std::sort(sorted.begin(), sorted.end());
  std::set<double> chosen;
  for (std::size_t i = 0; i < table_size; ++i) {
    chosen.insert(sorted[i * (sorted.size() - 1) / (table_size - 1)]);
  }
  for (const auto& [portion, cut] : cuts) {
    if (cuts.size() <= table_size || chosen.contains(portion)) {
      simulate_cut(spec, *step.here, table.cuts.emplace_back(cut));
    }
  }
  return table;
}

void ProcessorClocks::ClockModel::simulate_cut(const PipelineSpec& spec,
                                               const std::vector<std::uint8_t>& here, Cut& cut) {
  const auto on = all_.mapping_.layout(spec.placement).view().processors();
  const double middle = (cut.least + cut.most) / 2.0;
  const double low = std::min(cut.least, 0.98 * middle);
  const double high = std::max(cut.most, 1.02 * middle);
  double start = 0.0;
  for (std::size_t p = 0; p < clocks_.size(); ++p) {
    start = here[p] != 0 ? std::max(start, clocks_[p]) : start;
  }
  PipelineTimes first;
  PipelineTimes second;
  Pipeline& pipeline = all_.pipeline_;
  for (const auto& [call, times] : {std::pair(low, &first), std::pair(high, &second)}) {
    pipeline.prepare(spec, call);
    network::Networks networks = all_.networks_[1];
    pipeline.run_cut(cut.quanta, all_.options_.pipeline, clocks_, networks, *times);
  }
  cut.base.assign(all_.processors_, 0.0);
  cut.slope.assign(all_.processors_, -1.0);
  for (std::size_t local = 0; local < on.size(); ++local) {
    const double slope = (second.finish[local] - first.finish[local]) / (high - low);
    if (slope > 0.0) {
      cut.slope[on[local]] = slope;
      cut.base[on[local]] = first.finish[local] - slope * low - start;
    }
  }
}

std::size_t ProcessorClocks::ClockModel::pipelines_simulated() const {
  std::size_t most = 0;
  for (const auto& [index, table] : tables_) {
    most = std::max(most, 2 * table.cuts.size());
  }
  return most;
}

// --- one iteration
// -----------------------------------------------------------------------------------

double ProcessorClocks::ClockModel::cost(std::size_t iteration) {
  clocks_.assign(processors_.size(), 0.0);
  if (contended_) {
    static_cast<void>(all_.idle_networks());  // frees them
  }
  iteration_ = iteration;
  const auto ops = ops_.subspan(iteration * period_, period_);
  for (std::size_t i = 0; i < period_; ++i) {
    now_ = &steps_[i];
    walk(*this, *all_.script_, ops[i]);
  }
  now_ = &steps_.front();
  return latest();
}

double ProcessorClocks::ClockModel::latest() {
  const std::vector<std::uint8_t>& here = *now_->here;
  std::size_t last = processors_.size();
  for (std::size_t r = 0; r < processors_.size(); ++r) {
    if (here[r] != 0 && (last == processors_.size() || clocks_[r] > clocks_[last])) {
      last = r;
    }
  }
  if (last == processors_.size()) {
    return 0.0;  // none of the chosen processors is there
  }
  last_.insert(processors_[last]);
  return clocks_[last];
}

void ProcessorClocks::ClockModel::launch(Step& step, double start) {
  step.start = start;
  step.contended = false;
  if (!contended_ || step.timed->silent) {
    return;
  }
  network::Networks& networks = all_.networks_[1];
  if (networks.idle_for(step.timed->profile, start)) {
    networks.occupy(step.timed->profile, start);
    return;
  }
  step.contended = true;
  step.absolute.resize(all_.processors_);
  networks.run(step.timed->transfers.communication, start, step.absolute);
}

void ProcessorClocks::ClockModel::raise_to(const Step& communication,
                                           const std::vector<std::uint8_t>* here) {
  for (std::size_t r = 0; r < communication.ends.size(); ++r) {
    if (communication.ends[r] > 0.0 && (here == nullptr || (*here)[r] != 0)) {
      const double end = communication.contended ? communication.absolute[processors_[r]]
                                                 : communication.start + communication.ends[r];
      clocks_[r] = std::max(clocks_[r] + communication.overheads[r], end);
    }
  }
}

bool ProcessorClocks::ClockModel::pipeline(PipelineId /*pipeline*/, double seconds) {
  if (!now_->pipelined) {
    return false;
  }
  const auto [entry, missing] = tables_.try_emplace(now_->index);
  if (missing) {
    entry->second = tabulate(*now_);
  }
  const std::vector<Cut>& cuts = entry->second.cuts;
  const double portion = entry->second.portions[iteration_];
  const auto above = std::lower_bound(cuts.begin(), cuts.end() - 1, portion,
                                      [](const Cut& cut, double p) { return cut.portion < p; });
  const Cut& high = *above;
  const Cut& low = above == cuts.begin() || high.portion <= portion ? high : *(above - 1);
  const double part =
      high.portion > low.portion ? (portion - low.portion) / (high.portion - low.portion) : 0.0;
  const double start = latest();
  for (std::size_t r = 0; r < processors_.size(); ++r) {
    const std::uint32_t p = processors_[r];
    if (low.slope[p] >= 0.0) {
      const double from = low.base[p] + low.slope[p] * seconds;
      const double to = high.base[p] + high.slope[p] * seconds;
      clocks_[r] = start + from + part * (to - from);
    }
  }
  return true;
}

void ProcessorClocks::ClockModel::work(double call, double ret) {
  for (std::size_t r = 0; r < processors_.size(); ++r) {
    clocks_[r] += now_->call[r] * call + now_->ret[r] * ret;
  }
}

bool ProcessorClocks::ClockModel::share(double seconds, PlacementId /*placement*/,
                                        PortionId /*portion*/) {
  work(seconds, 0.0);
  return true;
}

bool ProcessorClocks::ClockModel::copied(CommunicationId /*communication*/, double ret) {
  work(0.0, ret);
  return true;
}

double ProcessorClocks::ClockModel::synchronize(Operation /*operation*/, bool /*pipelined*/) {
  const double now = latest();
  for (std::size_t r = 0; r < processors_.size(); ++r) {
    clocks_[r] = (*now_->here)[r] != 0 ? now : clocks_[r];
  }
  return now;
}

void ProcessorClocks::ClockModel::pay(double seconds, Operation /*operation*/, bool /*pipelined*/) {
  for (std::size_t r = 0; r < processors_.size(); ++r) {
    clocks_[r] += (*now_->here)[r] != 0 ? seconds : 0.0;
  }
}

void ProcessorClocks::ClockModel::start(CommunicationId /*communication*/, std::uint32_t /*token*/,
                                        double start) {
  launch(*now_, start);
}

void ProcessorClocks::ClockModel::wait(std::uint32_t /*token*/, Operation /*operation*/) {
  raise_to(steps_[now_->started], now_->here);
}

void ProcessorClocks::ClockModel::transfer(CommunicationId /*communication*/, double start,
                                           Operation /*operation*/, bool /*pipelined*/) {
  launch(*now_, start);
  raise_to(*now_, nullptr);
}

void ProcessorClocks::ClockModel::broadcast(double /*bytes*/) {
  const double first = clocks_.front();  // processor 0 is always chosen
  launch(*now_, first);
  raise_to(*now_, now_->here);
  clocks_.front() = first + (now_->overheads.empty() ? 0.0 : now_->overheads.front());
}

}  // namespace gridcast::model
