#pragma once
/// Internal: lost time by place and cause, from what an observer of a prediction is told
/// (docs/model.md, "Where lost time goes").

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "gridcast/figures/losses.h"
#include "gridcast/rules/observer.h"
#include "transfer_parts.h"

namespace gridcast::model {

/// What a loss is put down to.
struct LossKey {
  std::uint32_t place = none;  ///< of the script; none: the program as a whole
  Activity activity = Activity::program;
  Cause cause = Cause::waiting;
  std::uint32_t network = none;  ///< description of its cluster; none: not a matter of networks
  auto operator<=>(const LossKey&) const = default;
};

/// Coordinates of a process less those of another one; nothing if they are the same or no
/// neighbours.
using Direction = std::array<std::int8_t, machine::max_grid_rank>;
[[nodiscard]] std::optional<Direction> direction(const machine::Grid& grid, std::size_t of,
                                                 std::size_t from);

class LossAccount final : public Observer {
public:
  /// `by_neighbour`: of processes that run free, who wait for the partner of a message.
  explicit LossAccount(bool by_neighbour) : by_neighbour_(by_neighbour) {}

  /// Seconds by key; after the prediction.
  [[nodiscard]] const std::map<LossKey, double>& losses() const noexcept { return losses_; }
  /// Parts of losses in messages between neighbours.
  [[nodiscard]] const std::map<LossKey, std::map<Direction, double>>& neighbours() const noexcept {
    return neighbours_;
  }
  [[nodiscard]] double execution_time() const noexcept { return execution_time_; }
  [[nodiscard]] double processors() const noexcept { return static_cast<double>(processors_); }
  /// Sum of the losses.
  [[nodiscard]] double lost_time() const;

  void started(const machine::ProcessorSystem& system, const machine::Grid& grid) override;
  void operation(const Op& op) override;
  void worked(std::size_t processor, Work work, double seconds, double repeated) override;
  void waited(std::size_t processor, std::size_t last, double seconds) override;
  void met(std::span<const std::uint32_t> processors, std::size_t last) override;
  void paid(std::size_t processor, double seconds) override;
  void transferred(std::size_t processor, double seconds, const Transfers& transfers,
                   double end) override;
  void delivered(std::size_t processor, double seconds, const Delivery& delivery) override;
  void pipelined(std::size_t processor, double fill, double edges) override;
  void finished(std::span<const double> clocks) override;

private:
  /// What each processor did of one kind since all clocks were equal: who waits for another waits
  /// for what that one did more of.
  struct Story {
    LossKey key;  ///< of the waiting for it
    bool open = false;
    std::vector<double> seconds;  ///< per processor
  };

  class Between;
  void lose(const LossKey& key, double seconds);
  void lose(Cause cause, double seconds) { lose({op_.place, activity_, cause, none}, seconds); }
  /// `seconds` of a communication, of which `contention` was waiting for others in its network.
  void lose_in_transfer(const TransferParts& parts, double seconds, double contention);
  /// Adds to the story of what is done at the current place and keeps others waiting as `cause`.
  void tell(std::size_t processor, Activity activity, Cause cause, double seconds);
  [[nodiscard]] std::size_t story(const LossKey& key);

  const machine::ProcessorSystem* system_ = nullptr;
  machine::Grid grid_;
  std::size_t processors_ = 1;
  double execution_time_ = 0.0;
  Op op_;
  Activity activity_ = Activity::program;  // of the current operation
  bool by_neighbour_;
  std::optional<Direction> other_;  // where the other process of the current message is
  std::map<LossKey, double> losses_;
  std::map<LossKey, std::map<Direction, double>> neighbours_;
  std::map<LossKey, std::size_t> numbers_;  // of stories
  std::vector<Story> stories_;
  std::vector<std::size_t> open_;  // stories of which something was told
  std::pair<LossKey, std::size_t> recent_{{}, none};
  std::unordered_map<const Transfers*, std::vector<TransferParts>> parts_;
};

}  // namespace gridcast::model
