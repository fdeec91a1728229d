#pragma once
/// Internal: ends of exchanges over networks of ports, one or a tree of them, by classes
/// (docs/model.md §4). Nodes that lie alike in alike rows are looked at once: those away from the
/// borders of the runs that begin at the same place of a row, and those between rows of the same
/// kinds.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "fan_pieces.h"
#include "gridcast/network/class_ends.h"
#include "port_members.h"

namespace gridcast::network {

class PortEnds final : public ClassEnds {
public:
  /// As PortMembers::reset().
  void work_out(const ProcessorClasses& classes, const ClassExchange& exchange,
                std::span<const NetworkLevel> levels, double copy_time);

  [[nodiscard]] EndsBelow below(std::size_t which, double limit) const override;
  [[nodiscard]] double end_of(std::size_t which, const ProcessorClasses::Indices& at,
                              std::int64_t number) const override;
  [[nodiscard]] double overhead_of(std::size_t which, std::int64_t number) const override;
  [[nodiscard]] bool settles(std::size_t /*which*/) const noexcept override { return true; }
  [[nodiscard]] Settled settle(std::size_t which, double clock) const override;
  [[nodiscard]] double most_paid(std::size_t which, std::int64_t root,
                                 const std::function<double(std::int64_t)>& clock) const override;
  [[nodiscard]] bool affine() const noexcept override { return flat_; }

  [[nodiscard]] const PortEnds* over_ports() const noexcept override { return this; }
  /// A message of `bytes` to the root from each processor of the classes that speak, `speaking` of
  /// them over each level, `later` seconds after the start of the exchange, which is still under
  /// way. After that moment.
  [[nodiscard]] FanSender gather_behind(double bytes, std::int64_t root,
                                        std::span<const std::uint8_t> speaks,
                                        std::span<const std::int64_t> speaking, double later) const;

private:
  /// Things that are alike: how many there are, and how much later the last one begins than the
  /// first.
  struct Family {
    double times = 1.0;
    std::int64_t span = 0;  ///< processors

    /// Of so many, the last of which begins so much later.
    [[nodiscard]] Family of(std::int64_t count, std::int64_t later) const noexcept {
      return {times * static_cast<double>(count), span + later};
    }
  };
  using Visitor = std::function<void(std::int64_t node, const Family& family)>;
  using Alike = PortMembers::Alike;

  /// The blocks of the grid with the same coordinates up to a dimension, the first of which begins
  /// at the processor `first`.
  void visit(int dim, std::int64_t first, const Family& family, const Visitor& f) const;
  /// Of these, those with coordinates from `begin` up to `end`. Nodes that begin in one lie in
  /// `reach` more.
  void visit_kinds(int dim, std::int64_t first, std::int64_t begin, std::int64_t end,
                   std::int64_t reach, const Family& family, const Visitor& f) const;
  /// The nodes that begin in a line.
  void visit_line(std::int64_t first, const Family& family, const Visitor& f) const;
  void visit_node(std::int64_t node, const Family& family);
  void sum_up();
  [[nodiscard]] double sum_of(std::size_t which) const override;
  /// What holds for a processor.
  [[nodiscard]] const Alike& kind_of(std::int64_t number) const;

  const ProcessorClasses* classes_ = nullptr;
  bool flat_ = true;
  mutable PortMembers members_;
};

}  // namespace gridcast::network
