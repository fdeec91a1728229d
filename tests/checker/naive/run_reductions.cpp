// Reductions (docs/model.md §5, §10).

#include <algorithm>

#include "reduction_rounds.h"
#include "run.h"

namespace gridcast::naive {

void Run::reduce(double bytes, Pending& pending) {
  const double start = pending.start;
  std::vector<double>& ends = pending.ends;
  ends.assign(machine_.performance.size(), start);
  if (!mapped_last_ || is_replicated(mapped_last_->placed)) {
    return;
  }
  const Loop& loop = *mapped_last_;
  std::vector<Holders> executes;
  Holders any = 0;
  for (const Index& iteration : loop.iterations()) {
    executes.push_back(holders(loop.placed, iteration, current()) & current().all());
    any |= executes.back();
  }
  if (any == 0 || bytes <= 0.0) {
    return;
  }
  const System& system = loop.placed.over->system;
  if (machine_.is_flat_transputer() && !options_.free) {
    // Coordinates that the current system occupies, and those of them with iterations.
    long distance = 0;
    for (std::size_t j = 0; j < system.shape.size(); ++j) {
      std::set<long> occupied, used;
      for (int m = 0; m < system.size(); ++m) {
        const int p = system.members[static_cast<std::size_t>(m)];
        if (contains(current().all(), p)) {
          occupied.insert(system.coordinates(m)[j]);
        }
        if (contains(any, p)) {
          used.insert(system.coordinates(m)[j]);
        }
      }
      const bool splits =
          loop.placed.over->splits(j) &&
          loop.placed.positions[static_cast<std::size_t>(loop.placed.over->axes[j])].rule !=
              Position::Rule::everywhere;
      if (splits) {
        const auto n = static_cast<long>(used.size());
        distance += 2 * (n / 2) + static_cast<long>(occupied.size()) - n;
      }
    }
    const Network& network = machine_.networks.front();
    for (double& end : ends) {
      end = start +
            (network.start(bytes) + bytes * network.byte(bytes)) * static_cast<double>(distance);
    }
    return;
  }
  std::vector<int> members;
  for (int p = 0; p < machine_.processors(); ++p) {
    const auto same = [&](int q) {
      return std::all_of(executes.begin(), executes.end(),
                         [&](Holders set) { return contains(set, p) == contains(set, q); });
    };
    if (contains(any, p) && std::none_of(members.begin(), members.end(), same)) {
      members.push_back(p);
    }
  }
  std::string how =
      algorithm_of(options_.reduction, machine_.allreduce, current().members.size(), bytes);
  if (options_.free) {
    reduce_free(how, members, bytes, pending);
    return;
  }
  if (how == "tree") {
    reduce_by_trees(members, bytes, pending);
    return;
  }
  if (how != "linear") {
    reduce_by_rounds(how == "ring" ? "rabenseifner" : how, bytes, pending);
    return;
  }
  Transfers gather;
  Transfers back;
  const int root = members.front();
  for (const int p : members) {
    if (p != root) {
      gather[{p, root}] = bytes;
    }
  }
  for (const int p : current().members) {
    if (p != root) {
      back[{root, p}] = bytes;
    }
  }
  const std::vector<double> gathered = carry(machine_, gather, start);
  const double middle = *std::max_element(gathered.begin(), gathered.end());
  const std::vector<double> returned = carry(machine_, back, middle);
  for (const auto& [pair, sent] : back) {
    for (const int p : {pair.first, pair.second}) {
      ends[static_cast<std::size_t>(p)] = returned[static_cast<std::size_t>(p)];
    }
  }
  const std::vector<double> one = busy(machine_, gather);
  const std::vector<double> other = busy(machine_, back);
  for (std::size_t p = 0; p < one.size(); ++p) {
    pending.busy[p] = one[p] + other[p];
  }
}

void Run::reduce_free(const std::string& how, const std::vector<int>& members, double bytes,
                      Pending& pending) {
  FreeActs& acts = pending.later;
  const auto pass = [&](int from, int to) {
    const int m = free_.message(from, to, bytes);
    free_.blocking_send(acts, m);
    free_.blocking_receive(acts, m);
  };
  const int root = members.front();
  std::vector<int> all = current().members;
  if (how == "linear") {
    for (auto p = members.rbegin(); p + 1 != members.rend(); ++p) {
      pass(*p, root);
    }
    for (const int p : all) {
      if (p != root) {
        pass(root, p);
      }
    }
  } else if (how == "tree") {
    // A message is blocking at both ends, so the order of the list is that of each process.
    for (std::size_t mask = 1; mask < members.size(); mask *= 2) {
      for (std::size_t i = 0; i < members.size(); ++i) {
        if ((i & mask) != 0 && (i & (mask - 1)) == 0) {
          pass(members[i], members[i - mask]);
        }
      }
    }
    std::rotate(all.begin(), std::find(all.begin(), all.end(), root), all.end());
    for (std::size_t mask = std::size_t{1} << 10U; mask > 0; mask /= 2) {
      for (std::size_t i = 0; i + mask < all.size(); ++i) {
        if ((i & (2 * mask - 1)) == 0) {
          pass(all[i], all[i + mask]);
        }
      }
    }
  } else {
    free_.reduce(how, all, bytes, acts);
  }
}

/// Each message begins at the clock of its sender; its receiver goes on from its own.
void Run::reduce_by_rounds(const std::string& how, double bytes, Pending& pending) {
  for (const auto& round : reduction_rounds(how, current().members, bytes)) {
    Transfers transfers;
    transfers.with_empty = true;
    for (const RoundMessage& message : round) {
      transfers[{message.from, message.to}] = message.bytes;
    }
    const std::vector<double> own = busy(machine_, transfers);
    for (std::size_t p = 0; p < own.size(); ++p) {
      transfers.later[static_cast<int>(p)] = pending.ends[p] - pending.start;
      pending.busy[p] += own[p];
    }
    const std::vector<double> ends = carry(machine_, transfers, pending.start);
    for (std::size_t p = 0; p < ends.size(); ++p) {
      pending.ends[p] = std::max(pending.ends[p], ends[p]);
    }
  }
}

void Run::reduce_by_trees(const std::vector<int>& members, double bytes, Pending& pending) {
  const auto send = [&](int from, int to) {
    Transfers one;
    one[{from, to}] = bytes;
    double& sender = pending.ends[static_cast<std::size_t>(from)];
    double& receiver = pending.ends[static_cast<std::size_t>(to)];
    const std::vector<double> ends = carry(machine_, one, std::max(sender, receiver));
    sender = ends[static_cast<std::size_t>(from)];
    receiver = ends[static_cast<std::size_t>(to)];
    const std::vector<double> own = busy(machine_, one);
    for (const int p : {from, to}) {
      pending.busy[static_cast<std::size_t>(p)] += own[static_cast<std::size_t>(p)];
    }
  };
  const auto count = static_cast<long>(members.size());
  for (long round = 1; round < count; round *= 2) {
    for (long i = 0; i < count; ++i) {
      if (i % (2 * round) == round) {
        send(members[static_cast<std::size_t>(i)], members[static_cast<std::size_t>(i - round)]);
      }
    }
  }
  // The processors from the root on, then those before it.
  std::vector<int> all = current().members;
  std::rotate(all.begin(), std::find(all.begin(), all.end(), members.front()), all.end());
  for (long round = 1L << 20; round > 0; round /= 2) {
    for (long i = 0; i < static_cast<long>(all.size()); ++i) {
      if (i % (2 * round) == round) {
        send(all[static_cast<std::size_t>(i - round)], all[static_cast<std::size_t>(i)]);
      }
    }
  }
}

}  // namespace gridcast::naive
