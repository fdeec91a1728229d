/// Figures of programs that run on the root grid, by formulas.

#include <algorithm>
#include <deque>
#include <optional>

#include "bound_figures.h"
#include "bound_lists.h"

namespace gridcast::model {
namespace {

class FormulaFigures final : public BoundFigures {
public:
  FormulaFigures(const Script& script, const ModelOptions& options, BoundMachine& machine,
                 Effort effort)
      : script_(&script),
        machine_(&machine),
        needs_mapping_(script, options),
        needs_(needs_mapping_),
        mapping_(script, options, machine),
        transfers_(mapping_, needs_),
        pipeline_(mapping_, options.pipeline) {
    const auto& tables = script.tables();
    shares_.resize(tables.placements.size());
    written_.resize(tables.communications.size());
    if (effort == Effort::thorough) {
      lists_.emplace(script, options, machine);
      times_listed_.resize(tables.communications.size());
    }
    std::vector<double> weight(tables.placements.size(), 0.0);
    longest_.assign(tables.placements.size(), 0.0);
    for (const Op& op : tables.ops) {
      if (op.kind == Op::Kind::share) {
        weight[op.a] += op.call;
        longest_[op.a] = std::max(longest_[op.a], op.call);
      } else if (op.kind == Op::Kind::pipeline) {
        weight[tables.pipelines[op.a].placement] += op.call;
      }
    }
    // The loops that take most of the time decide which processors are looked at.
    constexpr std::size_t heavy = 2;
    while (heaviest_.size() < heavy) {
      const auto most = std::max_element(weight.begin(), weight.end());
      if (most == weight.end() || !(*most > 0.0)) {
        break;
      }
      heaviest_.push_back(static_cast<std::uint32_t>(most - weight.begin()));
      *most = 0.0;
    }
  }

  void reset(const machine::Grid& grid) override {
    mapping_.reset(grid);
    if (lists_) {
      lists_->reset(grid);
    }
    choose_candidates();
    start_anew();
  }

  bool extend() override {
    if (!lists_) {
      return false;
    }
    const std::size_t before = candidates_.size();
    lists_->for_each_run([this](std::span<const double> ends) { add_last(ends); });
    if (candidates_.size() == before) {
      return false;
    }
    start_anew();
    return true;
  }

  bool in_view(std::uint32_t view, std::size_t) override { return view == 0; }

  const BoundShare& share(std::uint32_t, std::uint32_t placement, std::uint32_t portion) override {
    BoundShare& result = portion == none ? shares_[placement] : portion_share_;
    if (result.ready && portion == none) {
      return result;
    }
    result.ready = true;
    result.nobody = false;
    result.least = 0.0;
    result.most = 1.0 / machine_->slowest(mapping_.shape().processors);
    result.own.assign(candidates_.size(), 0.0);
    const GridBlocks* loop = mapping_.blocks(placement);
    if (loop == nullptr) {
      return result;
    }
    if (portion == none) {
      whole_loop(*loop, result);
    } else {
      part_of_loop(*loop, script_->ints(script_->tables().portions[portion].bounds), result);
    }
    return result;
  }

  const BoundTimes& times(std::uint32_t communication) override {
    const BoundTimes& by_formula = transfers_.times(communication);
    if (!lists_) {
      return by_formula;
    }
    BoundTimes& result = times_listed_[communication];
    if (!result.ready) {
      result = by_formula;
      result.ready = true;
      raise_to(lists_->listed(communication).ends, result);
    }
    return result;
  }
  const BoundTimes* behind(std::uint32_t first, std::uint32_t second, double delay) override {
    if (!lists_) {
      return nullptr;
    }
    const std::span<const double> ends = lists_->behind(first, second, delay);
    if (ends.empty()) {
      return nullptr;
    }
    for (const auto& [known, times] : pairs_) {
      if (known == ends.data()) {
        return &times;
      }
    }
    auto& [known, times] = pairs_.emplace_back();
    known = ends.data();
    times.reset(candidates_.size());
    raise_to(ends, times);
    return &times;
  }
  const BoundTimes& broadcast(std::uint32_t, double bytes) override {
    return transfers_.broadcast(bytes);
  }
  double written(std::uint32_t communication, std::size_t candidate) override {
    std::vector<double>& parts = written_[communication];
    if (parts.empty()) {
      for (std::size_t i = 0; i < candidates_.size(); ++i) {
        parts.push_back(transfers_.written(communication, i));
      }
    }
    return parts[candidate];
  }
  bool pipeline(std::uint32_t id, double call, BoundClocks& clocks) override {
    return pipeline_.run(id, call, clocks);
  }

private:
  void whole_loop(const GridBlocks& loop, BoundShare& result) const {
    const GridShape& shape = mapping_.shape();
    const double all = loop.elements();
    result.nobody = !(all > 0.0) || (loop.product() && !loop.anywhere());
    if (result.nobody) {
      return;
    }
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      result.own[i] = loop.count(shape.coordinates(candidates_[i])) / all /
                      machine_->performance(candidates_[i]);
    }
    if (loop.product()) {
      double least = loop.uncut();
      double most = loop.uncut();
      for (int j = 0; j < shape.rank; ++j) {
        least *= loop.sizes(j).least();
        most *= loop.sizes(j).most();
      }
      result.least = least / all / machine_->fastest(shape.processors);
      result.most = most / all / machine_->slowest(shape.processors);
    }
  }

  void part_of_loop(const GridBlocks& loop, std::span<const std::int64_t> bounds,
                    BoundShare& result) const {
    double all = 1.0;
    for (std::size_t at = 2; at < bounds.size(); at += 3) {
      all *= static_cast<double>(bounds[at]);
    }
    result.nobody = !(all > 0.0);
    GridBlocks::Block block;
    for (std::size_t i = 0; i < candidates_.size() && !result.nobody; ++i) {
      if (!loop.block(mapping_.shape().coordinates(candidates_[i]), block)) {
        continue;
      }
      double own = 1.0;
      for (std::size_t dim = 0; dim * 3 < bounds.size(); ++dim) {
        const mapping::StridedRange wanted{bounds[dim * 3], bounds[dim * 3 + 1],
                                           bounds[dim * 3 + 2]};
        own *= static_cast<double>(wanted.positions_in(block[dim]).size());
      }
      result.own[i] = own / all / machine_->performance(candidates_[i]);
    }
  }

  /// Forgets what was worked out for other candidates.
  void start_anew() {
    for (BoundShare& share : shares_) {
      share.ready = false;
    }
    for (auto& parts : written_) {
      parts.clear();
    }
    pairs_.clear();
    for (BoundTimes& times : times_listed_) {
      times.ready = false;
    }
    transfers_.reset(candidates_);
    pipeline_.reset(candidates_);
  }

  /// Those that a communication keeps longest, alone and with the longest part of a heavy loop.
  void add_last(std::span<const double> ends) {
    const auto last = [&](auto&& time_of) {
      std::size_t latest = 0;
      double most = 0.0;
      for (std::size_t p = 0; p < ends.size(); ++p) {
        if (const double time = time_of(p); time >= most) {
          most = time;
          latest = p;
        }
      }
      add_candidate(static_cast<std::int64_t>(latest));
    };
    last([&](std::size_t p) { return ends[p]; });
    for (const std::uint32_t placement : heaviest_) {
      const GridBlocks* loop = mapping_.blocks(placement);
      if (loop == nullptr || !(loop->elements() > 0.0)) {
        continue;
      }
      const double whole = longest_[placement] / loop->elements();
      last([&](std::size_t p) {
        const auto number = static_cast<std::int64_t>(p);
        return ends[p] + whole * loop->count(mapping_.shape().coordinates(number)) /
                             machine_->performance(number);
      });
    }
  }

  /// Ends on idle networks.
  void raise_to(std::span<const double> ends, BoundTimes& result) const {
    if (ends.empty()) {
      return;
    }
    result.raise_last(*std::max_element(ends.begin(), ends.end()), 0.0);
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      result.raise(i, ends[static_cast<std::size_t>(candidates_[i])], 0.0);
    }
  }

  void add_candidate(std::int64_t processor) {
    if (std::find(candidates_.begin(), candidates_.end(), processor) == candidates_.end()) {
      candidates_.push_back(processor);
    }
  }

  /// Processor 0; for the heaviest loops every combination of the last coordinates with the largest
  /// and with any block; where processors are unequal, the one that takes longest; the last
  /// processor.
  void choose_candidates() {
    const GridShape& shape = mapping_.shape();
    candidates_.assign(1, 0);
    for (const std::uint32_t placement : heaviest_) {
      const GridBlocks* loop = mapping_.blocks(placement);
      if (loop == nullptr || !loop->product() || !loop->anywhere()) {
        continue;
      }
      for (int choice = 0; choice < 1 << shape.rank; ++choice) {
        GridShape::Coordinates at{};
        for (int j = 0; j < shape.rank; ++j) {
          const StepFunction& sizes = loop->sizes(j);
          at[static_cast<std::size_t>(j)] =
              (choice >> j & 1) == 0 ? sizes.last_of_most() : sizes.last_positive();
        }
        add_candidate(shape.number(at));
      }
      if (!machine_->equal(shape.processors)) {
        add_slowest(*loop);
      }
    }
    add_candidate(shape.processors - 1);
    add_neighbours(candidates_.size() > 1 ? candidates_[1] : 0);
    if (!machine_->equal(shape.processors)) {
      const std::vector<std::int64_t> chosen = candidates_;
      for (const std::int64_t processor : chosen) {
        add_neighbours(processor);
      }
    }
    for (std::uint32_t id = 0; id < script_->tables().pipelines.size(); ++id) {
      for (std::size_t i = candidates_.size(); i-- > 0;) {
        add_candidate(pipeline_.line_start(id, candidates_[i]));
      }
    }
  }

  /// Messages between networks end late: the processors next to the borders of the networks above a
  /// heavily loaded one take part in them.
  void add_neighbours(std::int64_t loaded) {
    const std::int32_t levels = machine_->system().levels;
    for (std::int32_t level = 1; level < levels; ++level) {
      const std::uint32_t id = machine_->above(loaded, level);
      if (id == machine::ProcessorSystem::no_network) {
        break;
      }
      const std::int64_t border = machine_->part(id).begin;
      add_candidate(border);
      add_candidate(std::max<std::int64_t>(border - 1, 0));
    }
  }

  /// Unequal processors: the last of those that take longest, and of those that take nearly as
  /// long.
  void add_slowest(const GridBlocks& loop) {
    const GridShape& shape = mapping_.shape();
    const auto last = static_cast<std::size_t>(shape.rank) - 1;
    times_.resize(static_cast<std::size_t>(shape.processors));
    double most = 0.0;
    for (std::int64_t row = 0; row < shape.processors; row += shape.extents[last]) {
      const GridShape::Coordinates at = shape.coordinates(row);
      double outer = 1.0;
      for (std::size_t j = 0; j < last; ++j) {
        outer *= loop.sizes(static_cast<int>(j)).value(at[j]);
      }
      const auto runs = loop.sizes(static_cast<int>(last)).runs();
      std::size_t run = 0;
      for (std::int64_t q = 0; q < shape.extents[last]; ++q) {
        run += run + 1 < runs.size() && runs[run + 1].begin <= q ? 1 : 0;
        const double time = outer * runs[run].value / machine_->performance(row + q);
        times_[static_cast<std::size_t>(row + q)] = time;
        most = std::max(most, time);
      }
    }
    for (const double part : {1.0, 0.995, 0.98, 0.95, 0.8}) {
      std::size_t p = times_.size() - 1;
      while (times_[p] < part * most) {
        --p;
      }
      add_candidate(static_cast<std::int64_t>(p));
    }
  }

  const Script* script_;
  BoundMachine* machine_;
  GridMapping needs_mapping_;  // only to work out which elements a block needs
  TransferBuilder needs_;
  BoundMapping mapping_;
  BoundTransfers transfers_;
  BoundPipeline pipeline_;
  std::vector<std::uint32_t> heaviest_;
  std::vector<double> longest_;  // per placement: of its loops, seconds
  std::vector<BoundShare> shares_;
  BoundShare portion_share_;
  std::vector<std::vector<double>> written_;
  std::vector<double> times_;
  // Thorough bounds only.
  std::optional<BoundLists> lists_;
  std::vector<BoundTimes> times_listed_;  // per communication
  std::deque<std::pair<const double*, BoundTimes>> pairs_;
};

}  // namespace

std::unique_ptr<BoundFigures> make_formula_figures(const Script& script,
                                                   const ModelOptions& options,
                                                   BoundMachine& machine, Effort effort) {
  return std::make_unique<FormulaFigures>(script, options, machine, effort);
}

}  // namespace gridcast::model
