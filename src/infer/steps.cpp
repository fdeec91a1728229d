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
    if (const std::vector<Node> longer = written_out(steps, nodes); !longer.empty()) {
      merge(steps, longer);
      return;
    }
    std::vector<Step> merged;
    for (const Pair& each : pairs(steps, nodes)) {
      if (each.step == none) {
        merged.push_back(step_of(nodes[each.node]));
        continue;
      }
      if (each.node != none) {
        add(steps[each.step], part(nodes[each.node], each.parts, each.which));
      }
      merged.push_back(std::move(steps[each.step]));
    }
    steps = std::move(merged);
  }

private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  /// A step with its node or that part of it, or one of them alone.
  struct Pair {
    std::size_t step = none;
    std::size_t node = none;
    std::int64_t parts = 1;
    std::int64_t which = 0;
  };
  /// How well each step matches each node, and the steps from i on the nodes from j on.
  struct Scores {
    std::vector<std::vector<int>> one, all;
  };

  /// Without one of the loops, which is none of the steps but, one iteration after the other, more
  /// of them: a process that does the same in all directions repeats where others do something in
  /// each. Empty if there is none.
  [[nodiscard]] std::vector<Node> written_out(const std::vector<Step>& steps,
                                              const std::vector<Node>& nodes) const {
    for (auto loop = nodes.begin(); loop != nodes.end(); ++loop) {
      const auto covered = static_cast<std::size_t>(loop->count) * loop->body.size();
      if (covered == 0 || covered > steps.size() ||
          std::any_of(steps.begin(), steps.end(),
                      [&](const Step& step) { return step.loop && score(step, *loop) > 0; })) {
        continue;
      }
      std::vector<Node> longer(nodes.begin(), loop);
      const Node once = unrolled(*loop, loop->count);
      longer.insert(longer.end(), once.body.begin(), once.body.end());
      longer.insert(longer.end(), loop + 1, nodes.end());
      if (scores(steps, longer).all[0][0] > scores(steps, nodes).all[0][0]) {
        return longer;
      }
    }
    return {};
  }

  /// The steps and nodes in the order of both, of which as many as possible match.
  [[nodiscard]] std::vector<Pair> pairs(const std::vector<Step>& steps,
                                        const std::vector<Node>& nodes) const {
    const Scores found = scores(steps, nodes);
    const std::vector<std::vector<int>>& best = found.all;
    std::vector<Pair> all;
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < steps.size() || j < nodes.size()) {
      const auto [parts, score] = matched(found, i, nodes, j);
      if (score > 0 && best[i][j] == score) {
        for (std::int64_t which = 0; which < parts; ++which) {
          all.push_back({i++, j, parts, which});
        }
        ++j;
      } else if (i == steps.size() || best[i][j] > best[i + 1][j] ||
                 (j < nodes.size() && best[i][j] == best[i][j + 1] &&
                  precedes(nodes, j, steps, i))) {
        all.push_back({none, j++});
      } else {
        all.push_back({i++, none});
      }
    }
    return all;
  }

  /// True if most ranks that show both a node and a step, each the same time as here, have the node
  /// first: there are runs with each two of three dimensions, none with all.
  [[nodiscard]] bool precedes(const std::vector<Node>& nodes, std::size_t node,
                              const std::vector<Step>& steps, std::size_t step) const {
    if (steps[step].loop || nodes[node].count > 0) {
      return false;
    }
    const Step one = step_of(nodes[node]);
    const auto before = [this](const Step& each, const auto& all, std::size_t end) {
      return std::count_if(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(end),
                           [&](const auto& other) { return score(each, other) > 0; });
    };
    const auto ones = before(one, nodes, node);
    const auto others = before(steps[step], steps, step);
    int votes = 0;
    for (const Sequence& each : all_) {
      votes += RankMerger(runs_, all_, each).votes(each.nodes, one, ones, steps[step], others);
    }
    return votes > 0;
  }

  /// Sequences of nodes in which one step, after `ones` like it, precedes the other, after
  /// `others`, less those in which it follows.
  [[nodiscard]] int votes(const std::vector<Node>& nodes, const Step& one, std::ptrdiff_t ones,
                          const Step& other, std::ptrdiff_t others) const {
    int sum = 0;
    std::size_t first = none;
    std::size_t second = none;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (nodes[i].count > 0) {
        sum += votes(nodes[i].body, one, ones, other, others);
      } else if (score(one, nodes[i]) > 0) {
        first = ones-- == 0 ? i : first;
      } else if (score(other, nodes[i]) > 0) {
        second = others-- == 0 ? i : second;
      }
    }
    return first == none || second == none ? sum : sum + (first < second ? 1 : -1);
  }

  /// How many steps from i on node j matches best, and how well these and all behind do: one, or
  /// several loops, each with as many of its iterations. Sweeps from all corners are one loop of a
  /// process that has no neighbours.
  [[nodiscard]] static std::pair<std::int64_t, int> matched(const Scores& scores, std::size_t i,
                                                            const std::vector<Node>& nodes,
                                                            std::size_t j) {
    std::pair<std::int64_t, int> best{1, 0};
    int sum = 0;
    for (std::int64_t parts = 1;
         j < nodes.size() && parts <= std::max<std::int64_t>(nodes[j].count, 1) &&
         i < scores.one.size() && scores.one[i][j] > 0;
         ++parts) {
      sum += scores.one[i++][j];
      if (nodes[j].count % parts == 0 && sum + scores.all[i][j + 1] > best.second) {
        best = {parts, sum + scores.all[i][j + 1]};
      }
    }
    return best;
  }

  [[nodiscard]] Scores scores(const std::vector<Step>& steps,
                              const std::vector<Node>& nodes) const {
    Scores found{{}, {steps.size() + 1, std::vector<int>(nodes.size() + 1)}};
    for (const Step& step : steps) {
      std::vector<int>& row = found.one.emplace_back();
      for (const Node& node : nodes) {
        row.push_back(score(step, node));
      }
    }
    for (std::size_t i = steps.size(); i-- > 0;) {
      for (std::size_t j = nodes.size(); j-- > 0;) {
        found.all[i][j] = std::max(
            {found.all[i + 1][j], found.all[i][j + 1], matched(found, i, nodes, j).second});
      }
    }
    return found;
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

  template <class Set>
  [[nodiscard]] static bool share(const Set& a, const Set& b) {
    return std::any_of(b.begin(), b.end(), [&](const auto& each) { return a.contains(each); });
  }

  [[nodiscard]] static int along(const std::set<Offset>& a, const std::set<Offset>& b) {
    return a.empty() || b.empty() ? 2 : share(a, b) ? 3 : 0;
  }

  [[nodiscard]] int score(const Step& step, const Node& node) const {
    if (step.loop != (node.count > 0)) {
      return 0;
    }
    if (step.loop) {
      return scores(step.body, adapted(step, node).body).all[0][0];
    }
    const Item& one = item(node);
    return step.kind == one.kind && step.operation == one.operation &&
                   share(step.places, one.places)
               ? along(step.offsets, offsets(one))
               : 0;
  }

  [[nodiscard]] static int score(const Step& one, const Step& other) {
    return !one.loop && !other.loop && one.kind == other.kind && one.operation == other.operation &&
                   share(one.places, other.places)
               ? along(one.offsets, other.offsets)
               : 0;
  }

  /// The loop, or several of its iterations in one if the step's body then has more of them, no
  /// more than needed: one that does the same in all directions repeats where others do not, and
  /// one without neighbours where messages stand between its operations.
  [[nodiscard]] Node adapted(const Step& step, const Node& loop) const {
    const auto most = static_cast<std::int64_t>(step.body.size() / loop.body.size());
    Node best = loop;
    int best_score = most > 1 ? scores(step.body, loop.body).all[0][0] : 0;
    for (std::int64_t factor = 2; factor <= most; ++factor) {
      if (loop.count % factor != 0) {
        continue;
      }
      Node longer = unrolled(loop, factor);
      if (const int score = scores(step.body, longer.body).all[0][0]; score > best_score) {
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

double seconds_of(const Step& step) {
  double seconds = 0.0;
  for (const Step& each : step.body) {
    seconds += seconds_of(each);
  }
  for (const Instance& instance : step.instances) {
    for (const Occurrence& each : instance.occurrences) {
      seconds += each.gap;
    }
  }
  return seconds;
}

const Step* main_loop(const std::vector<Step>& steps) {
  const Step* found = nullptr;
  double most = 0.0;
  for (const Step& step : steps) {
    if (const double seconds = step.loop ? seconds_of(step) : 0.0; seconds > most) {
      found = &step;
      most = seconds;
    }
  }
  return found;
}

const Step& first_of(const Step& step) {
  return step.loop && !step.body.empty() ? first_of(step.body.front()) : step;
}

std::string places_text(const Runs& runs, const Step& step) {
  // Calls of a library stand at the line that called it.
  std::set<std::string> texts;
  for (const std::int32_t place : first_of(step).places) {
    const std::string& each = runs.places.texts[static_cast<std::size_t>(place)];
    texts.insert(each.substr(0, each.find(record::through)));
  }
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
