#include "gridcast/rules/reduction_rounds.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <vector>

#include "gridcast/machine/allreduce.h"

namespace gridcast::model {

namespace {

class Rounds {
public:
  Rounds(std::span<const std::uint32_t> members, double bytes, const RoundVisitor& visit)
      : members_(members), sorted_(std::ranges::is_sorted(members)), bytes_(bytes), visit_(&visit) {
    even_ = std::bit_floor(members.size());
    rest_ = members.size() - even_;
  }

  void doubling() {
    fold(true);
    for (std::size_t mask = 1; mask < even_; mask *= 2) {
      for (std::size_t i = 0; i < even_; ++i) {
        send(number(i), number(i ^ mask), bytes_);
      }
      end();
    }
    fold(false);
  }

  void rabenseifner() {
    fold(true);
    cut();
    // Whose parts a processor has: of those that differ in higher bits only, so many from `low_`.
    std::vector<std::size_t> low(even_, 0);
    std::size_t parts = even_;
    for (std::size_t mask = 1; mask < even_; mask *= 2) {
      parts /= 2;
      for (std::size_t i = 0; i < even_; ++i) {
        const std::size_t other = low[i] + ((i & mask) == 0 ? parts : 0);
        send(number(i), number(i ^ mask), size(other, parts));
      }
      end();
      for (std::size_t i = 0; i < even_; ++i) {
        low[i] += (i & mask) == 0 ? 0 : parts;
      }
    }
    for (std::size_t mask = even_ / 2; mask > 0; mask /= 2) {
      for (std::size_t i = 0; i < even_; ++i) {
        send(number(i), number(i ^ mask), size(low[i], parts));
      }
      end();
      for (std::size_t i = 0; i < even_; ++i) {
        low[i] -= (i & mask) == 0 ? 0 : parts;
      }
      parts *= 2;
    }
    fold(false);
  }

  void ring() {
    const std::size_t all = members_.size();
    for (std::size_t round = 0; round < 2 * (all - 1); ++round) {
      for (std::size_t i = 0; i < all; ++i) {
        send(i, (i + 1) % all, bytes_ / static_cast<double>(all));
      }
      end();
    }
  }

private:
  void send(std::size_t from, std::size_t to, double bytes) {
    round_.push_back({members_[from], members_[to], bytes});
  }
  /// Hands the round over in the order of a communication.
  void end() {
    if (!sorted_) {
      std::ranges::sort(round_, {}, &network::Transfer::from);
    }
    (*visit_)(round_);
    round_.clear();
  }
  /// Those beyond the largest power of two hand their values to a neighbour, or get them back.
  void fold(bool there) {
    for (std::size_t i = 0; i < 2 * rest_; i += 2) {
      send(there ? i : i + 1, there ? i + 1 : i, bytes_);
    }
    if (rest_ > 0) {
      end();
    }
  }
  /// The member that is the i-th of the power of two.
  [[nodiscard]] std::size_t number(std::size_t i) const noexcept {
    return i < rest_ ? 2 * i + 1 : i + rest_;
  }
  /// Equal parts of whole values; the last one has what remains.
  void cut() {
    part_ = std::floor(bytes_ / machine::reduced_value / static_cast<double>(even_)) *
            machine::reduced_value;
  }
  [[nodiscard]] double size(std::size_t first, std::size_t parts) const noexcept {
    const bool last = first + parts == even_;
    return last ? bytes_ - part_ * static_cast<double>(first) : part_ * static_cast<double>(parts);
  }

  std::span<const std::uint32_t> members_;
  bool sorted_;
  double bytes_;
  const RoundVisitor* visit_;
  std::vector<network::Transfer> round_;
  std::size_t even_ = 1;  // the largest power of two
  std::size_t rest_ = 0;  // members beyond it
  double part_ = 0.0;     // bytes
};

}  // namespace

bool for_each_round(ReductionKind kind, std::span<const std::uint32_t> members, double bytes,
                    const RoundVisitor& visit) {
  if (kind == ReductionKind::linear || kind == ReductionKind::tree) {
    return false;
  }
  Rounds rounds(members, bytes, visit);
  if (kind == ReductionKind::ring) {
    rounds.ring();
  } else if (kind == ReductionKind::doubling) {
    rounds.doubling();
  } else {
    rounds.rabenseifner();
  }
  return true;
}

bool add_rounds(ReductionKind kind, std::span<const std::uint32_t> members, double bytes,
                network::Communication& result) {
  return for_each_round(kind, members, bytes, [&](std::span<const network::Transfer> round) {
    result.rounds.push_back(result.transfers.size());
    result.transfers.insert(result.transfers.end(), round.begin(), round.end());
  });
}

}  // namespace gridcast::model
