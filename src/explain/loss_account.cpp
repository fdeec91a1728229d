#include "loss_account.h"

#include <algorithm>
#include <cstdlib>

#include "activities.h"

namespace gridcast::model {

std::optional<Direction> direction(const machine::Grid& grid, std::size_t of, std::size_t from) {
  if (of == from) {
    return std::nullopt;
  }
  Direction found{};
  for (int dim = machine::max_grid_rank - 1; dim >= 0; --dim) {
    const auto extent = static_cast<std::size_t>(grid.extent(dim));
    const auto one = static_cast<std::int64_t>(of % extent);
    const auto other = static_cast<std::int64_t>(from % extent);
    std::int64_t difference = one - other;
    if (std::abs(difference) > 1 && std::abs(difference) == static_cast<std::int64_t>(extent) - 1) {
      difference = difference > 0 ? -1 : 1;  // around the end
    }
    if (std::abs(difference) > 1) {
      return std::nullopt;
    }
    found[static_cast<std::size_t>(dim)] = static_cast<std::int8_t>(difference);
    of /= extent;
    from /= extent;
  }
  return found;
}

/// While it lives, losses are those with another process.
class LossAccount::Between {
public:
  Between(LossAccount& account, std::size_t other, std::size_t processor) : account_(&account) {
    if (account.by_neighbour_ && account.activity_ != Activity::program) {
      account.other_ = direction(account.grid_, other, processor);
    }
  }
  ~Between() { account_->other_.reset(); }
  Between(const Between&) = delete;
  Between& operator=(const Between&) = delete;

private:
  LossAccount* account_;
};

double LossAccount::lost_time() const {
  double sum = 0.0;
  for (const auto& [key, seconds] : losses_) {
    sum += seconds;
  }
  return sum;
}

void LossAccount::lose(const LossKey& key, double seconds) {
  if (seconds != 0.0) {
    losses_[key] += seconds;
    // In a reduction each has to do with all others.
    if (other_ && key.activity != Activity::reduction) {
      neighbours_[key][*other_] += seconds;
    }
  }
}

std::size_t LossAccount::story(const LossKey& key) {
  if (recent_.second != none && recent_.first == key) {
    return recent_.second;
  }
  const auto [known, fresh] = numbers_.try_emplace(key, stories_.size());
  if (fresh) {
    stories_.push_back({key, false, std::vector<double>(processors_, 0.0)});
  }
  recent_ = {key, known->second};
  return known->second;
}

void LossAccount::tell(std::size_t processor, Activity activity, Cause cause, double seconds) {
  if (!(seconds > 0.0)) {
    return;
  }
  const std::size_t number = story({op_.place, activity, cause, none});
  Story& told = stories_[number];
  if (!told.open) {
    told.open = true;
    open_.push_back(number);
  }
  told.seconds[processor] += seconds;
}

void LossAccount::started(const machine::ProcessorSystem& system, const machine::Grid& grid) {
  system_ = &system;
  grid_ = grid;
  processors_ = static_cast<std::size_t>(grid.processors());
  losses_.clear();
  neighbours_.clear();
  numbers_.clear();
  stories_.clear();
  open_.clear();
  recent_ = {{}, none};
  parts_.clear();
}

void LossAccount::operation(const Op& op) {
  op_ = op;
  activity_ = activity_of(op);
}

void LossAccount::worked(std::size_t processor, Work work, double seconds, double repeated) {
  const Activity activity = activity_of(work, activity_);
  lose({op_.place, activity, Cause::parallelism, none}, repeated);
  tell(processor, activity, work == Work::io ? Cause::io : Cause::imbalance, seconds);
}

void LossAccount::waited(std::size_t processor, std::size_t last, double seconds) {
  if (!(seconds > 0.0)) {
    return;
  }
  const Between between(*this, last, processor);
  const auto more = [&](std::size_t number) {
    const std::vector<double>& told = stories_[number].seconds;
    return std::max(told[last] - told[processor], 0.0);
  };
  double sum = 0.0;
  for (const std::size_t number : open_) {
    sum += more(number);
  }
  if (!(sum > 0.0)) {
    lose(Cause::waiting, seconds);
    return;
  }
  for (const std::size_t number : open_) {
    lose(stories_[number].key, seconds * (more(number) / sum));
  }
}

void LossAccount::met(std::span<const std::uint32_t> processors, std::size_t last) {
  const bool all = processors.size() == processors_;
  for (const std::size_t number : open_) {
    Story& told = stories_[number];
    if (all) {
      std::fill(told.seconds.begin(), told.seconds.end(), 0.0);
      told.open = false;
      continue;
    }
    const double common = told.seconds[last];
    for (const std::uint32_t p : processors) {
      told.seconds[p] = common;
    }
  }
  if (all) {
    open_.clear();
  }
}

void LossAccount::paid(std::size_t processor, double seconds) {
  lose(Cause::overhead, seconds);
  tell(processor, activity_, Cause::waiting, seconds);
}

void LossAccount::transferred(std::size_t processor, double seconds, const Transfers& transfers,
                              double end) {
  if (!(seconds > 0.0)) {
    return;
  }
  const auto [known, fresh] = parts_.try_emplace(&transfers);
  if (fresh) {
    known->second = parts_of(transfers, *system_, grid_);
  }
  const TransferParts& parts = known->second[processor];
  const double late = std::max(seconds - std::max(end, 0.0), 0.0);  // it starts later than this
  const double rest = seconds - late;
  const double queued = parts.queues ? std::clamp(end - parts.end, 0.0, end) : 0.0;
  const double contention = end > 0.0 ? rest * (queued / end) : 0.0;
  lose(Cause::waiting, late);
  lose_in_transfer(parts, rest, contention);
  tell(processor, activity_, Cause::waiting, seconds);
}

void LossAccount::delivered(std::size_t processor, double seconds, const Delivery& delivery) {
  if (!(seconds > 0.0)) {
    return;
  }
  const Between between(
      *this, delivery.message.from == processor ? delivery.message.to : delivery.message.from,
      processor);
  const TransferParts parts = parts_of(delivery.message, *system_, grid_);
  lose_in_transfer(parts, seconds,
                   divided(parts, seconds, delivery.end - delivery.begin).contention);
  tell(processor, activity_, Cause::waiting, seconds);
}

void LossAccount::lose_in_transfer(const TransferParts& parts, double seconds, double contention) {
  const double alone = parts.end > 0.0 ? (seconds - contention) / parts.end : 0.0;
  const double bandwidth = alone * parts.bandwidth;
  const double overhead = alone * parts.overhead;
  const auto network = static_cast<std::uint32_t>(system_->nodes[parts.network]);
  const auto over = [&](Cause cause) { return LossKey{op_.place, activity_, cause, network}; };
  lose(over(Cause::contention), contention);
  lose(over(Cause::bandwidth), bandwidth);
  lose(Cause::overhead, overhead);
  lose(over(Cause::latency), seconds - contention - bandwidth - overhead);
}

void LossAccount::pipelined(std::size_t processor, double fill, double edges) {
  lose(Cause::fill, fill);
  lose(Cause::edges, edges);
  tell(processor, activity_, Cause::fill, fill);
  tell(processor, activity_, Cause::edges, edges);
}

void LossAccount::finished(std::span<const double> clocks) {
  const auto last =
      static_cast<std::size_t>(std::max_element(clocks.begin(), clocks.end()) - clocks.begin());
  execution_time_ = clocks[last];
  op_ = {};
  activity_ = Activity::program;
  for (std::size_t p = 0; p < clocks.size(); ++p) {
    waited(p, last, execution_time_ - clocks[p]);
  }
}

}  // namespace gridcast::model
