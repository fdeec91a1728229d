#pragma once
/// Ends of communications, processor by processor.

#include <cstdint>
#include <span>
#include <vector>

#include "gridcast/machine/cluster.h"
#include "gridcast/network/channel_line.h"
#include "gridcast/network/class_ends.h"
#include "gridcast/network/class_messages.h"

namespace gridcast::network {

/// Ends that were found by simulating message after message: any networks with channels.
class ListedEnds final : public ClassEnds {
public:
  /// Ends of all processors, found elsewhere, and what cannot be hidden (empty: nothing). `once`:
  /// see once(); `busy`: see busy().
  void assign(const ProcessorClasses& classes, std::span<const double> ends, bool once,
              std::span<const double> overheads = {}, double busy = 0.0);
  [[nodiscard]] double overhead_of(std::size_t which, std::int64_t number) const override;

  /// The ends of an exchange, which sends something, on the networks of `system`, which must
  /// outlive them.
  void work_out(const ProcessorClasses& classes, const ClassExchange& exchange,
                const machine::ProcessorSystem& system);
  [[nodiscard]] EndsBelow below(std::size_t which, double limit) const override;
  [[nodiscard]] double end_of(std::size_t which, const ProcessorClasses::Indices& at,
                              std::int64_t number) const override;

  bool channel_ends(std::vector<double>& ends, double from) const override;

private:
  /// Channels of one network instance.
  struct Queue {
    ChannelLine line;
    std::uint64_t epoch = 0;
  };
  void reset(const ProcessorClasses& classes, const machine::ProcessorSystem& system);
  double place(std::size_t from, std::size_t to, double bytes);
  template <class F>
  void for_each_run(F&& f) const;
  void sum_up();

  const ProcessorClasses* classes_ = nullptr;
  const machine::ProcessorSystem* system_ = nullptr;
  std::vector<Queue> queues_;
  std::uint64_t epoch_ = 0;
};

}  // namespace gridcast::network
