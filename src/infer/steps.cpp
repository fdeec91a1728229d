#include "gridcast/infer/steps.h"

#include <algorithm>
#include <cstdlib>

#include "gridcast/base/printable.h"

namespace gridcast::infer {
namespace {

/// What a rank does, as loops.
struct Sequence {
  std::size_t run = 0;
  std::size_t rank = 0;
  std::vector<Node> nodes;
  std::size_t messages = 0;
  std::size_t items = 0;
};

/// Matches the nodes of one of the ranks with the steps so far.
class RankMerger {
public:
  RankMerger(const Runs& runs, const std::vector<Sequence>& all, const Sequence& one)
      : runs_(runs), all_(all), run_(one.run), rank_(one.rank) {}

  void merge(std::vector<Step>& steps, const std::vector<Node>& nodes) const {
    std::vector<Step> merged;
    for (const Pair& each : pairs(steps, nodes)) {
      if (each.step == none) {
        merged.push_back(step_of(nodes[each.node]));
        continue;
      }
      if (each.node != none) {
        add(steps[each.step], nodes[each.node]);
      }
      merged.push_back(std::move(steps[each.step]));
    }
    steps = std::move(merged);
  }

private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  /// A step with its node, or one of them alone.
  struct Pair {
    std::size_t step = none;
    std::size_t node = none;
  };

  /// The steps and nodes in the order of both, of which as many as possible match.
  [[nodiscard]] std::vector<Pair> pairs(const std::vector<Step>& steps,
                                        const std::vector<Node>& nodes) const {
    const std::vector<std::vector<int>> best = scores(steps, nodes);
    std::vector<Pair> all;
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < steps.size() || j < nodes.size()) {
      const int match = i < steps.size() && j < nodes.size() ? score(steps[i], nodes[j]) : 0;
      if (match > 0 && best[i][j] == match + best[i + 1][j + 1]) {
        all.push_back({i++, j++});
      } else if (i == steps.size() || best[i][j] > best[i + 1][j] ||
                 (j < nodes.size() && best[i][j] == best[i][j + 1] &&
                  precedes(nodes[j], steps[i]))) {
        all.push_back({none, j++});
      } else {
        all.push_back({i++, none});
      }
    }
    return all;
  }

  /// True if the ranks that show a node and a step of which this one lacks the step, and others the
  /// node, have the node first: there is a run with each two of three dimensions, none with all.
  [[nodiscard]] bool precedes(const Node& node, const Step& step) const {
    if (step.loop || node.count > 0) {
      return false;
    }
    const Step other = step_of(node);
    int balance = 0;
    for (const Sequence& each : all_) {
      balance += RankMerger(runs_, all_, each).balance(each.nodes, other, step);
    }
    return balance > 0;
  }

  /// Pairs of nodes that are one and another step, less those in the reverse order.
  [[nodiscard]] int balance(const std::vector<Node>& nodes, const Step& one,
                            const Step& other) const {
    int difference = 0;
    int ones = 0;
    int others = 0;
    for (const Node& node : nodes) {
      if (node.count > 0) {
        difference += balance(node.body, one, other);
      } else if (score(one, node) > 0) {
        difference -= others;
        ++ones;
      } else if (score(other, node) > 0) {
        difference += ones;
        ++others;
      }
    }
    return difference;
  }

  /// [i][j]: how well the steps from i on match the nodes from j on.
  [[nodiscard]] std::vector<std::vector<int>> scores(const std::vector<Step>& steps,
                                                     const std::vector<Node>& nodes) const {
    std::vector<std::vector<int>> best(steps.size() + 1, std::vector<int>(nodes.size() + 1));
    for (std::size_t i = steps.size(); i-- > 0;) {
      for (std::size_t j = nodes.size(); j-- > 0;) {
        const int match = score(steps[i], nodes[j]);
        best[i][j] =
            std::max({best[i + 1][j], best[i][j + 1], match > 0 ? match + best[i + 1][j + 1] : 0});
      }
    }
    return best;
  }

  [[nodiscard]] const Item& item(const Node& node) const {
    return runs_.item(run_, rank_, node.occurrences.front());
  }

  /// The directions of an item, comparable between ranks that lack some neighbours: of a phase and
  /// its wait the axes, of an exchange where it sends to, also where only its receive has a
  /// partner.
  [[nodiscard]] std::set<Offset> offsets(const Item& item) const {
    const auto turned = [&item](Offset offset, bool incoming) {
      for (std::int32_t& step : offset) {
        step = item.kind == ItemKind::start || item.kind == ItemKind::wait ? std::abs(step)
               : item.kind == ItemKind::exchange && incoming               ? -step
                                                                           : step;
      }
      return offset;
    };
    std::set<Offset> found;
    for (const Message& message : item.messages) {
      if (message.partner >= 0) {
        const std::vector<Offset> all =
            runs_.coordinates[run_].offsets(static_cast<std::int32_t>(rank_), message.partner);
        for (const Offset& each : all) {
          if (distance(each) == distance(all.front())) {
            found.insert(turned(each, message.incoming));
          }
        }
      }
    }
    return found;
  }

  [[nodiscard]] int score(const Step& step, const Node& node) const {
    if (step.loop != (node.count > 0)) {
      return 0;
    }
    if (step.loop) {
      return scores(step.body, adapted(step, node).body)[0][0];
    }
    const Item& one = item(node);
    const auto shared = [](const auto& a, const auto& b) {
      return std::any_of(b.begin(), b.end(), [&](const auto& each) { return a.contains(each); });
    };
    if (step.kind != one.kind || step.operation != one.operation ||
        !shared(step.places, one.places)) {
      return 0;
    }
    const std::set<Offset> directions = offsets(one);
    if (directions.empty() || step.offsets.empty()) {
      return 2;
    }
    return shared(step.offsets, directions) ? 3 : 0;
  }

  /// The loop, or several of its iterations in one if the step's body then has more of them, no
  /// more than needed: one that does the same in all directions repeats where others do not, and
  /// one without neighbours where messages stand between its operations.
  [[nodiscard]] Node adapted(const Step& step, const Node& loop) const {
    const auto most = static_cast<std::int64_t>(step.body.size() / loop.body.size());
    Node best = loop;
    int best_score = most > 1 ? scores(step.body, loop.body)[0][0] : 0;
    for (std::int64_t factor = 2; factor <= most; ++factor) {
      if (loop.count % factor != 0) {
        continue;
      }
      Node longer = unrolled(loop, factor);
      if (const int score = scores(step.body, longer.body)[0][0]; score > best_score) {
        best_score = score;
        best = std::move(longer);
      }
    }
    return best;
  }

  void add(Step& step, const Node& node) const {
    if (step.loop) {
      const Node loop = adapted(step, node);
      step.instances.push_back(
          {.run = run_, .rank = rank_, .count = loop.count, .occurrences = {}});
      merge(step.body, loop.body);
      return;
    }
    const Item& one = item(node);
    step.places.insert(one.places.begin(), one.places.end());
    step.offsets.merge(offsets(one));
    step.instances.push_back(
        {.run = run_, .rank = rank_, .count = 0, .occurrences = node.occurrences});
  }

  [[nodiscard]] Step step_of(const Node& node) const {
    Step step;
    step.loop = node.count > 0;
    if (!step.loop) {
      step.kind = item(node).kind;
      step.operation = item(node).operation;
    }
    add(step, node);
    return step;
  }

  const Runs& runs_;
  const std::vector<Sequence>& all_;
  std::size_t run_;
  std::size_t rank_;
};

/// Messages of the nodes, each loop's body once.
std::size_t count_messages(const RankItems& items, const std::vector<Node>& nodes) {
  std::size_t count = 0;
  for (const Node& node : nodes) {
    count +=
        node.count > 0
            ? count_messages(items, node.body)
            : items.items[static_cast<std::size_t>(node.occurrences.front().item)].messages.size();
  }
  return count;
}

}  // namespace

std::string Runs::name(std::size_t run) const { return printable(recordings[run].folder.string()); }

const Instance* Step::of(std::size_t run, std::size_t rank) const {
  for (const Instance& each : instances) {
    if (each.run == run && each.rank == rank) {
      return &each;
    }
  }
  return nullptr;
}

std::vector<Step> merge_ranks(const Runs& runs) {
  std::vector<Sequence> sequences;
  for (std::size_t run = 0; run < runs.items.size(); ++run) {
    for (std::size_t rank = 0; rank < runs.items[run].size(); ++rank) {
      std::vector<Node> nodes = fold(runs.items[run][rank]);
      const std::size_t messages = count_messages(runs.items[run][rank], nodes);
      const std::size_t items = count_items(nodes);
      sequences.push_back({run, rank, std::move(nodes), messages, items});
    }
  }
  // Those that show most first: the others are parts of them. Of as many steps those with more
  // messages: a phase of a process at a border may have nothing in common with that at another.
  std::stable_sort(sequences.begin(), sequences.end(), [](const Sequence& a, const Sequence& b) {
    return std::pair(a.items, a.messages) > std::pair(b.items, b.messages);
  });
  std::vector<Step> steps;
  for (const Sequence& each : sequences) {
    RankMerger(runs, sequences, each).merge(steps, each.nodes);
  }
  return steps;
}

std::string places_text(const Runs& runs, const Step& step) {
  std::vector<std::string> texts;
  for (const std::int32_t place : step.places) {
    texts.push_back(runs.places.texts[static_cast<std::size_t>(place)]);
  }
  if (step.loop && !step.body.empty()) {
    return places_text(runs, step.body.front());
  }
  std::sort(texts.begin(), texts.end());
  // Of one file the name once.
  std::string text;
  std::string file;
  for (const std::string& each : texts) {
    const std::size_t colon = each.find(':');
    const std::string here = each.substr(0, colon);
    text += text.empty() ? each : ", " + (here == file ? each.substr(colon + 1) : each);
    file = colon == std::string::npos ? std::string() : here;
  }
  return text;
}

}  // namespace gridcast::infer
