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
    const bool pipelined = op.kind == Op::Kind::pipeline;
    if (!pipelined && op.kind != Op::Kind::share) {
      return;
    }
    const Script& script = mapping_->script();
    const PipelineSpec spec =
        pipelined ? script.tables().pipelines[op.pipeline()]
                  : PipelineSpec{.placement = op.placement(), .portion = op.portion()};
    const ShapeId shape =
        spec.portion == none ? ShapeId() : script.tables().portions[spec.portion].shape;
    if (shape == none || (!pipelined && !known_.emplace(spec.placement, spec.portion).second)) {
      return;
    }
    const bool cut = pipelined && mapping_->processors() > 1 && pipeline_.prepare(spec, op.call);
    const mapping::Layout& loop = mapping_->layout(spec.placement);
    const LoopPart part(loop.extents(), script, spec.portion);
    const ShapeTable table(script.reals(script.tables().shapes[shape].points));
    mapping_->for_each_holder(loop, [&](const Holder& holder) {
      LoopPart::Extents all = part.extents(holder.block());
      const auto extents = std::span(all).first(holder.block().size());
      if (cut && mapping_->view(spec.view).local(holder.processor()) < 0) {
        return;
      }
      if (cut) {
        pipeline_.first_extents(extents);
      }
      const ShapePoint block = shape_of(extents);
      if (block.outer * block.inner > 0.0 && !table.inside(block.outer, block.inner)) {
        outside_.try_emplace(shape, block);
      }
    });
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
