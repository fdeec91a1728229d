/// What collective operations of statements over blocks send (docs/model.md §10, §11).

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>
#include <vector>

#include "gridcast/rules/block_values.h"
#include "gridcast/rules/reduction_choice.h"
#include "gridcast/rules/reduction_rounds.h"
#include "transfer_kinds.h"

namespace gridcast::model {
namespace {

using trace::Collective;
using Algorithm = trace::CollectiveAlgorithm;

/// Longer values are scattered and go round, bytes.
constexpr double most_broadcast_whole = 524288.0;
/// Allgathers of more in all go round, bytes.
constexpr double most_gathered_by_doubling = 524288.0;
/// So many processes send everything at once.
constexpr std::size_t most_at_once = 64;

/// One group of processes that does an operation; `bytes` of each.
struct Group {
  std::vector<std::uint32_t> members;
  std::size_t root = 0;
  std::vector<double> bytes;

  [[nodiscard]] std::size_t size() const noexcept { return members.size(); }
  /// The one so many after the root.
  [[nodiscard]] std::size_t from_root(std::size_t i) const noexcept {
    return (root + i) % members.size();
  }
};

/// Messages of several groups side by side, in rounds or as a list.
class Messages {
public:
  explicit Messages(Transfers& result) : result_(&result) {}

  /// In round `round` of the group.
  void send(std::size_t round, std::uint32_t from, std::uint32_t to, double bytes) {
    rounds_.resize(std::max(rounds_.size(), round + 1));
    rounds_[round].push_back({from, to, bytes});
  }
  /// After those before it in the list.
  void send_next(std::uint32_t from, std::uint32_t to, double bytes) {
    result_->communication.one_by_one = true;
    result_->communication.transfers.push_back({from, to, bytes});
  }
  /// With all others.
  void send_at_once(std::uint32_t from, std::uint32_t to, double bytes) {
    result_->communication.transfers.push_back({from, to, bytes});
  }
  /// A list beside rounds: each of its messages is a round of its own.
  void finish() {
    std::vector<network::Transfer>& transfers = result_->communication.transfers;
    for (std::size_t i = 0; !rounds_.empty() && i < transfers.size(); ++i) {
      result_->communication.rounds.push_back(i);
    }
    for (const std::vector<network::Transfer>& round : rounds_) {
      result_->communication.rounds.push_back(transfers.size());
      transfers.insert(transfers.end(), round.begin(), round.end());
    }
  }

private:
  Transfers* result_;
  std::vector<std::vector<network::Transfer>> rounds_;
};

class CollectiveWriter {
public:
  CollectiveWriter(GridMapping& mapping, const StatementSpec& statement, Transfers& result)
      : mapping_(&mapping),
        statement_(&statement),
        values_(mapping, statement),
        messages_(result) {}

  void write() {
    for (Group& group : groups()) {
      if (group.size() > 1) {
        write(group);
      }
    }
    messages_.finish();
  }

private:
  /// Processes that differ in the dimensions across which the operation is, numbered as the program
  /// numbers its ranks.
  std::vector<Group> groups() {
    const machine::Grid& grid = mapping_->grid();
    const auto across = mapping_->script().ints(statement_->across);
    std::array<bool, machine::max_grid_rank> inside{};
    inside.fill(across.empty());
    for (const std::int64_t dim : across) {
      inside[static_cast<std::size_t>(dim)] = true;
    }
    std::size_t groups = 1;
    for (int j = 0; j < machine::max_grid_rank; ++j) {
      groups *= inside[static_cast<std::size_t>(j)] ? 1 : static_cast<std::size_t>(grid.extent(j));
    }
    std::vector<Group> found(groups);
    for (const std::uint32_t p : machine::by_rank(grid, mapping_->options().ranks)) {
      std::size_t number = 0;
      std::size_t stride = 1;
      std::size_t rest = p;
      for (int j = machine::max_grid_rank; j-- > 0;) {
        const auto extent = static_cast<std::size_t>(grid.extent(j));
        if (!inside[static_cast<std::size_t>(j)]) {
          number += rest % extent * stride;
          stride *= extent;
        }
        rest /= extent;
      }
      found[number].members.push_back(p);
    }
    const std::size_t root = root_number(inside);
    for (Group& group : found) {
      group.root = root;
      if (statement_->collective != Collective::alltoallv) {
        take_bytes(group);
      }
    }
    return found;
  }

  std::size_t root_number(const std::array<bool, machine::max_grid_rank>& inside) const {
    const auto root = mapping_->script().ints(statement_->root);
    const bool by_row = mapping_->options().ranks == machine::Placement::Kind::row;
    std::size_t number = 0;
    std::size_t stride = 1;
    std::size_t next = 0;
    for (int j = 0; j < machine::max_grid_rank; ++j) {
      if (!inside[static_cast<std::size_t>(j)]) {
        continue;
      }
      const std::int64_t extent = mapping_->grid().extent(j);
      const std::int64_t at = next < root.size() ? root[next] : 0;
      ++next;
      if (at >= extent) {
        throw values_.error("the root has coordinate " + std::to_string(at) + " of " +
                                std::to_string(extent) + " on the grid " + mapping_->grid().text(),
                            "expected a process of every grid");
      }
      number = by_row ? number * static_cast<std::size_t>(extent) + static_cast<std::size_t>(at)
                      : number + stride * static_cast<std::size_t>(at);
      stride *= static_cast<std::size_t>(extent);
    }
    return number;
  }

  void take_bytes(Group& group) {
    for (const std::uint32_t p : group.members) {
      values_.at(p);
      group.bytes.push_back(statement_->formula.count == 0 ? 0.0
                                                           : values_.value(statement_->formula));
    }
  }

  void write(const Group& group) {
    const Algorithm algorithm = statement_->algorithm;
    switch (statement_->collective) {
      case Collective::allreduce:
        return allreduce(group, algorithm);
      case Collective::broadcast:
        return broadcast(group, algorithm);
      case Collective::reduce:
        return reduce(group, algorithm == Algorithm::linear);
      case Collective::barrier:
        return barrier(group);
      case Collective::gather:
        return gather(group, false);
      case Collective::scatter:
        return gather(group, true);
      case Collective::allgather:
        return allgather(group, algorithm);
      case Collective::alltoall:
      case Collective::alltoallv:
        return all_to_all(group, algorithm);
      case Collective::scan:
        return scan(group);
    }
  }

  void allreduce(const Group& group, Algorithm algorithm) {
    const double bytes = group.bytes.front();
    const ReductionKind kind = reduction(algorithm, bytes, static_cast<double>(group.size()));
    if (!(bytes > 0.0)) {
      return;
    }
    if (kind == ReductionKind::tree || kind == ReductionKind::linear) {
      reduce(group, kind == ReductionKind::linear);
      if (kind == ReductionKind::tree) {
        hand_out(group, bytes);
        return;
      }
      for (std::size_t i = 1; i < group.size(); ++i) {
        messages_.send_next(group.members[0], group.members[i], bytes);
      }
      return;
    }
    network::Communication pairs;
    add_rounds(kind, group.members, bytes, pairs);
    for (std::size_t r = 0; r < pairs.rounds.size(); ++r) {
      for (const network::Transfer& each : pairs.round(r)) {
        messages_.send(r, each.from, each.to, each.bytes);
      }
    }
  }

  [[nodiscard]] ReductionKind reduction(Algorithm algorithm, double bytes, double processes) const {
    switch (algorithm) {
      case Algorithm::doubling:
        return ReductionKind::doubling;
      case Algorithm::tree:
        return ReductionKind::tree;
      case Algorithm::linear:
        return ReductionKind::linear;
      case Algorithm::rabenseifner:
        return ReductionKind::rabenseifner;
      case Algorithm::ring:
        return ReductionKind::ring;
      default:
        return reduction_of(mapping_->options(), mapping_->system().allreduce, bytes, processes);
    }
  }

  /// To the root: from the last one first, or by a binomial tree.
  void reduce(const Group& group, bool linear) {
    const auto member = [&](std::size_t i) { return group.members[group.from_root(i)]; };
    const auto bytes = [&](std::size_t i) { return group.bytes[group.from_root(i)]; };
    for (std::size_t i = group.size() - 1; linear && i > 0; --i) {
      messages_.send_next(member(i), member(0), bytes(i));
    }
    if (!linear) {
      for_binomial_gather(group.size(), [&](std::size_t high, std::size_t low, std::size_t) {
        messages_.send_next(member(high), member(low), bytes(high));
      });
    }
  }

  /// From the root by a binomial tree.
  void hand_out(const Group& group, double bytes) {
    for_binomial_scatter(group.size(), [&](std::size_t low, std::size_t high, std::size_t) {
      messages_.send_next(group.members[group.from_root(low)], group.members[group.from_root(high)],
                          bytes);
    });
  }

  void broadcast(const Group& group, Algorithm algorithm) {
    const double bytes = group.bytes[group.root];
    if (algorithm == Algorithm::binomial ||
        (algorithm == Algorithm::automatic && bytes <= most_broadcast_whole)) {
      hand_out(group, bytes);
      return;
    }
    // Each gets its part, rounds of a binomial tree; then the parts go round.
    const std::size_t all = group.size();
    const double part = bytes / static_cast<double>(all);
    const std::size_t steps = std::bit_width(all - 1);
    for_binomial_scatter(all, [&](std::size_t low, std::size_t high, std::size_t step) {
      const double parts = static_cast<double>(std::min(step, all - high));
      messages_.send(steps - std::bit_width(step), group.members[group.from_root(low)],
                     group.members[group.from_root(high)], part * parts);
    });
    std::size_t round = steps;
    for (std::size_t k = 1; k < all; ++k, ++round) {
      for (std::size_t i = 0; i < all; ++i) {
        messages_.send(round, group.members[i], group.members[(i + 1) % all], part);
      }
    }
  }

  void barrier(const Group& group) {
    std::size_t round = 0;
    for (std::size_t step = 1; step < group.size(); step *= 2, ++round) {
      for (std::size_t i = 0; i < group.size(); ++i) {
        messages_.send(round, group.members[i], group.members[(i + step) % group.size()], 0.0);
      }
    }
  }

  /// Binomial: what a processor hands on is its own and that of those behind it.
  void gather(const Group& group, bool scatter) {
    const std::size_t all = group.size();
    const auto behind = [&](std::size_t i, std::size_t step) {
      double bytes = 0.0;
      for (std::size_t k = i; k < std::min(i + step, all); ++k) {
        bytes += group.bytes[group.from_root(k)];
      }
      return bytes;
    };
    const auto member = [&](std::size_t i) { return group.members[group.from_root(i)]; };
    if (scatter) {
      for_binomial_scatter(all, [&](std::size_t low, std::size_t high, std::size_t step) {
        messages_.send_next(member(low), member(high), behind(high, step));
      });
    } else {
      for_binomial_gather(all, [&](std::size_t high, std::size_t low, std::size_t step) {
        messages_.send_next(member(high), member(low), behind(high, step));
      });
    }
  }

  void allgather(const Group& group, Algorithm algorithm) {
    const std::size_t all = group.size();
    double sum = 0.0;
    for (const double bytes : group.bytes) {
      sum += bytes;
    }
    if (std::has_single_bit(all) && algorithm != Algorithm::ring &&
        (algorithm == Algorithm::doubling || sum <= most_gathered_by_doubling)) {
      std::size_t round = 0;
      for (std::size_t step = 1; step < all; step *= 2, ++round) {
        for (std::size_t i = 0; i < all; ++i) {
          const std::size_t first = i / step * step;
          double bytes = 0.0;
          for (std::size_t k = first; k < first + step; ++k) {
            bytes += group.bytes[k];
          }
          messages_.send(round, group.members[i], group.members[i ^ step], bytes);
        }
      }
      return;
    }
    for (std::size_t round = 0; round + 1 < all; ++round) {
      for (std::size_t i = 0; i < all; ++i) {
        messages_.send(round, group.members[i], group.members[(i + 1) % all],
                       group.bytes[(i + all - round) % all]);
      }
    }
  }

  /// What a member sends to another one.
  double bytes_to(const Group& group, std::size_t from, std::size_t to) {
    if (statement_->collective == Collective::alltoall) {
      return group.bytes[from];
    }
    values_.partner(group.members[to]);
    return values_.value(statement_->formula);
  }

  void all_to_all(const Group& group, Algorithm algorithm) {
    const std::size_t all = group.size();
    const bool pairwise = algorithm == Algorithm::pairwise ||
                          (algorithm == Algorithm::automatic && all > most_at_once);
    const bool from_next = statement_->collective == Collective::alltoall;
    for (std::size_t i = 0; i < all; ++i) {
      values_.at(group.members[i]);
      for (std::size_t k = pairwise || from_next ? 1 : 0; k < all; ++k) {
        const std::size_t to = pairwise && std::has_single_bit(all) ? i ^ k
                               : pairwise || from_next              ? (i + k) % all
                                                                    : k;
        const double bytes = to == i ? 0.0 : bytes_to(group, i, to);
        if (!(bytes > 0.0)) {
          continue;
        }
        if (pairwise) {
          messages_.send(k - 1, group.members[i], group.members[to], bytes);
        } else {
          messages_.send_at_once(group.members[i], group.members[to], bytes);
        }
      }
    }
  }

  void scan(const Group& group) {
    std::size_t round = 0;
    for (std::size_t step = 1; step < group.size(); step *= 2, ++round) {
      for (std::size_t i = 0; i < group.size(); ++i) {
        if ((i ^ step) < group.size()) {
          messages_.send(round, group.members[i], group.members[i ^ step], group.bytes[i]);
        }
      }
    }
  }

  GridMapping* mapping_;
  const StatementSpec* statement_;
  BlockValues values_;
  Messages messages_;
};

}  // namespace

void add_collective(GridMapping& mapping, const StatementSpec& statement, Transfers& result) {
  CollectiveWriter(mapping, statement, result).write();
}

}  // namespace gridcast::model
