#include "gridcast/nets/net.h"

#include <Eigen/Sparse>
#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <map>

#include "gridcast/base/error.h"

namespace gridcast::nets {
namespace {

bool is_enabled(const NetTransition& transition, const Marking& marking) {
  return std::ranges::all_of(transition.takes,
                             [&](const NetArc& arc) { return marking[arc.place] >= arc.weight; });
}

Marking fired(const NetTransition& transition, Marking marking) {
  for (const NetArc& arc : transition.takes) {
    marking[arc.place] -= static_cast<std::int32_t>(arc.weight);
  }
  for (const NetArc& arc : transition.gives) {
    marking[arc.place] += static_cast<std::int32_t>(arc.weight);
  }
  return marking;
}

/// Markings from which every marking that they lead to leads back: of such parts exactly one must
/// exist. Finds them as strongly connected components without a way out (Tarjan's method, with a
/// stack of its own).
class ClosedParts {
public:
  ClosedParts(std::size_t markings, const std::vector<NetStep>& steps)
      : next_(markings), index_(markings, none), low_(markings, 0), part_(markings, none) {
    for (const NetStep& step : steps) {
      next_[step.from].push_back(step.to);
    }
  }

  std::size_t count() {
    for (std::size_t i = 0; i < next_.size(); ++i) {
      if (index_[i] == none) {
        visit(i);
      }
    }
    std::vector<bool> open(parts_, false);
    for (std::size_t i = 0; i < next_.size(); ++i) {
      for (const std::size_t to : next_[i]) {
        open[part_[i]] = open[part_[i]] || part_[to] != part_[i];
      }
    }
    return static_cast<std::size_t>(std::ranges::count(open, false));
  }

private:
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  void visit(std::size_t root) {
    std::vector<std::pair<std::size_t, std::size_t>> path{{root, 0}};
    open(root);
    while (!path.empty()) {
      auto& [at, edge] = path.back();
      if (edge < next_[at].size()) {
        const std::size_t to = next_[at][edge++];
        if (index_[to] == none) {
          open(to);
          path.emplace_back(to, 0);
        } else if (part_[to] == none) {
          low_[at] = std::min(low_[at], index_[to]);
        }
        continue;
      }
      close(at);
      const std::size_t done = at;
      path.pop_back();
      if (!path.empty()) {
        low_[path.back().first] = std::min(low_[path.back().first], low_[done]);
      }
    }
  }

  void open(std::size_t marking) {
    index_[marking] = low_[marking] = counter_++;
    stack_.push_back(marking);
  }

  void close(std::size_t marking) {
    if (low_[marking] != index_[marking]) {
      return;
    }
    std::size_t member = none;
    while (member != marking) {
      member = stack_.back();
      stack_.pop_back();
      part_[member] = parts_;
    }
    ++parts_;
  }

  std::vector<std::vector<std::size_t>> next_;
  std::vector<std::size_t> index_, low_, part_, stack_;
  std::size_t counter_ = 0;
  std::size_t parts_ = 0;
};

std::vector<double> solve_balance(const Net& net, const Reachable& reachable) {
  const auto size = static_cast<Eigen::Index>(reachable.markings.size());
  std::vector<Eigen::Triplet<double>> entries;
  double largest = 0.0;
  for (const NetTransition& transition : net.transitions) {
    largest = std::max(largest, transition.rate);
  }
  // Flow in minus flow out of each marking is 0; the last of these equations follows from the
  // others and gives way to: the probabilities sum up to 1.
  for (const NetStep& step : reachable.steps) {
    const double rate = net.transitions[step.transition].rate / largest;
    const auto from = static_cast<Eigen::Index>(step.from);
    const auto to = static_cast<Eigen::Index>(step.to);
    if (from == to) {
      continue;
    }
    if (to != size - 1) {
      entries.emplace_back(to, from, rate);
    }
    if (from != size - 1) {
      entries.emplace_back(from, from, -rate);
    }
  }
  for (Eigen::Index i = 0; i < size; ++i) {
    entries.emplace_back(size - 1, i, 1.0);
  }
  Eigen::SparseMatrix<double> matrix(size, size);
  matrix.setFromTriplets(entries.begin(), entries.end());
  Eigen::SparseLU<Eigen::SparseMatrix<double>> solver;
  solver.compute(matrix);
  Eigen::VectorXd right = Eigen::VectorXd::Zero(size);
  right(size - 1) = 1.0;
  if (solver.info() != Eigen::Success) {
    throw InputError(net.name, 0, "has no steady state", "expected a net that runs on for ever");
  }
  const Eigen::VectorXd solution = solver.solve(right);
  return {solution.data(), solution.data() + size};
}

}  // namespace

std::size_t Net::add_place(std::string name, std::int64_t tokens) {
  places.push_back({std::move(name), tokens});
  return places.size() - 1;
}

std::size_t Net::add_transition(std::string name, double rate) {
  transitions.push_back({std::move(name), rate, {}, {}});
  return transitions.size() - 1;
}

Reachable reachable_markings(const Net& net, std::size_t most) {
  Reachable result;
  std::map<Marking, std::size_t> known;
  Marking initial;
  for (const NetPlace& place : net.places) {
    initial.push_back(static_cast<std::int32_t>(place.tokens));
  }
  known.emplace(initial, 0);
  result.markings.push_back(std::move(initial));
  for (std::size_t at = 0; at < result.markings.size(); ++at) {
    bool moves = false;
    for (std::size_t t = 0; t < net.transitions.size(); ++t) {
      if (!is_enabled(net.transitions[t], result.markings[at])) {
        continue;
      }
      moves = true;
      Marking next = fired(net.transitions[t], result.markings[at]);
      const auto [found, is_new] = known.try_emplace(next, result.markings.size());
      if (is_new) {
        const bool unbounded =
            std::ranges::any_of(next, [](std::int32_t tokens) { return tokens > most_tokens; });
        if (unbounded || result.markings.size() >= most) {
          throw InputError(net.name, 0, "comes to more than " + std::to_string(most) + " markings",
                           "expected a smaller net, or one that is bounded");
        }
        result.markings.push_back(std::move(next));
      }
      result.steps.push_back({at, t, found->second});
    }
    result.dead += moves ? 0 : 1;
  }
  return result;
}

SteadyState steady_state(const Net& net, const Reachable& reachable) {
  if (reachable.dead > 0) {
    throw InputError(net.name, 0,
                     "comes to an end in " + std::to_string(reachable.dead) + " markings",
                     "expected a net that runs on for ever");
  }
  if (ClosedParts(reachable.markings.size(), reachable.steps).count() != 1) {
    throw InputError(net.name, 0, "can go on in more than one way for good",
                     "expected a net with one steady state");
  }
  SteadyState state;
  state.probabilities = solve_balance(net, reachable);
  state.mean_tokens.assign(net.places.size(), 0.0);
  state.enabled.assign(net.transitions.size(), 0.0);
  std::vector<std::size_t> concurrency(reachable.markings.size(), 0);
  for (std::size_t i = 0; i < reachable.markings.size(); ++i) {
    for (std::size_t place = 0; place < net.places.size(); ++place) {
      state.mean_tokens[place] += state.probabilities[i] * reachable.markings[i][place];
    }
  }
  for (const NetStep& step : reachable.steps) {
    state.enabled[step.transition] += state.probabilities[step.from];
    ++concurrency[step.from];
  }
  for (std::size_t t = 0; t < net.transitions.size(); ++t) {
    state.throughput.push_back(state.enabled[t] * net.transitions[t].rate);
    state.mean_concurrency += state.enabled[t];
  }
  state.most_concurrency = *std::ranges::max_element(concurrency);
  return state;
}

}  // namespace gridcast::nets
