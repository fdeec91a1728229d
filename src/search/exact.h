#pragma once
/// Mode 4: branch and bound over boxes of grids (docs/search.md).

#include <map>
#include <vector>

#include "batch_strategy.h"
#include "gridcast/search/strategy.h"

namespace gridcast::search {

/// Works in rounds: the best boxes are split and the best single grids evaluated; all bounds and
/// results of a round are awaited before the next one. So neither their order nor the number of
/// workers has an influence.
class ExactStrategy final : public Strategy {
public:
  ExactStrategy(const SearchSpace& space, const StrategyOptions& options);

  [[nodiscard]] bool finished() const override { return done_; }
  [[nodiscard]] std::vector<machine::GridBox> next_boxes(std::size_t max) override;
  void report(const machine::GridBox& box, const BoxBounds& bounds) override;
  using Strategy::report;
  [[nodiscard]] std::optional<Proof> proof() const override;
  [[nodiscard]] std::vector<OpenBox> open_boxes() const override;

private:
  /// A box with its bounds.
  struct Entry {
    machine::GridBox box;
    double cost = 0.0;        ///< the least of its grids, as results are compared
    double efficiency = 0.0;  ///< the most
  };
  /// A box that was handed out.
  struct Asked {
    machine::GridBox box;
    double parent = 0.0;  ///< cost of the box that it is a part of
    bool known = false;
  };

  static bool comes_later(const Entry& a, const Entry& b) noexcept;
  [[nodiscard]] std::vector<machine::Grid> choose(std::size_t max) override;
  void take(const Outcome& outcome) override;

  [[nodiscard]] bool is_excluded(const machine::GridBox& box) const;
  void ask(machine::GridBox box, double parent);
  void add_probes();
  void choose_probes();
  void end_round();
  void begin_round();
  void look_at(const Entry& entry);
  [[nodiscard]] Entry next_entry();
  [[nodiscard]] bool loses(const Entry& entry, const Outcome& rival) const;
  [[nodiscard]] bool loses(const Entry& entry) const;
  [[nodiscard]] bool is_useless(const Entry& entry) const;
  template <class F>
  void for_each_open(F&& f) const;

  SearchSpace space_;
  Goal goal_;
  std::vector<Entry> queue_;  ///< a heap, the best in front
  std::vector<Entry> stack_;  ///< when the queue is full: what is finished before anything else
  // The round: bounds that were asked for, and grids with their least costs.
  std::vector<Asked> asked_;
  std::vector<Entry> bounded_;
  std::size_t asked_given_ = 0, asked_missing_ = 0;
  std::size_t asked_known_ = 0;  ///< all before it have their bounds
  std::vector<machine::Grid> grids_;
  std::map<machine::Grid, double, GridOrder> costs_;
  std::size_t grids_given_ = 0, grids_missing_ = 0;
  std::map<machine::Grid, bool, GridOrder> probes_;  ///< grids tried first, true: evaluated
  bool probing_ = true;
  std::uint64_t boxes_ = 0, split_ = 0;
  bool done_ = false;
};

}  // namespace gridcast::search
