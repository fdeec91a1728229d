#include "class_mapping.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "gridcast/mapping/coordinate_kinds.h"
#include "section_finder.h"

namespace gridcast::model {
namespace {

/// More classes than this, and more than half as many as processors, cost more than they save.
constexpr std::size_t many_classes = 512;

/// A script that asks about more placements and sections is looked at stretch by stretch.
constexpr std::size_t many_parts = 24;

/// Runs between so few borders are not more than the kinds of coordinates would be.
constexpr std::int64_t few_borders = 3;

}  // namespace

ClassMapping::ClassMapping(const Script& script, const ModelOptions& options)
    : script_(&script), options_(options), stretches_(find_stretches(script)) {
  const auto& tables = script.tables();
  for (const Op& op : tables.ops) {
    if (op.kind == Op::Kind::enter_view || op.kind == Op::Kind::leave_view) {
      unsupported_ = "tasks and subsystems";
    }
  }
  if (unsupported_ == nullptr && !tables.statements.empty()) {
    unsupported_ = "statements over blocks";
  }
  if (unsupported_ == nullptr && !tables.shapes.empty()) {
    unsupported_ = "loops whose time depends on the shape of blocks";
  }
  Stretch all = united(stretches_);
  const Asked& asked = all.asked;
  std::set<TargetId> targets;
  for (const PlacementId placement : asked.placements) {
    if (unsupported_ == nullptr) {
      unsupported_ = look_at(placement);
    }
    targets.insert(tables.placements[placement].target);
  }
  blocks_.resize(tables.targets.size());
  layouts_.resize(tables.placements.size());
  laid_out_.assign(tables.placements.size(), 0);
  known_.resize(tables.communications.size());
  for (const CommunicationId communication : asked.communications) {
    look_at_sections(communication, targets);
  }
  targets.erase(none);
  targets_.assign(targets.begin(), targets.end());
  const bool many = asked.placements.size() + asked.communications.size() > many_parts;
  split_ = many && stretches_.size() > 2 && tables.pipelines.empty();
  if (!split_) {
    stretches_.clear();
    stretches_.push_back(std::move(all));
  }
}

void ClassMapping::look_at_sections(CommunicationId communication, std::set<TargetId>& targets) {
  const auto& tables = script_->tables();
  const std::vector<PlacementId> placements = SectionFinder(*this, communication).placements();
  known_[communication].possible =
      !placements.empty() &&
      std::all_of(placements.begin(), placements.end(), [&](PlacementId placement) {
        const TargetId target = tables.placements[placement].target;
        return look_at(placement) == nullptr &&
               (target == none || tables.targets[target].weights == TargetSpec::Weights::none);
      });
  if (known_[communication].possible) {
    for (const PlacementId placement : placements) {
      targets.insert(tables.placements[placement].target);
    }
  }
}

const char* ClassMapping::look_at(PlacementId placement) const {
  const PlacementSpec& spec = script_->tables().placements[placement];
  if (spec.view != 0) {
    return "tasks and subsystems";
  }
  if (spec.target == none) {
    return nullptr;
  }
  // Two dimensions of a template that lie over one dimension of an array cut it twice.
  std::vector<std::int32_t> dims;
  for (const mapping::AxisRule& rule : script_->rules(spec.rules)) {
    if (rule.kind != mapping::AxisRule::Kind::linear) {
      continue;
    }
    if (std::find(dims.begin(), dims.end(), rule.dim) != dims.end()) {
      return "arrays along a diagonal";
    }
    dims.push_back(rule.dim);
  }
  return nullptr;
}

const char* ClassMapping::reset(const machine::Grid& grid, bool repeat) {
  grid_ = grid;
  repeat_ = repeat;
  for (auto& borders : borders_) {
    borders.clear();
  }
  classes_.assign(grid, borders_);  // extents are asked for below
  for (const TargetId target : targets_) {
    if (const char* reason = cut_template(target, grid); reason != nullptr) {
      return reason;
    }
  }
  ++generation_;
  enter(root_view);
  const auto half = static_cast<std::size_t>(grid.processors()) / 2;
  return classes_.size() > many_classes && classes_.size() > half ? "irregular blocks" : nullptr;
}

const ClassMapping::Known& ClassMapping::known(CommunicationId communication) {
  Known& known = known_[communication];
  if (known.possible && known.generation != generation_) {
    known.generation = generation_;
    const SectionFinder finder(*this, communication);
    for (const PlacementId placement : finder.placements()) {
      lay_out(placement);
    }
    known.form = finder.find(known.spread)          ? Known::Form::spread
                 : finder.find(known.transposition) ? Known::Form::transposition
                                                    : Known::Form::other;
  }
  return known;
}

void ClassMapping::cut_around(const Asked& asked) {
  const auto around = [&](int dim, std::int64_t q) {
    std::vector<std::int64_t>& borders = borders_[static_cast<std::size_t>(dim)];
    borders.insert(borders.end(), {q, q + 1});
  };
  for (int dim = 0; dim < grid_.rank(); ++dim) {
    for (const PlacementId placement : asked.rooted) {
      around(dim, layouts_[placement].cuts[static_cast<std::size_t>(dim)].first());
    }
    if (asked.processor_zero) {
      around(dim, 0);
    }
  }
  for (const CommunicationId communication : asked.communications) {
    const Spread* const spread = this->spread(communication);
    for (int dim = 0; spread != nullptr && dim < grid_.rank(); ++dim) {
      const auto at = static_cast<std::size_t>(dim);
      borders_[at].insert(borders_[at].end(), {spread->lo[at], spread->hi[at]});
      if (spread->fixed[at]) {
        around(dim, spread->at[at]);
      }
    }
    if (transposition(communication) != nullptr) {
      for (const PlacementId placement : SectionFinder(*this, communication).placements()) {
        for (int dim = 0; dim < grid_.rank(); ++dim) {
          const auto at = static_cast<std::size_t>(dim);
          layouts_[placement].cuts[at].append_borders(borders_[at]);
        }
      }
    }
  }
}

void ClassMapping::enter(std::size_t which) {
  const Asked& asked = stretches_[which].asked;
  for (auto& borders : borders_) {
    borders.clear();
  }
  for (const PlacementId placement : asked.placements) {
    lay_out(placement);
  }
  find_kinds(asked);
  for (const PlacementId placement : asked.placements) {
    for (int dim = 0; dim < grid_.rank(); ++dim) {
      const auto at = static_cast<std::size_t>(dim);
      layouts_[placement].cuts[at].append_borders(borders_[at], kinds_[at].count > 1);
    }
  }
  cut_around(asked);
  classes_.assign(grid_, borders_, kinds_);
}

void ClassMapping::find_kinds(const Asked& asked) {
  kinds_.fill({});
  // Channels are taken in the order of numbers; pipelines, arrays that move and what is added up
  // from stretches follow lines of processors.
  if (!repeat_ || stretches_.size() > 1 || !script_->tables().pipelines.empty() ||
      std::any_of(asked.communications.begin(), asked.communications.end(),
                  [this](CommunicationId id) { return transposition(id) != nullptr; })) {
    return;
  }
  std::vector<const AxisCut*> cuts;
  for (int dim = 0; dim < grid_.rank(); ++dim) {
    const auto at = static_cast<std::size_t>(dim);
    cuts.clear();
    std::int64_t borders = 1;
    for (const PlacementId placement : asked.placements) {
      const AxisCut& cut = layouts_[placement].cuts[at];
      if (cut.active() && cut.period() > 1 &&
          std::none_of(cuts.begin(), cuts.end(),
                       [&](const AxisCut* other) { return cut.repeats_like(*other); })) {
        cuts.push_back(&cut);
        borders = std::max(borders, cut.changes());
      }
    }
    ProcessorClasses::Kinds& kinds = kinds_[at];
    if (borders <= few_borders || !mapping::find_kinds(cuts, grid_.extent(dim), kinds) ||
        static_cast<std::int64_t>(kinds.count) > borders) {
      kinds = {};
    }
  }
}

const char* ClassMapping::cut_template(TargetId target, const machine::Grid& grid) {
  const TargetSpec& spec = script_->tables().targets[target];
  const std::span<const std::int64_t> axes = script_->ints(spec.axes);
  const std::span<const std::int64_t> extents = script_->ints(spec.extents);
  for (int dim = 0; dim < grid.rank(); ++dim) {
    const auto at = static_cast<std::size_t>(dim);
    if (at >= axes.size() || axes[at] < 0 || grid.extent(dim) == 1) {
      continue;
    }
    if (at < spec.lists.count && spec.weights != TargetSpec::Weights::none &&
        script_->tables().slices[spec.lists.begin + at].count > 0) {
      return "weighted blocks";
    }
    const auto axis = static_cast<std::size_t>(axes[at]);
    const std::int64_t multiplier =
        axis < spec.divisors.count ? script_->ints(spec.divisors)[axis] : 1;
    blocks_[target][at].assign(extents[axis], grid.extent(dim), options_.block_rule, multiplier);
  }
  return nullptr;
}

void ClassMapping::lay_out(PlacementId placement) {
  if (std::exchange(laid_out_[placement], generation_) == generation_) {
    return;
  }
  const PlacementSpec& spec = script_->tables().placements[placement];
  ClassLayout& layout = layouts_[placement];
  layout.begin(script_->ints(spec.extents));
  const std::span<const std::int64_t> axes =
      spec.target == none ? std::span<const std::int64_t>{}
                          : script_->ints(script_->tables().targets[spec.target].axes);
  for (int dim = 0; dim < classes_.rank(); ++dim) {
    const auto at = static_cast<std::size_t>(dim);
    if (at < axes.size() && axes[at] >= 0 && classes_.extent(dim) > 1) {
      layout.lay_over(dim, blocks_[spec.target][at],
                      script_->rules(spec.rules)[static_cast<std::size_t>(axes[at])]);
    }
  }
  layout.finish(classes_);
}

}  // namespace gridcast::model
