#pragma once
/// Internal: copies and remote access by which all that take part get the same section, which lies
/// on one processor, or on one of each row of processors where the array is replicated.

#include <array>
#include <cstdint>
#include <vector>

#include "class_ends.h"
#include "spread.h"

namespace gridcast::model {

/// Finds spreads of a script on the grids of a mapping.
class SpreadFinder {
public:
  SpreadFinder(const ClassMapping& mapping, std::uint32_t communication)
      : mapping_(&mapping), communication_(communication) {}

  /// Placements that find() asks about; none if the communication cannot be a spread.
  [[nodiscard]] std::vector<std::uint32_t> placements() const;
  /// False if it is not a spread on this grid.
  bool find(Spread& spread) const;

private:
  using Needs = std::array<mapping::StridedRange, mapping::max_rank>;

  bool copy(const CopyPart& part, Spread& spread) const;
  bool remote(const RemotePart& part, Spread& spread) const;
  /// Who receives: those that hold something of `layout`; null: all.
  bool receivers(const ClassLayout* layout, Spread& spread) const;
  bool senders(const ClassLayout& from, const Needs& needs, Spread& spread) const;

  const ClassMapping* mapping_;
  std::uint32_t communication_;
};

/// Ends of a spread on one flat network: equal messages, so the k-th of the list ends after ⌈k/n⌉
/// messages, and k is an affine function of the coordinates within a class. On ports each sender
/// has a list of its own, and who receives waits for nobody else.
class SpreadEnds final : public ClassEnds {
public:
  void work_out(const ProcessorClasses& classes, const Spread& spread,
                const machine::Network& network);
  [[nodiscard]] EndsBelow below(std::size_t which, double limit) const override;
  [[nodiscard]] double end_of(std::size_t which, const ProcessorClasses::Indices& at,
                              std::int64_t number) const override;
  bool channel_ends(std::vector<double>& ends) const override {
    ends.assign(1, last_);
    return channels_ == 1 && !fixed_time_ && !ports_;
  }
  [[nodiscard]] bool affine() const noexcept override { return channels_ == 1 || fixed_time_; }

private:
  /// Of a class: who it is, and the number of messages up to its processors' last ones.
  struct Part {
    bool sender = false, receiver = false;
    ProcessorClasses::Indices first{};
    std::int64_t lowest = 0;                     ///< number of the first processor's last message
    std::int64_t highest = 0;                    ///< of the last one's
    double base = 0.0;                           ///< before the first of the list is counted
    ProcessorClasses::Indices steps{}, count{};  ///< per dimension
  };
  /// `by_sender`: the list of each sender begins anew.
  void measure(const Spread& spread, bool by_sender);
  void add_part(std::size_t which, const Spread& spread);
  void pay_ports(std::size_t which, Part& part, const machine::Network& ports, double bytes);
  [[nodiscard]] double end(const Part& part, std::int64_t number) const noexcept;
  [[nodiscard]] double sum_of(std::size_t which) const override;
  template <class F>
  void for_each_row(const Part& part, F&& f) const;

  const ProcessorClasses* classes_ = nullptr;
  std::int64_t channels_ = 1;
  double length_ = 0.0;
  bool ports_ = false;
  bool fixed_time_ = false;  // links: all that take part are through at once
  std::int64_t per_sender_ = 0;
  ProcessorClasses::Indices steps_{};  // of receivers, per dimension
  std::vector<Part> parts_;
};

}  // namespace gridcast::model
