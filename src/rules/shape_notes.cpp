#include "gridcast/rules/shape_notes.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <utility>

#include "gridcast/rules/loop_part.h"
#include "gridcast/rules/pipeline.h"
#include "gridcast/rules/shape_table.h"

namespace gridcast::model {
namespace {

std::string text_of(const ShapePoint& shape) {
  return fmt::format("{:.6g}x{:.6g}", shape.outer, shape.inner);
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
      notes.push_back(
          fmt::format("{}:{}: blocks of {} iterations are outside of those that were measured ({} "
                      "to {}): their time is extrapolated",
                      script.text(spec.file), spec.line, text_of(block), text_of(table.smallest()),
                      text_of(table.largest())));
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
    const mapping::Layout& loop = mapping_->layout(placement);
    const LoopPart part(loop.extents(), script, portion);
    mapping_->for_each_holder(loop, [&](const Holder& holder) {
      const LoopPart::Extents extents = part.extents(holder.block());
      take(script.tables().portions[portion].shape,
           std::span(extents).first(holder.block().size()));
    });
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
  ShapeCheck check(mapping);
  for (const Op& op : mapping.script().tables().ops) {
    check.look_at(op);
  }
  return check.notes();
}

}  // namespace gridcast::model
