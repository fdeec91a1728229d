#include "stretches.h"

namespace gridcast::model {
namespace {

void use_shadows(const Script& script, Slice parts, Stretch& stretch) {
  for (const std::uint32_t part : script.part_ids(parts)) {
    stretch.placements.insert(script.tables().shadow_parts[part].placement);
  }
}

void use(const Script& script, CommunicationId communication, Stretch& stretch) {
  const CommunicationSpec& spec = script.tables().communications[communication];
  using Kind = CommunicationSpec::Kind;
  if (spec.kind == Kind::old_values || spec.kind == Kind::reduction) {
    stretch.placements.insert(spec.placement);
  }
  if (spec.kind == Kind::shadow || spec.kind == Kind::old_values) {
    use_shadows(script, spec.parts, stretch);
  } else if (spec.kind == Kind::reduction) {
    stretch.rooted.insert(spec.placement);
  } else if (spec.kind == Kind::copy || spec.kind == Kind::remote) {
    stretch.communications.insert(communication);
  }
}

void use(const Script& script, const Op& op, Stretch& stretch) {
  const auto& tables = script.tables();
  switch (op.kind) {
    case Op::Kind::io_work:
    case Op::Kind::broadcast:
      stretch.processor_zero = true;
      break;
    case Op::Kind::share:
      stretch.placements.insert(op.placement());
      break;
    case Op::Kind::pipeline:
      stretch.placements.insert(tables.pipelines[op.pipeline()].placement);
      use_shadows(script, tables.pipelines[op.pipeline()].parts, stretch);
      break;
    case Op::Kind::start:
    case Op::Kind::send:
    case Op::Kind::transfer:
    case Op::Kind::exchange:
    case Op::Kind::copied:
      use(script, op.communication(), stretch);
      break;
    default:
      break;
  }
}

}  // namespace

bool levels(const Op& op) noexcept {
  return op.kind == Op::Kind::start || op.kind == Op::Kind::transfer ||
         op.kind == Op::Kind::synchronize;
}

std::vector<Stretch> find_stretches(const Script& script) {
  std::vector<Stretch> stretches(1);
  const auto ops = script.tables().ops;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (levels(ops[i])) {
      stretches.emplace_back();
      stretches.back().begin = i;
    }
    use(script, ops[i], stretches.back());
  }
  return stretches;
}

Stretch united(const std::vector<Stretch>& stretches) {
  Stretch all;
  for (const Stretch& stretch : stretches) {
    all.placements.insert(stretch.placements.begin(), stretch.placements.end());
    all.rooted.insert(stretch.rooted.begin(), stretch.rooted.end());
    all.communications.insert(stretch.communications.begin(), stretch.communications.end());
    all.processor_zero = all.processor_zero || stretch.processor_zero;
  }
  return all;
}

}  // namespace gridcast::model
