#include "stretches.h"

namespace gridcast::model {
namespace {

void use_shadows(const Script& script, Slice parts, Asked& asked) {
  for (const std::uint32_t part : script.part_ids(parts)) {
    asked.placements.insert(script.tables().shadow_parts[part].placement);
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

void UnderWay::follow(const Op& op) {
  if (op.kind == Op::Kind::start || op.kind == Op::Kind::send) {
    tokens.insert(op.b);
  } else if (op.kind == Op::Kind::wait) {
    tokens.erase(op.b);
  } else if (op.kind == Op::Kind::enter_view || op.kind == Op::Kind::leave_view) {
    view = op.view();
  }
}

bool UnderWay::level_at(const Op& op) const noexcept {
  const bool levels = op.kind == Op::Kind::start || op.kind == Op::Kind::transfer ||
                      op.kind == Op::Kind::synchronize;
  return levels && view == root_view && tokens.empty();
}

std::size_t first_level(std::span<const Op> ops, UnderWay before) {
  std::size_t i = 0;
  for (; i < ops.size() && !before.level_at(ops[i]); ++i) {
    before.follow(ops[i]);
  }
  return i;
}

std::vector<Stretch> find_stretches(const Script& script) {
  std::vector<Stretch> stretches(1);
  UnderWay under_way;
  const auto ops = script.tables().ops;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const Op& op = ops[i];
    if (under_way.level_at(op)) {
      stretches.push_back({i, {}});
    }
    under_way.follow(op);
    use(script, op, stretches.back().asked);
  }
  return stretches;
}

Stretch united(const std::vector<Stretch>& stretches) {
  Stretch all;
  for (const Stretch& stretch : stretches) {
    const Asked& asked = stretch.asked;
    all.asked.placements.insert(asked.placements.begin(), asked.placements.end());
    all.asked.rooted.insert(asked.rooted.begin(), asked.rooted.end());
    all.asked.communications.insert(asked.communications.begin(), asked.communications.end());
    all.asked.processor_zero = all.asked.processor_zero || asked.processor_zero;
  }
  return all;
}

}  // namespace gridcast::model
