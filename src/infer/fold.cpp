#include "gridcast/infer/fold.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>

namespace gridcast::infer {
namespace {

/// Inner loops of fewer iterations stay written out: runs of other shapes may not repeat there.
constexpr std::int64_t fewest_inner_iterations = 8;

/// Part of a sequence that repeats: `count` times `width` labels from `begin`.
struct Repeat {
  std::size_t begin = 0;
  std::size_t width = 0;
  std::size_t count = 1;

  [[nodiscard]] std::size_t covered() const { return width * count; }
};

/// Distances from labels to those of the next equal ones.
std::set<std::size_t> distances(std::span<const std::int32_t> labels) {
  constexpr std::size_t farthest = 16;
  std::map<std::int32_t, std::vector<std::size_t>> places;
  std::set<std::size_t> found;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    std::vector<std::size_t>& before = places[labels[i]];
    for (std::size_t k = 0; k < std::min(farthest, before.size()); ++k) {
      found.insert(i - before[before.size() - 1 - k]);
    }
    before.push_back(i);
  }
  return found;
}

/// The repeat that covers most; of equal ones the narrowest, then the first.
Repeat longest_repeat(std::span<const std::int32_t> labels) {
  Repeat best;
  for (const std::size_t width : distances(labels)) {
    std::size_t equal = 0;
    for (std::size_t i = 0; i + width <= labels.size(); ++i) {
      const bool same = i + width < labels.size() && labels[i] == labels[i + width];
      if (same) {
        ++equal;
        continue;
      }
      const Repeat found{i - equal, width, equal / width + 1};
      if (found.count > 1 && found.covered() > best.covered()) {
        best = found;
      }
      equal = 0;
    }
  }
  return best;
}

void append(std::vector<Node>& nodes, std::vector<Node> more) {
  std::move(more.begin(), more.end(), std::back_inserter(nodes));
}

/// The nodes of a sequence in which position i stands for the labels, occurrences of all
/// iterations around it.
std::vector<Node> folded(std::span<const std::int32_t> labels, std::span<const Node> leaves,
                         bool inner) {
  const Repeat repeat = longest_repeat(labels);
  if (repeat.count < 2) {
    return {leaves.begin(), leaves.end()};
  }
  std::vector<Node> body(repeat.width);
  for (std::size_t i = 0; i < repeat.width; ++i) {
    // Of each iteration around it, those of all iterations of this loop.
    for (std::size_t outer = 0; outer < leaves[repeat.begin + i].occurrences.size(); ++outer) {
      for (std::size_t k = i; k < repeat.covered(); k += repeat.width) {
        body[i].occurrences.push_back(leaves[repeat.begin + k].occurrences[outer]);
      }
    }
  }
  std::vector<Node> nodes = folded(labels.first(repeat.begin), leaves.first(repeat.begin), inner);
  const auto count = static_cast<std::int64_t>(repeat.count);
  const std::size_t end = repeat.begin + repeat.covered();
  if ((inner || repeat.covered() * 4 < labels.size()) && count < fewest_inner_iterations) {
    for (std::size_t i = repeat.begin; i < end; i += repeat.width) {
      append(nodes,
             folded(labels.subspan(i, repeat.width), leaves.subspan(i, repeat.width), inner));
    }
  } else {
    nodes.push_back({.count = count,
                     .body = folded(labels.subspan(repeat.begin, repeat.width), body, true),
                     .occurrences = {}});
  }
  append(nodes, folded(labels.subspan(end), leaves.subspan(end), inner));
  return nodes;
}

std::vector<Node> folded(const RankItems& items, const std::vector<std::int32_t>& label_of) {
  std::vector<std::int32_t> labels;
  std::vector<Node> leaves;
  for (const Occurrence& each : items.sequence) {
    labels.push_back(label_of[static_cast<std::size_t>(each.item)]);
    leaves.push_back({.count = 0, .body = {}, .occurrences = {each}});
  }
  return folded(labels, leaves, false);
}

/// Items in loops.
std::size_t repeated_items(const std::vector<Node>& nodes) {
  std::size_t items = 0;
  for (const Node& node : nodes) {
    items += node.count == 0 ? node.occurrences.size() - 1 : 0;
    items += repeated_items(node.body);
  }
  return items;
}

/// Keeps of each item, which occurs `times` times in an iteration, what occurs in every `period`-th
/// run of `successive` iterations, the first of which is run `which`.
void keep(std::vector<Node>& nodes, std::size_t times, std::int64_t successive, std::int64_t period,
          std::int64_t which) {
  for (Node& node : nodes) {
    keep(node.body, times * static_cast<std::size_t>(node.count), successive, period, which);
    std::vector<Occurrence> kept;
    for (std::size_t i = 0; i < node.occurrences.size(); ++i) {
      if (static_cast<std::int64_t>(i / times) / successive % period == which) {
        kept.push_back(node.occurrences[i]);
      }
    }
    node.occurrences = std::move(kept);
  }
}

}  // namespace

std::vector<Node> fold(const RankItems& items) {
  std::vector<std::int32_t> exact(items.items.size());
  std::vector<std::int32_t> without_bytes(items.items.size());
  std::map<Item, std::int32_t> known;
  for (std::size_t i = 0; i < items.items.size(); ++i) {
    Item item = items.items[i];
    item.bytes = 0;
    std::fill(item.shares.begin(), item.shares.end(), 0);
    for (std::vector<Message>* messages : {&item.messages, &item.absent}) {
      for (Message& message : *messages) {
        message.bytes = 0;
      }
    }
    exact[i] = static_cast<std::int32_t>(i);
    without_bytes[i] = known.try_emplace(std::move(item), exact[i]).first->second;
  }
  std::vector<Node> nodes = folded(items, exact);
  if (known.size() < items.items.size() && repeated_items(nodes) * 2 < items.sequence.size()) {
    nodes = folded(items, without_bytes);
  }
  return nodes;
}

Node unrolled(const Node& loop, std::int64_t factor) {
  Node longer{.count = loop.count / factor, .body = {}, .occurrences = {}};
  for (std::int64_t k = 0; k < factor; ++k) {
    std::vector<Node> copy = loop.body;
    keep(copy, 1, 1, factor, k);
    append(longer.body, std::move(copy));
  }
  return longer;
}

Node part(const Node& loop, std::int64_t parts, std::int64_t which) {
  Node shorter = loop;
  if (parts > 1) {
    shorter.count /= parts;
    keep(shorter.body, 1, shorter.count, parts, which);
  }
  return shorter;
}

std::size_t count_items(const std::vector<Node>& nodes) {
  std::size_t items = 0;
  for (const Node& node : nodes) {
    items += node.count == 0 ? 1 : count_items(node.body);
  }
  return items;
}

}  // namespace gridcast::infer
