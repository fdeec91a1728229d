#include "bound_facts.h"

#include <algorithm>
#include <set>

#include "gridcast/rules/repetition.h"

namespace gridcast::model {
namespace {

/// Whether each transfer has an end in the view.
bool touches(const Script& script, std::uint32_t communication, std::uint32_t view) {
  const auto& tables = script.tables();
  const CommunicationSpec& spec = tables.communications[communication];
  const auto here = [&](std::uint32_t placement) {
    return placement != none && tables.placements[placement].view == view;
  };
  const auto parts = script.part_ids(spec.parts);
  const auto all_of = [&](auto&& test) { return std::all_of(parts.begin(), parts.end(), test); };
  if (view == 0) {
    return true;
  }
  switch (spec.kind) {
    case CommunicationSpec::Kind::nothing:
      return true;
    case CommunicationSpec::Kind::reduction:
      return spec.view == view;
    case CommunicationSpec::Kind::shadow:
    case CommunicationSpec::Kind::old_values:
      return all_of([&](std::uint32_t id) { return here(tables.shadow_parts[id].placement); });
    case CommunicationSpec::Kind::remote:
      return all_of([&](std::uint32_t id) {
        const RemotePart& part = tables.remote_parts[id];
        return here(part.array) || (part.reader == none ? part.view == view : here(part.reader));
      });
    case CommunicationSpec::Kind::copy:
      return all_of([&](std::uint32_t id) {
        const CopyPart& part = tables.copy_parts[id];
        return here(part.from) || (part.to == none ? spec.view == view : here(part.to));
      });
    case CommunicationSpec::Kind::move:
      return all_of([&](std::uint32_t id) {
        return here(tables.move_parts[id].from) || here(tables.move_parts[id].to);
      });
  }
  return false;
}

}  // namespace

bool runs_on_root_grid(const Script& script) {
  const auto& tables = script.tables();
  return !script.header().has_tasks &&
         std::all_of(tables.placements.begin(), tables.placements.end(),
                     [](const PlacementSpec& placement) { return placement.view == 0; }) &&
         std::all_of(tables.ops.begin(), tables.ops.end(),
                     [](const Op& op) { return op.kind != Op::Kind::enter_view; });
}

std::vector<OperationFacts> find_operation_facts(const Script& script,
                                                 const ModelOptions& options) {
  std::vector<OperationFacts> result;

  std::vector<std::uint32_t> open;  // tokens
  std::vector<std::uint32_t> started_in(script.header().tokens, 0);
  std::set<std::uint32_t> recent;  // communications since that moment
  std::uint32_t view = 0;
  std::size_t launched = 0;      // since networks were idle
  bool first_is_single = false;  // the first of these has one phase
  bool other = false;            // something else used the networks since that moment
  bool lost = false;             // something is never waited for
  for (const Op& op : script.tables().ops) {
    OperationFacts facts;
    switch (op.kind) {
      case Op::Kind::start:
      case Op::Kind::send:
      case Op::Kind::transfer:
      case Op::Kind::exchange: {
        facts.contained = touches(script, op.a, view);
        facts.idle = open.empty() && !lost &&
                     (view == 0 ||
                      (!other && std::all_of(recent.begin(), recent.end(), [&](std::uint32_t id) {
                        return touches(script, id, view);
                      })));
        facts.second = view == 0 && launched == 1 && first_is_single && open.size() == 1 && !lost;
        facts.first = facts.second ? open.front() : none;
        if (facts.idle) {
          launched = 0;
          first_is_single =
              script.tables().communications[op.a].kind != CommunicationSpec::Kind::reduction;
          if (view == 0) {
            recent.clear();
            other = false;
          }
        }
        ++launched;
        recent.insert(op.a);
        if (op.kind == Op::Kind::start || op.kind == Op::Kind::send) {
          lost =
              lost || !facts.contained || std::find(open.begin(), open.end(), op.b) != open.end();
          open.push_back(op.b);
          started_in[op.b] = view;
        }
        break;
      }
      case Op::Kind::broadcast:
      case Op::Kind::pipeline:
        other = true;
        launched += 2;
        break;
      case Op::Kind::wait:
        lost = lost || view != started_in[op.b];
        std::erase(open, op.b);
        break;
      case Op::Kind::enter_view:
        view = op.a;
        break;
      case Op::Kind::leave_view:
        view = op.b;
        break;
      default:
        break;
    }
    result.push_back(facts);
  }
  if (options.extrapolate_iterations) {
    // Sampled iterations stand for others, whose waiting is estimated only.
    const std::vector<bool> left_out = may_be_left_out(script.tables().ops);
    for (std::size_t i = 0; i < left_out.size(); ++i) {
      result[i].extrapolated = left_out[i];
    }
  }
  return result;
}

}  // namespace gridcast::model
