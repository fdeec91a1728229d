#pragma once
/// Mode 4: branch and bound over boxes of grids (docs/search.md).

#include <map>
#include <vector>

#include "batch_strategy.h"
#include "gridcast/search/strategy.h"
#include "stages.h"

namespace gridcast::search {

/// Answers the questions of a search one after another, each in rounds: the first boxes in the
/// order of the question are split and the first single grids evaluated; all bounds and results of
/// a round are awaited before the next one. So neither their order nor the number of workers has an
/// influence. The boxes that one question leaves are those that the next one begins with.
class ExactStrategy final : public Strategy {
public:
  ExactStrategy(std::span<const SearchSpace> spaces, const StrategyOptions& options);

  [[nodiscard]] bool finished() const override { return done_; }
  [[nodiscard]] std::vector<AskedBox> next_boxes(std::size_t max) override;
  void report(const machine::GridBox& box, const BoxBounds& bounds) override;
  using Strategy::report;
  [[nodiscard]] std::optional<Proof> proof() const override;
  [[nodiscard]] std::vector<OpenBox> open_boxes() const override;
  [[nodiscard]] std::vector<FrontState> front_states() const override;

private:
  /// A box that was handed out, with what is certain of the box that it is a part of.
  struct Asked {
    BoundedBox box;
    bool known = false;
  };

  [[nodiscard]] std::vector<machine::Grid> choose(std::size_t max) override;
  void take(const Outcome& outcome) override;

  [[nodiscard]] bool is_excluded(const machine::GridBox& box) const;
  [[nodiscard]] const SearchSpace& space_of(const machine::GridBox& box) const {
    return search::space_of_threads(spaces_, box.threads());
  }
  [[nodiscard]] static machine::GridBox whole(const SearchSpace& space) {
    return {space.rank, space.max_processors, space.threads};
  }
  void ask(machine::GridBox box, const BoundedBox& parent);
  void ask_closely(const BoundedBox& entry);
  void add_probes();
  void choose_probes();
  void end_round();
  void begin_round();
  /// A candidate that was not evaluated as a probe.
  [[nodiscard]] bool is_wanted(const machine::GridBox& single) const;
  void look_at(const BoundedBox& entry);
  void evaluate(const BoundedBox& entry);
  [[nodiscard]] const Stage& stage() const { return *stages_.list[stage_]; }
  [[nodiscard]] BoundedBox next_entry();
  void enqueue(BoundedBox entry);
  void put_aside(const BoundedBox& entry);
  void prove_the_rest();
  [[nodiscard]] bool may_be_needed(const BoundedBox& entry) const;
  [[nodiscard]] bool find_more();
  [[nodiscard]] std::int64_t least_open(std::size_t stage) const;
  template <class F>
  void for_each_left(F&& f) const;
  template <class F>
  void for_each_open(F&& f) const;
  template <class F>
  void for_each_unproven(const Stage& stage, F&& f) const;
  [[nodiscard]] std::uint64_t count(const machine::GridBox& box) const;
  [[nodiscard]] bool is_proven(std::size_t share, const Stage& stage) const;

  SearchSpaces spaces_;
  Goal goal_;
  Stages stages_;
  std::size_t stage_ = 0;               ///< the question of this round
  std::uint64_t evaluated_before_ = 0;  ///< this question
  /// The boxes that are left are in these, without overlaps.
  std::vector<BoundedBox> queue_;  ///< a heap, the first of the stage in front
  std::vector<BoundedBox> stack_;  ///< when the queue is full: what is finished before all else
  std::vector<BoundedBox> aside_;  ///< what this stage does not need now, but may, or a later one
  std::vector<BoundedBox> unlikely_;  ///< what is not proven to be useless, but likely to be
  // The round: bounds that were asked for, and grids with their least costs.
  std::vector<Asked> asked_;
  std::vector<BoundedBox> bounded_;
  std::size_t asked_given_ = 0, asked_missing_ = 0;
  std::size_t asked_known_ = 0;  ///< all before it have their bounds
  std::vector<machine::Grid> grids_;
  std::map<machine::Grid, BoundedBox, GridOrder> awaited_;  ///< grids without a result
  std::size_t grids_given_ = 0;
  std::map<machine::Grid, bool, GridOrder> probes_;  ///< grids tried first, true: evaluated
  bool probing_ = true;
  bool proving_ = false;  ///< what is likely no longer counts
  std::uint64_t boxes_ = 0, split_ = 0;
  bool done_ = false;
  std::vector<double> shares_;  ///< of the front
  bool close_ = false;          ///< StrategyOptions::close
};

}  // namespace gridcast::search
