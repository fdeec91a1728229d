#include "stretches.h"

#include <algorithm>
#include <set>

namespace gridcast::model {
namespace {

template <class Spec>
void add_once(std::vector<Id<Spec>>& list, Id<Spec> value) {
  if (std::find(list.begin(), list.end(), value) == list.end()) {
    list.push_back(value);
  }
}

void use_shadows(const Script& script, Slice parts, Stretch& stretch) {
  for (const std::uint32_t part : script.part_ids(parts)) {
    add_once(stretch.placements, script.tables().shadow_parts[part].placement);
  }
}

void use(const Script& script, CommunicationId communication, Stretch& stretch) {
  const CommunicationSpec& spec = script.tables().communications[communication];
  switch (spec.kind) {
    case CommunicationSpec::Kind::shadow:
      use_shadows(script, spec.parts, stretch);
      break;
    case CommunicationSpec::Kind::old_values:
      add_once(stretch.placements, spec.placement);
      use_shadows(script, spec.parts, stretch);
      break;
    case CommunicationSpec::Kind::reduction:
      add_once(stretch.placements, spec.placement);
      add_once(stretch.rooted, spec.placement);
      break;
    case CommunicationSpec::Kind::copy:
    case CommunicationSpec::Kind::remote:
      add_once(stretch.communications, communication);
      break;
    case CommunicationSpec::Kind::move:
    case CommunicationSpec::Kind::nothing:
      break;
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
      add_once(stretch.placements, op.placement());
      break;
    case Op::Kind::pipeline:
      add_once(stretch.placements, tables.pipelines[op.pipeline()].placement);
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
  std::set<PlacementId> placements;
  std::set<PlacementId> rooted;
  std::set<CommunicationId> communications;
  Stretch all;
  for (const Stretch& stretch : stretches) {
    placements.insert(stretch.placements.begin(), stretch.placements.end());
    rooted.insert(stretch.rooted.begin(), stretch.rooted.end());
    communications.insert(stretch.communications.begin(), stretch.communications.end());
    all.processor_zero = all.processor_zero || stretch.processor_zero;
  }
  all.placements.assign(placements.begin(), placements.end());
  all.rooted.assign(rooted.begin(), rooted.end());
  all.communications.assign(communications.begin(), communications.end());
  return all;
}

}  // namespace gridcast::model
