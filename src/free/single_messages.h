#pragma once
/// Internal: messages of statements over blocks that are sent in one statement and received in
/// another (docs/model.md §11): matched by offset, tag and occurrence before anything runs.

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "free_steps.h"
#include "gridcast/machine/grid.h"
#include "gridcast/network/communication.h"
#include "gridcast/rules/grid_details.h"
#include "gridcast/rules/script.h"

namespace gridcast::model {

class SingleMessages {
public:
  /// What it is given must outlive it; steps are those of `program`.
  SingleMessages(const Script& script, GridDetails& details, FreeProgram& program)
      : script_(&script), details_(&details), program_(&program) {}

  void clear();

  /// Makes the last step of the program the sending, or receiving, of a communication.
  void add(FreeStep& step, CommunicationId communication);

  /// Whether an iteration receives as many as it sends.
  [[nodiscard]] bool balanced(std::span<const Op> iteration) const;

  /// Whether nothing that was sent or asked for so far lacks its other half.
  [[nodiscard]] bool matched() const;

  /// Throws InputError if some that were not matched are there on this grid.
  void require_matched() const;

private:
  /// Tag, and where the receiver is, seen from the sender: no two pairs of processes share one.
  using Channel = std::pair<std::uint32_t, std::array<std::int64_t, machine::max_grid_rank>>;
  /// A step that waits for the other half.
  struct Half {
    std::uint32_t step = 0;
    CommunicationId communication = {};
  };
  struct Halves {
    std::deque<Half> sends, receives;
  };

  [[nodiscard]] const StatementSpec& statement(CommunicationId communication) const;
  /// `on_grid`: offsets round the ends of a periodic dimension are those of the grid.
  [[nodiscard]] Channel channel(CommunicationId communication, bool on_grid) const;
  [[nodiscard]] const std::vector<network::Transfer>& transfers(CommunicationId communication);
  /// The schedule of those that nobody sends on this grid.
  std::uint32_t nothing();
  void match(const Half& send, const Half& receive);
  [[noreturn]] void refuse(CommunicationId communication, const network::Transfer& transfer) const;

  const Script* script_;
  GridDetails* details_;
  FreeProgram* program_;
  std::map<Channel, Halves> open_;
  std::map<CommunicationId, std::vector<network::Transfer>> transfers_;
  std::map<CommunicationId, std::uint32_t> sent_;  // schedules
  std::map<std::pair<CommunicationId, CommunicationId>, std::uint32_t> taken_;
  std::optional<std::uint32_t> nothing_;
};

}  // namespace gridcast::model
