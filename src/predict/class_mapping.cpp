#include "class_mapping.h"

#include <algorithm>

#include "class_spread.h"

namespace gridcast::model {
namespace {

/// More classes than this, and more than half as many as processors, cost more than they save.
constexpr std::size_t many_classes = 512;

/// A script that asks about more placements and sections is looked at stretch by stretch.
constexpr std::size_t many_parts = 24;

}  // namespace

void spread(std::vector<double>& values, std::size_t filled, std::span<const double> factors) {
  for (std::size_t i = filled; i-- > 0;) {
    const double so_far = values[i];
    for (std::size_t k = factors.size(); k-- > 0;) {
      values[i * factors.size() + k] = so_far * factors[k];
    }
  }
}

ClassMapping::ClassMapping(const Script& script, const ModelOptions& options)
    : script_(&script), options_(options), stretches_(find_stretches(script)) {
  const auto& tables = script.tables();
  for (const Op& op : tables.ops) {
    if (op.kind == Op::Kind::enter_view || op.kind == Op::Kind::leave_view) {
      unsupported_ = "tasks and subsystems";
    }
  }
  if (unsupported_ == nullptr && !tables.shapes.empty()) {
    unsupported_ = "loops whose time depends on the shape of blocks";
  }
  Stretch all = united(stretches_);
  std::set<std::uint32_t> targets;
  for (const std::uint32_t placement : all.placements) {
    if (unsupported_ == nullptr) {
      unsupported_ = look_at(placement);
    }
    targets.insert(tables.placements[placement].target);
  }
  blocks_.resize(tables.targets.size());
  layouts_.resize(tables.placements.size());
  laid_out_.assign(tables.placements.size(), 0);
  spreads_.resize(tables.communications.size());
  for (const std::uint32_t communication : all.communications) {
    look_at_spread(communication, targets);
  }
  targets.erase(none);
  targets_.assign(targets.begin(), targets.end());
  const bool many = all.placements.size() + all.communications.size() > many_parts;
  split_ = many && stretches_.size() > 2 && tables.pipelines.empty();
  if (!split_) {
    stretches_.clear();
    stretches_.push_back(std::move(all));
  }
}

void ClassMapping::look_at_spread(std::uint32_t communication, std::set<std::uint32_t>& targets) {
  const auto& tables = script_->tables();
  const std::vector<std::uint32_t> placements = SpreadFinder(*this, communication).placements();
  spreads_[communication].possible =
      !placements.empty() &&
      std::all_of(placements.begin(), placements.end(), [&](std::uint32_t placement) {
        const std::uint32_t target = tables.placements[placement].target;
        return look_at(placement) == nullptr &&
               (target == none || tables.targets[target].weights == TargetSpec::Weights::none);
      });
  if (spreads_[communication].possible) {
    for (const std::uint32_t placement : placements) {
      targets.insert(tables.placements[placement].target);
    }
  }
}

const char* ClassMapping::look_at(std::uint32_t placement) const {
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

const char* ClassMapping::reset(const machine::Grid& grid) {
  grid_ = grid;
  for (auto& borders : borders_) {
    borders.clear();
  }
  classes_.assign(grid, borders_);  // extents are asked for below
  for (const std::uint32_t target : targets_) {
    if (const char* reason = cut_template(target, grid); reason != nullptr) {
      return reason;
    }
  }
  ++generation_;
  current_ = nullptr;
  enter(0);
  const auto half = static_cast<std::size_t>(grid.processors()) / 2;
  return classes_.size() > many_classes && classes_.size() > half ? "irregular blocks" : nullptr;
}

void ClassMapping::lay_out_once(std::uint32_t placement) {
  if (laid_out_[placement] != generation_) {
    laid_out_[placement] = generation_;
    lay_out(placement);
  }
}

const Spread* ClassMapping::spread(std::uint32_t communication) {
  KnownSpread& known = spreads_[communication];
  if (!known.possible) {
    return nullptr;
  }
  if (known.generation != generation_) {
    known.generation = generation_;
    const SpreadFinder finder(*this, communication);
    for (const std::uint32_t placement : finder.placements()) {
      lay_out_once(placement);
    }
    known.found = finder.find(known.spread);
  }
  return known.found ? &known.spread : nullptr;
}

bool ClassMapping::differs(const Stretch& next) const {
  return current_ == nullptr || current_->placements != next.placements ||
         current_->rooted != next.rooted || current_->communications != next.communications ||
         current_->processor_zero != next.processor_zero;
}

void ClassMapping::cut_around(const Stretch& stretch) {
  const auto around = [&](int dim, std::int64_t q) {
    std::vector<std::int64_t>& borders = borders_[static_cast<std::size_t>(dim)];
    borders.insert(borders.end(), {q, q + 1});
  };
  for (int dim = 0; dim < grid_.rank(); ++dim) {
    for (const std::uint32_t placement : stretch.rooted) {
      around(dim, layouts_[placement].cuts[static_cast<std::size_t>(dim)].first());
    }
    if (stretch.processor_zero) {
      around(dim, 0);
    }
  }
  for (const std::uint32_t communication : stretch.communications) {
    const Spread* const spread = this->spread(communication);
    for (int dim = 0; spread != nullptr && dim < grid_.rank(); ++dim) {
      const auto at = static_cast<std::size_t>(dim);
      borders_[at].insert(borders_[at].end(), {spread->lo[at], spread->hi[at]});
      if (spread->fixed[at]) {
        around(dim, spread->at[at]);
      }
    }
  }
}

void ClassMapping::cut_off() {
  for (int dim = 0; dim < grid_.rank(); ++dim) {
    std::vector<std::int64_t>& borders = borders_[static_cast<std::size_t>(dim)];
    const std::size_t count = borders.size();
    for (std::size_t k = 0; k < count; ++k) {
      borders.push_back(borders[k] - 1);
      borders.push_back(borders[k] + 1);
    }
    borders.push_back(1);
    borders.push_back(grid_.extent(dim) - 1);
  }
}

void ClassMapping::enter(std::size_t which) {
  const Stretch& stretch = stretches_[which];
  current_ = &stretch;
  for (auto& borders : borders_) {
    borders.clear();
  }
  for (const std::uint32_t placement : stretch.placements) {
    lay_out_once(placement);
    for (int dim = 0; dim < grid_.rank(); ++dim) {
      const auto at = static_cast<std::size_t>(dim);
      layouts_[placement].cuts[at].append_borders(borders_[at]);
    }
  }
  cut_around(stretch);
  if (cut_off_borders_) {
    cut_off();
  }
  classes_.assign(grid_, borders_);
}

void ClassMapping::representatives(std::uint32_t placement,
                                   std::vector<std::uint8_t>& result) const {
  const ClassLayout& layout = layouts_[placement];
  result.assign(classes_.size(), 1);
  for (std::size_t which = 0; which < classes_.size(); ++which) {
    for (int dim = 0; dim < classes_.rank(); ++dim) {
      const AxisCut& cut = layout.cuts[static_cast<std::size_t>(dim)];
      const std::int64_t x = classes_.starts(dim)[classes_.run(which, dim)];
      const bool speaks = !cut.active()   ? x == 0
                          : cut.dim() < 0 ? x == cut.first()
                                          : !cut.range(x).empty();
      result[which] = speaks ? result[which] : 0;
    }
  }
}

std::int64_t ClassMapping::representatives_below(const ClassLayout& layout,
                                                 std::int64_t number) const {
  if (number >= classes_.processors()) {
    number = classes_.processors();
  }
  // Of each dimension: how many coordinates of representatives lie below x.
  const auto below = [&](int dim, std::int64_t x) -> std::int64_t {
    const AxisCut& cut = layout.cuts[static_cast<std::size_t>(dim)];
    if (!cut.active()) {
      return x > 0 ? 1 : 0;
    }
    if (cut.dim() < 0) {
      return x > cut.first() ? 1 : 0;
    }
    if (cut.holders() == cut.end() - cut.first()) {
      return std::clamp<std::int64_t>(x - cut.first(), 0, cut.holders());
    }
    std::int64_t count = 0;
    for (std::int64_t q = 0; q < x; ++q) {
      count += cut.range(q).empty() ? 0 : 1;
    }
    return count;
  };
  std::int64_t result = 0;
  for (int dim = 0; dim < classes_.rank(); ++dim) {
    const std::int64_t x = number / classes_.stride(dim) % classes_.extent(dim);
    const bool behind_all = dim == 0 && number == classes_.processors();
    const std::int64_t digit = behind_all ? classes_.extent(0) : x;
    std::int64_t box = below(dim, digit);
    for (int inner = dim + 1; inner < classes_.rank(); ++inner) {
      box *= below(inner, classes_.extent(inner));
    }
    result += box;
    if (behind_all || below(dim, digit + 1) == below(dim, digit)) {
      break;
    }
  }
  return result;
}

void ClassMapping::representatives_behind(std::uint32_t placement, std::int64_t root,
                                          std::span<const NetworkLevel> levels,
                                          std::vector<std::int64_t>& result) const {
  result.clear();
  std::int64_t so_far = representatives_below(layouts_[placement], root + 1);
  for (std::size_t level = 0; level < levels.size(); ++level) {
    const std::int64_t size = levels[level].size;
    const bool top = level + 1 == levels.size();
    const std::int64_t end = top ? classes_.processors() : (root / size + 1) * size;
    const std::int64_t here = representatives_below(layouts_[placement], end);
    result.push_back(here - so_far);
    so_far = here;
  }
}

const char* ClassMapping::cut_template(std::uint32_t target, const machine::Grid& grid) {
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

void ClassMapping::lay_over(ClassLayout& layout, std::size_t dim, const BlockCut& blocks,
                            const mapping::AxisRule& rule) {
  AxisCut& cut = layout.cuts[dim];
  if (rule.kind == mapping::AxisRule::Kind::replicated) {
    // But not where there is nothing of the template.
    cut.assign(blocks, mapping::everywhere(blocks.elements()), 1);
    if (cut.holders() == blocks.coordinates()) {
      cut.assign_whole();
    }
    return;
  }
  layout.fully_replicated = false;
  layout.replicated[dim] = false;
  const bool linear = rule.kind == mapping::AxisRule::Kind::linear;
  cut.assign(blocks, rule, linear ? layout.extents[static_cast<std::size_t>(rule.dim)] : 1);
}

void ClassMapping::lay_out(std::uint32_t placement) {
  const PlacementSpec& spec = script_->tables().placements[placement];
  ClassLayout& layout = layouts_[placement];
  layout.extents = script_->ints(spec.extents);
  layout.copies = 1.0;
  layout.uncut = 1.0;
  layout.fully_replicated = true;
  layout.replicated.fill(true);
  layout.dims.fill(-1);
  std::uint32_t cut_dims = 0;
  for (int dim = 0; dim < classes_.rank(); ++dim) {
    const auto at = static_cast<std::size_t>(dim);
    AxisCut& cut = layout.cuts[at];
    cut.assign_whole();
    if (spec.target != none && classes_.extent(dim) > 1) {
      const TargetSpec& target = script_->tables().targets[spec.target];
      const std::span<const std::int64_t> axes = script_->ints(target.axes);
      const std::int64_t axis = at < axes.size() ? axes[at] : -1;
      if (axis >= 0) {
        lay_over(layout, at, blocks_[spec.target][at],
                 script_->rules(spec.rules)[static_cast<std::size_t>(axis)]);
      }
    }
    layout.dims[at] = cut.active() ? cut.dim() : -1;
    if (!cut.active()) {
      layout.copies *= static_cast<double>(classes_.extent(dim));
    } else if (cut.dim() < 0) {
      layout.copies *= static_cast<double>(std::max<std::int64_t>(cut.holders(), 1));
    } else {
      cut_dims |= 1U << cut.dim();
    }
  }
  for (std::size_t dim = 0; dim < layout.extents.size(); ++dim) {
    layout.uncut *= (cut_dims >> dim & 1U) != 0 ? 1.0 : static_cast<double>(layout.extents[dim]);
  }
}

void ClassMapping::counts(std::uint32_t placement, std::vector<double>& result) const {
  const ClassLayout& layout = layouts_[placement];
  result.assign(classes_.size(), 1.0);
  result.front() = layout.uncut;
  std::vector<double> factors;
  std::size_t filled = 1;
  for (int dim = 0; dim < classes_.rank(); ++dim) {
    const AxisCut& cut = layout.cuts[static_cast<std::size_t>(dim)];
    const std::size_t runs = classes_.runs(dim);
    factors.assign(runs, 1.0);
    for (std::size_t k = 0; cut.active() && k < runs; ++k) {
      factors[k] = static_cast<double>(cut.range(classes_.starts(dim)[k]).size());
    }
    model::spread(result, filled, factors);
    filled *= runs;
  }
}

bool ClassMapping::block(const ClassLayout& layout, std::size_t which,
                         std::span<std::int64_t> sizes) const noexcept {
  bool holds = true;
  for (std::size_t dim = 0; dim < layout.extents.size(); ++dim) {
    sizes[dim] = layout.extents[dim];
    holds = holds && sizes[dim] > 0;
  }
  for (int dim = 0; dim < classes_.rank(); ++dim) {
    const AxisCut& cut = layout.cuts[static_cast<std::size_t>(dim)];
    if (!cut.active()) {
      continue;
    }
    const std::int64_t size = cut.range(classes_.starts(dim)[classes_.run(which, dim)]).size();
    holds = holds && size > 0;
    if (cut.dim() >= 0) {
      sizes[static_cast<std::size_t>(cut.dim())] = size;
    }
  }
  return holds;
}

}  // namespace gridcast::model
