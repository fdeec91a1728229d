#pragma once
/// What a rank did, in the terms of a description: phases of messages, blocking messages,
/// collective operations, with the time computed before each.

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "gridcast/record/summary.h"

namespace gridcast::infer {

/// What a process does in an item.
enum class ItemKind : std::uint8_t {
  start,     ///< nonblocking messages are posted
  wait,      ///< for those that were posted last
  send,      ///< a blocking send alone
  receive,   ///< a blocking receive alone
  exchange,  ///< Sendrecv
  collective
};

/// A message as one of its partners sees it.
struct Message {
  std::int32_t partner = 0;  ///< rank in the world; record::anybody: a wildcard
  std::int64_t bytes = 0;
  std::int32_t tag = 0;
  std::int32_t place = 0;  ///< of the call, index into Places::texts
  bool incoming = false;

  friend auto operator<=>(const Message&, const Message&) = default;
};

/// A step of a rank.
struct Item {
  ItemKind kind = ItemKind::start;
  std::set<std::int32_t> places{};    ///< of its calls, indices into Places::texts
  std::vector<Message> messages{};    ///< with partners that exist
  std::vector<Message> absent{};      ///< without a partner: they tell calls apart, nothing else
  std::string operation{};            ///< of a collective, as descriptions call it
  std::vector<std::int32_t> group{};  ///< of a collective: ranks in the world
  std::int32_t root = -1;             ///< rank in the world; -1: none
  std::int64_t bytes = 0;  ///< of a collective: what this rank gives, or gets from a root
  std::vector<std::int64_t> shares{};  ///< of alltoallv: bytes for each rank of the group

  friend auto operator<=>(const Item&, const Item&) = default;
};

/// The places that call MPI, the same for all ranks and runs: "solver.c:36".
struct Places {
  std::vector<std::string> texts;

  std::int32_t number(const std::string& text);
};

/// When an item happened.
struct Occurrence {
  std::int32_t item = 0;  ///< index into RankItems::items
  double gap = 0.0;       ///< seconds of computing before it
};

/// The items of a rank, equal ones once.
struct RankItems {
  std::vector<Item> items;
  std::vector<Occurrence> sequence;
};

/// Reads a rank. Throws InputError: polling, a recording with missing calls, operations without a
/// statement in descriptions.
[[nodiscard]] RankItems read_items(const record::RankRecording& rank,
                                   const record::SitePlaces& sites, Places& places);

}  // namespace gridcast::infer
