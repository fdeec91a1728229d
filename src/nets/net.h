#pragma once
/// Stochastic place/transition nets: what a program can do next, and how often it does it in the
/// long run ([PetriNets], docs/analysis.md).

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

namespace gridcast::nets {

/// A marking has at most so many tokens in a place, and so much an arc weighs.
inline constexpr std::int32_t most_tokens = 1'000'000'000;

/// A place with its tokens at the beginning.
struct NetPlace {
  std::string name;
  std::int64_t tokens = 0;
  bool operator==(const NetPlace&) const = default;
};

/// An arc between a transition and a place.
struct NetArc {
  std::size_t place = 0;
  std::int64_t weight = 1;
  bool operator==(const NetArc&) const = default;
};

/// A transition: takes tokens, and after an exponentially distributed time gives others.
struct NetTransition {
  std::string name;
  double rate = 1.0;  ///< per second, while it is enabled
  std::vector<NetArc> takes;
  std::vector<NetArc> gives;
  bool operator==(const NetTransition&) const = default;
};

/// A place/transition net with rates; places and transitions are referred to by index.
struct Net {
  std::string name;
  std::vector<NetPlace> places;
  std::vector<NetTransition> transitions;
  bool operator==(const Net&) const = default;

  std::size_t add_place(std::string name, std::int64_t tokens = 0);
  std::size_t add_transition(std::string name, double rate);
};

/// Tokens of all places.
using Marking = std::vector<std::int32_t>;

/// A step from one marking to another.
struct NetStep {
  std::size_t from = 0;
  std::size_t transition = 0;
  std::size_t to = 0;
};

/// Everything that a net can come to.
struct Reachable {
  std::vector<Marking> markings;  ///< the first is the initial one
  std::vector<NetStep> steps;     ///< by `from`
  std::size_t dead = 0;           ///< markings in which nothing can happen
};

/// Throws InputError if there are more than `most` markings (an unbounded net, or a large one).
[[nodiscard]] Reachable reachable_markings(const Net& net, std::size_t most = 100'000);

/// What a net does in the long run.
struct SteadyState {
  std::vector<double> probabilities;  ///< of the markings
  std::vector<double> mean_tokens;    ///< of the places
  std::vector<double> throughput;     ///< of the transitions, per second
  std::vector<double> enabled;        ///< of the transitions, share of the time
  double mean_concurrency = 0.0;      ///< transitions that are enabled at a time
  std::size_t most_concurrency = 0;
};

/// Solves the balance equations of the Markov chain of the markings (Eigen's sparse LU). Throws
/// InputError if the chain has no unique steady state: a dead marking, or parts that are left for
/// good in more than one way.
[[nodiscard]] SteadyState steady_state(const Net& net, const Reachable& reachable);

/// PNML of a place/transition net (ISO/IEC 15909-2); rates are kept as tool-specific parts.
void write_pnml(std::ostream& out, const Net& net);
/// Reads PNML: places, transitions, arcs, and rates that gridcast wrote (else 1). Throws
/// InputError.
[[nodiscard]] Net read_pnml(const std::filesystem::path& path);

}  // namespace gridcast::nets
