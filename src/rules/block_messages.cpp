/// What statements over blocks send to neighbours (docs/model.md §11).

#include <algorithm>
#include <span>
#include <vector>

#include "gridcast/rules/block_values.h"
#include "transfer_kinds.h"

namespace gridcast::model {
namespace {

using MessageKind = CommunicationSpec::Kind;

/// The messages of an entry: those of the first of each process, of the second of each, …
std::vector<std::vector<network::Transfer>> messages_of(GridMapping& mapping, BlockValues& values,
                                                        const MessageSpec& message) {
  const auto offset = mapping.script().ints(message.offset);
  const bool own = mapping.options().processes == ProcessKind::free && mapping.processors() > 1;
  std::vector<std::vector<network::Transfer>> found;
  for (std::uint32_t p = 0; p < mapping.processors(); ++p) {
    mapping.count(1);
    values.at(p);
    const std::optional<std::uint32_t> to = values.neighbour(offset);
    const bool sends = to && (own || *to != p);
    const double bytes = sends ? values.value(message.bytes) : 0.0;
    if (!(bytes > 0.0)) {
      continue;
    }
    const auto count = static_cast<std::size_t>(values.count(message.count));
    found.resize(std::max(found.size(), count));
    for (std::size_t k = 0; k < count; ++k) {
      found[k].push_back({p, *to, bytes});
    }
  }
  return found;
}

}  // namespace

std::vector<network::Transfer> single_messages(GridMapping& mapping,
                                               const CommunicationSpec& spec) {
  const Script& script = mapping.script();
  const StatementSpec& statement = script.tables().statements[spec.statement];
  const MessageSpec& message =
      script.tables().messages[script.part_ids(statement.messages).front()];
  const auto offset = script.ints(message.offset);
  const bool receives = spec.kind == MessageKind::receive;
  BlockValues values(mapping, statement);
  std::vector<network::Transfer> found;
  for (std::uint32_t p = 0; p < mapping.processors(); ++p) {
    mapping.count(1);
    values.at(p);
    const std::optional<std::uint32_t> other = values.neighbour(offset);
    if (other == p) {
      continue;
    }
    if (other && receives) {
      found.push_back({*other, p, 0.0});
    } else if (other) {
      found.push_back({p, *other, values.value(message.bytes)});
    }
  }
  return found;
}

void add_statement(GridMapping& mapping, const CommunicationSpec& spec, Transfers& result) {
  const Script& script = mapping.script();
  const StatementSpec& statement = script.tables().statements[spec.statement];
  const bool together = mapping.options().processes == ProcessKind::together;
  std::vector<network::Transfer>& transfers = result.communication.transfers;
  if (spec.kind == MessageKind::send || spec.kind == MessageKind::receive) {
    if (together) {
      throw BlockValues(mapping, statement)
          .error("single messages are matched by processes that run free",
                 "expected --processes=free");
    }
    if (spec.kind == MessageKind::send) {
      transfers = single_messages(mapping, spec);
    }
    return;
  }
  if (spec.kind == MessageKind::collective) {
    add_collective(mapping, statement, result);
  } else {
    BlockValues values(mapping, statement);
    for (const std::uint32_t part : script.part_ids(statement.messages)) {
      for (const std::vector<network::Transfer>& round :
           messages_of(mapping, values, script.tables().messages[part])) {
        if (spec.kind == MessageKind::turns) {
          result.communication.rounds.push_back(transfers.size());
        }
        transfers.insert(transfers.end(), round.begin(), round.end());
      }
    }
  }
  if (together && !result.communication.one_by_one && result.communication.rounds.empty()) {
    network::normalize(transfers, mapping.interruption());
  }
}

}  // namespace gridcast::model
