#pragma once
/// From the rows of a store to the answer that `sweep`, `status` and `report` show.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gridcast/machine/nodes.h"
#include "gridcast/report/answer.h"
#include "gridcast/search/best.h"
#include "gridcast/search/evenness.h"
#include "gridcast/store/description.h"

namespace gridcast::cli {

/// What a store says of its grids beside their rows: nodes, reference array, objective.
class AnsweredRun {
public:
  explicit AnsweredRun(const store::RunDescription& description);

  /// A grid with its nodes, its empty processors and what it costs.
  [[nodiscard]] report::AnsweredGrid answered(const search::Outcome& outcome) const;

  /// The job of a grid; nothing if the nodes of the machine are not known. `rankfile`: as
  /// machine::job_of().
  [[nodiscard]] std::optional<machine::Job> job(const report::AnsweredGrid& grid,
                                                const std::string& rankfile) const;

  /// The nodes of the machine; nothing if prices leave open what they cost or the store has no
  /// machine.
  [[nodiscard]] const std::shared_ptr<const machine::NodeList>& nodes() const noexcept {
    return nodes_;
  }

  /// What to know of the nodes; empty: nothing.
  [[nodiscard]] const std::string& note() const noexcept { return note_; }

  /// Whether all processors of a grid get elements, as far as the store tells.
  [[nodiscard]] bool is_full(const machine::Grid& grid) const noexcept;

private:
  std::shared_ptr<const machine::NodeList> nodes_;
  std::string note_;
  machine::Placement::Kind ranks_ = machine::Placement::Kind::row;  ///< how they are numbered
  search::Objective objective_ = search::Objective::time;
  std::optional<std::vector<std::int64_t>> reference_;  ///< extents of the reference array
  mapping::BlockRule rule_ = mapping::BlockRule::ceil;
};

/// Takes the outcomes of a search twice and keeps what an answer needs.
class AnswerMaker {
public:
  AnswerMaker(const AnsweredRun& run, const search::Goal& goal);

  /// First each outcome of the store ...
  void add(const search::Outcome& outcome);
  /// ... then what the store says was chosen, if it does ...
  void choose(const std::optional<search::Outcome>& best,
              const std::optional<search::Outcome>& unconstrained);
  [[nodiscard]] const std::optional<search::Outcome>& best() const noexcept { return chosen_; }
  /// ... then each outcome again ...
  void compare(const search::Outcome& outcome);
  /// ... then the answer.
  [[nodiscard]] report::Answer answer(const std::string& rankfile) const;

private:
  [[nodiscard]] double gap_to(const search::Outcome& other) const;

  const AnsweredRun* run_;
  search::Goal goal_;
  search::Best best_;
  search::Best full_;
  std::optional<search::Outcome> chosen_;
  std::optional<search::Outcome> unconstrained_;
  std::vector<search::Outcome> near_;  ///< in order, at most as many as are shown
  std::int64_t near_count_ = 0;
};

}  // namespace gridcast::cli
