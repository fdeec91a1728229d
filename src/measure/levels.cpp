#include "gridcast/measure/levels.h"

#include <algorithm>
#include <map>

namespace gridcast::measure {
namespace {

using Ranks = std::vector<int>;

/// Groups of ranks in the order of their first ranks.
template <class Key, class KeyOf>
std::vector<Ranks> grouped_by(const Ranks& ranks, const KeyOf& key_of) {
  std::map<Key, std::size_t> places;
  std::vector<Ranks> groups;
  for (const int rank : ranks) {
    const auto [found, fresh] = places.emplace(key_of(rank), groups.size());
    if (fresh) {
      groups.emplace_back();
    }
    groups[found->second].push_back(rank);
  }
  return groups;
}

/// Ranks of the first two groups, each with its counterpart.
std::vector<std::pair<int, int>> pairs_between(const std::vector<Ranks>& groups) {
  std::vector<std::pair<int, int>> pairs;
  for (std::size_t i = 0; i < std::min(groups[0].size(), groups[1].size()); ++i) {
    pairs.emplace_back(groups[0][i], groups[1][i]);
  }
  return pairs;
}

std::vector<std::pair<int, int>> pairs_within(const Ranks& ranks) {
  std::vector<std::pair<int, int>> pairs;
  for (std::size_t i = 0; i + 1 < ranks.size(); i += 2) {
    pairs.emplace_back(ranks[i], ranks[i + 1]);
  }
  return pairs;
}

class LevelFinder {
public:
  explicit LevelFinder(std::span<const Place> places) : places_(places) {}

  Levels run() {
    Ranks all;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      all.push_back(static_cast<int>(i));
    }
    const auto hosts = grouped_by<std::string>(
        all, [this](int rank) { return places_[static_cast<std::size_t>(rank)].host; });
    std::vector<std::vector<Ranks>> sockets;
    sockets.reserve(hosts.size());
    for (const Ranks& host : hosts) {
      sockets.push_back(grouped_by<int>(
          host, [this](int rank) { return places_[static_cast<std::size_t>(rank)].socket; }));
    }
    add("system", hosts);
    add("node", *std::ranges::min_element(sockets, {}, &std::vector<Ranks>::size));
    add_cores(sockets);
    for (const std::vector<Ranks>& each : sockets) {
      result_.uneven = result_.uneven || each.size() != sockets.front().size();
    }
    name_parts();
    return std::move(result_);
  }

private:
  void add(const char* name, const std::vector<Ranks>& groups) {
    if (groups.size() > 1) {
      result_.levels.push_back({name, {}, static_cast<int>(groups.size()), pairs_between(groups)});
    }
  }

  void add_cores(const std::vector<std::vector<Ranks>>& sockets) {
    std::size_t least = places_.size();
    std::size_t most = 0;
    const Ranks* largest = nullptr;
    for (const std::vector<Ranks>& host : sockets) {
      for (const Ranks& socket : host) {
        least = std::min(least, socket.size());
        if (socket.size() > most) {
          most = socket.size();
          largest = &socket;
        }
      }
    }
    result_.uneven = result_.uneven || least != most;
    if (least > 1) {
      const bool with_sockets = sockets.front().size() > 1;
      result_.levels.push_back(
          {with_sockets ? "socket" : "node", {}, static_cast<int>(least), pairs_within(*largest)});
    }
  }

  void name_parts() {
    for (std::size_t i = 0; i < result_.levels.size(); ++i) {
      result_.levels[i].part =
          i + 1 < result_.levels.size() ? result_.levels[i + 1].name : std::string("core");
    }
  }

  std::span<const Place> places_;
  Levels result_;
};

}  // namespace

Levels levels_of(std::span<const Place> ranks) {
  if (ranks.size() < 2) {
    return {};
  }
  return LevelFinder(ranks).run();
}

}  // namespace gridcast::measure
