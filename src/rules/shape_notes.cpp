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
    if (op.kind == Op::Kind::share) {
      look_at_blocks(op.placement(), op.portion(), nullptr);
    } else if (op.kind == Op::Kind::pipeline) {
      const PipelineSpec& spec = tables.pipelines[op.pipeline()];
      const bool cut =
          spec.portion != none && mapping_->processors() > 1 && pipeline_.prepare(spec, op.call);
      look_at_blocks(spec.placement, spec.portion, cut ? &mapping_->view(spec.view) : nullptr);
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
  /// `cut_on`: the processor system of a loop that is cut into portions.
  void look_at_blocks(PlacementId placement, PortionId portion,
                      const mapping::ProcessorView* cut_on) {
    const Script& script = mapping_->script();
    const ShapeId shape = portion == none ? ShapeId() : script.tables().portions[portion].shape;
    if (shape == none || (cut_on == nullptr && !known_.emplace(placement, portion).second)) {
      return;
    }
    const mapping::Layout& loop = mapping_->layout(placement);
    const LoopPart part(loop.extents(), script, portion);
    const ShapeTable table(script.reals(script.tables().shapes[shape].points));
    mapping_->for_each_holder(loop, [&](const Holder& holder) {
      LoopPart::Extents all = part.extents(holder.block());
      const auto extents = std::span(all).first(holder.block().size());
      if (cut_on != nullptr && cut_on->local(holder.processor()) < 0) {
        return;
      }
      if (cut_on != nullptr) {
        pipeline_.first_extents(extents, pipeline_.shape().best_quanta());
      }
      const ShapePoint block = shape_of(extents);
      if (block.outer * block.inner > 0.0 && !table.inside(block.outer, block.inner)) {
        outside_.try_emplace(shape, block);
      }
    });
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
