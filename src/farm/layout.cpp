#include "gridcast/farm/layout.h"

#include <algorithm>
#include <boost/mpi/communicator.hpp>
#include <cstring>
#include <map>
#include <utility>

#include "exchange.h"
#include "nodes.h"

namespace gridcast::sweep {
namespace {

/// Groups by node are worth it from this many ranks per node on average.
constexpr int least_per_node = 16;

/// The lowest rank of the node of each rank, on every rank.
std::vector<int> nodes_on_all(const boost::mpi::communicator& world) {
  const std::vector<int> found = find_nodes(world);
  const auto* const bytes = reinterpret_cast<const char*>(found.data());
  const Message message = hand_out(world, Message(bytes, bytes + found.size() * sizeof(int)));
  std::vector<int> nodes(message.size() / sizeof(int));
  std::memcpy(nodes.data(), message.data(), message.size());
  return nodes;
}

}  // namespace

Layout Layout::one_master(int ranks) {
  return Layout(std::vector<int>(static_cast<std::size_t>(ranks), 0));
}

Layout Layout::groups(int ranks, int size) {
  const int others = ranks - 1;
  const int count = size < 2 ? 0 : (others + size - 1) / size;
  Layout layout = one_master(ranks);
  if (count < 2) {
    return layout;
  }
  int first = 1;
  for (int group = 0; group < count; ++group) {
    const int members = others / count + (group < others % count ? 1 : 0);
    for (int rank = first + 1; rank < first + members; ++rank) {
      layout.masters_[static_cast<std::size_t>(rank)] = first;
    }
    first += members;
  }
  return layout;
}

Layout Layout::nodes(std::span<const int> node_of) {
  Layout layout = one_master(static_cast<int>(node_of.size()));
  std::map<int, int> master_of_node;
  for (std::size_t rank = 1; rank < node_of.size(); ++rank) {
    const auto [found, is_first] =
        master_of_node.try_emplace(node_of[rank], static_cast<int>(rank));
    layout.masters_[rank] = is_first ? 0 : found->second;
  }
  return layout;
}

std::vector<int> Layout::workers_of(int rank) const {
  std::vector<int> workers;
  for (std::size_t other = 1; other < masters_.size(); ++other) {
    if (masters_[other] == rank) {
      workers.push_back(static_cast<int>(other));
    }
  }
  return workers;
}

bool Layout::is_group_master(int rank) const {
  return rank != 0 && std::find(masters_.begin(), masters_.end(), rank) != masters_.end();
}

Layout choose_layout(const boost::mpi::communicator& world, std::optional<int> group_size) {
  const int ranks = world.size();
  if (group_size) {
    return Layout::groups(ranks, *group_size);
  }
  if (ranks - 1 <= most_for_one_master) {
    return Layout::one_master(ranks);
  }
  const std::vector<int> node_of = nodes_on_all(world);
  std::vector<int> distinct = node_of;
  std::sort(distinct.begin(), distinct.end());
  const auto nodes =
      static_cast<int>(std::unique(distinct.begin(), distinct.end()) - distinct.begin());
  if (nodes > 1 && ranks / nodes >= least_per_node) {
    return Layout::nodes(node_of);
  }
  return Layout::groups(ranks, usual_group_size);
}

}  // namespace gridcast::sweep
