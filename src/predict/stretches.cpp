#include "stretches.h"

namespace gridcast::model {
namespace {

void use_shadows(const Script& script, Slice parts, Asked& asked) {
  for (const std::uint32_t part : script.part_ids(parts)) {
    const PlacementId placement = script.tables().shadow_parts[part].placement;
    asked.placements.insert(placement);
    asked.edges.insert(placement);
  }
}

void use(const Script& script, CommunicationId communication, Asked& asked) {
  const CommunicationSpec& spec = script.tables().communications[communication];
  using Kind = CommunicationSpec::Kind;
  if (spec.kind == Kind::old_values || spec.kind == Kind::reduction) {
    asked.placements.insert(spec.placement);
  }
  if (spec.kind == Kind::shadow || spec.kind == Kind::old_values) {
    use_shadows(script, spec.parts, asked);
  } else if (spec.kind == Kind::reduction) {
    asked.rooted.insert(spec.placement);
  } else if (spec.kind == Kind::move || spec.kind == Kind::copy || spec.kind == Kind::remote) {
    asked.communications.insert(communication);
  }
}

void use(const Script& script, const Op& op, Asked& asked) {
  const auto& tables = script.tables();
  switch (op.kind) {
    case Op::Kind::io_work:
    case Op::Kind::broadcast:
      asked.processor_zero = true;
      break;
    case Op::Kind::share:
      asked.placements.insert(op.placement());
      break;
    case Op::Kind::pipeline:
      asked.placements.insert(tables.pipelines[op.pipeline()].placement);
      use_shadows(script, tables.pipelines[op.pipeline()].parts, asked);
      break;
    case Op::Kind::start:
    case Op::Kind::send:
    case Op::Kind::transfer:
    case Op::Kind::exchange:
    case Op::Kind::copied:
      use(script, op.communication(), asked);
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

void follow_pending(const Op& op, std::set<std::uint32_t>& pending) {
  if (op.kind == Op::Kind::start || op.kind == Op::Kind::send) {
    pending.insert(op.b);
  } else if (op.kind == Op::Kind::wait) {
    pending.erase(op.b);
  }
}

std::vector<Stretch> find_stretches(const Script& script) {
  std::vector<Stretch> stretches(1);
  std::set<std::uint32_t> pending;
  const auto ops = script.tables().ops;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const Op& op = ops[i];
    if (levels(op) && pending.empty()) {
      stretches.push_back({i, {}});
    }
    follow_pending(op, pending);
    use(script, op, stretches.back().asked);
  }
  return stretches;
}

Stretch united(const std::vector<Stretch>& stretches) {
  Stretch all;
  for (const Stretch& stretch : stretches) {
    const Asked& asked = stretch.asked;
    all.asked.placements.insert(asked.placements.begin(), asked.placements.end());
    all.asked.edges.insert(asked.edges.begin(), asked.edges.end());
    all.asked.rooted.insert(asked.rooted.begin(), asked.rooted.end());
    all.asked.communications.insert(asked.communications.begin(), asked.communications.end());
    all.asked.processor_zero = all.asked.processor_zero || asked.processor_zero;
  }
  return all;
}

}  // namespace gridcast::model
