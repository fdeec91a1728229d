#include "gridcast/rules/shape_notes.h"

#include <array>
#include <cstdio>
#include <map>
#include <set>
#include <utility>

#include "gridcast/rules/pipeline.h"
#include "gridcast/rules/shape_table.h"

namespace gridcast::model {
namespace {

std::string text_of(const ShapePoint& shape) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.6gx%.6g", shape.outer, shape.inner);
  return text.data();
}

/// Looks at all blocks of all loops and keeps one per loop that is outside of its table.
class ShapeCheck {
public:
  explicit ShapeCheck(GridMapping& mapping) : mapping_(&mapping), pipeline_(mapping) {}

  void look_at(const Op& op) {
    const auto& tables = mapping_->script().tables();
    if (op.kind == Op::Kind::share && op.b != none && tables.portions[op.b].shape != none) {
      look_at_blocks(op.placement(), op.portion());
    } else if (op.kind == Op::Kind::pipeline && tables.pipelines[op.a].portion != none) {
      const PipelineSpec& spec = tables.pipelines[op.a];
      if (mapping_->processors() > 1 && pipeline_.prepare(spec, op.call)) {
        look_at_portions(tables.portions[spec.portion].shape, spec.placement);
      } else {
        look_at_blocks(spec.placement, spec.portion);
      }
    }
  }

  [[nodiscard]] std::vector<std::string> notes() const {
    std::vector<std::string> notes;
    const Script& script = mapping_->script();
    for (const auto& [shape, block] : outside_) {
      const ShapeSpec& spec = script.tables().shapes[shape];
      const ShapeTable table(script.reals(spec.points));
      notes.push_back(std::string(script.text(spec.file)) + ":" + std::to_string(spec.line) +
                      ": blocks of " + text_of(block) +
                      " iterations are outside of those that were measured (" +
                      text_of(table.smallest()) + " to " + text_of(table.largest()) +
                      "): their time is extrapolated");
    }
    return notes;
  }

private:
  void take(ShapeId shape, std::span<const std::int64_t> extents) {
    const ShapePoint block = shape_of(extents);
    const ShapeTable table(
        mapping_->script().reals(mapping_->script().tables().shapes[shape].points));
    if (block.outer * block.inner > 0.0 && !table.inside(block.outer, block.inner)) {
      outside_.try_emplace(shape, block);
    }
  }

  void look_at_blocks(PlacementId placement, PortionId portion) {
    if (!known_.emplace(placement, portion).second) {
      return;
    }
    const Script& script = mapping_->script();
    const PortionSpec& part = script.tables().portions[portion];
    const auto bounds = script.ints(part.bounds);
    const mapping::Layout& loop = mapping_->layout(placement);
    std::array<std::int64_t, machine::max_grid_rank> at{};
    std::array<mapping::IndexRange, mapping::max_rank> block;
    const auto rank = static_cast<std::size_t>(loop.rank());
    for (std::size_t p = 0; p < loop.view().size(); ++p) {
      loop.coordinates(p, at);
      if (!loop.block(at, block)) {
        continue;
      }
      std::array<std::int64_t, mapping::max_rank> extents{};
      for (std::size_t dim = 0; dim < rank; ++dim) {
        extents[dim] = bounds.empty() ? block[dim].size()
                                      : mapping::StridedRange{bounds[3 * dim], bounds[3 * dim + 1],
                                                              bounds[3 * dim + 2]}
                                            .positions_in(block[dim])
                                            .size();
      }
      take(part.shape, std::span(extents).first(rank));
    }
  }

  void look_at_portions(ShapeId shape, PlacementId placement) {
    const std::int64_t quanta = pipeline_.shape().best_quanta();
    for (std::size_t p = 0; p < mapping_->layout(placement).view().size(); ++p) {
      const std::vector<std::int64_t> extents = pipeline_.first_block(p, quanta);
      if (!extents.empty()) {
        take(shape, extents);
      }
    }
  }

  GridMapping* mapping_;
  Pipeline pipeline_;
  std::set<std::pair<PlacementId, PortionId>> known_;
  std::map<ShapeId, ShapePoint> outside_;
};

}  // namespace

std::vector<std::string> extrapolated_shapes(GridMapping& mapping) {
  if (mapping.script().tables().shapes.empty()) {
    return {};
  }
  ShapeCheck check(mapping);
  for (const Op& op : mapping.script().tables().ops) {
    check.look_at(op);
  }
  return check.notes();
}

}  // namespace gridcast::model
