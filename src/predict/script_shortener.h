#pragma once
/// Internal: writes the shorter script of ShortenedScript.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "gridcast/rules/repetition.h"
#include "gridcast/rules/script.h"
#include "stretches.h"

namespace gridcast::model {

/// Times that one interval of a shorter script counts in one of the program besides its own.
struct ShortenedTerm {
  std::size_t to = 0, from = 0;
  double factor = 0.0;
};

/// Iterations that were chosen to stand for those of a loop, in groups. What the iterations of a
/// group cost more than their mean is what the differences of their times cost; how much that
/// differs from group to group shows how little it tells of the loop.
struct ShortenedSample {
  static constexpr std::size_t groups = 3;
  static constexpr std::size_t group_size = 4;
  static constexpr std::size_t size = groups * group_size;
  /// Simulated iterations: the sample, its mean and that of each group, the mean of all.
  static constexpr std::size_t simulated = size + groups + 2;

  std::array<std::size_t, size> iterations{};  ///< intervals; the k-th is of group k % groups
  std::array<std::size_t, groups> means{};     ///< intervals
  double count = 0.0;                          ///< of the loop's iterations
};

/// Iterations of a program's loops.
struct ShortenedCounts {
  std::size_t loops = 0;     ///< of which some are left out
  std::size_t left_out = 0;  ///< iterations
  std::size_t left_out_ops = 0;
  std::size_t few = 0;             ///< in full: too few to choose from
  std::size_t uneven = 0;          ///< in full: too different to choose from
  std::size_t unsynchronized = 0;  ///< in full: nothing in them waits for all processors
};

/// What a shorter script tells of the program.
struct Shortening {
  std::vector<ShortenedTerm> terms;
  std::vector<ShortenedSample> samples;
  ShortenedCounts counts;
};

/// Operations of the program go through it in order, loop by loop.
class ScriptShortener {
public:
  explicit ScriptShortener(const Script& script);

  [[nodiscard]] Script script() const { return {tables_, header_}; }
  [[nodiscard]] Shortening take() { return std::move(result_); }

private:
  /// Iterations of a loop, one behind the other.
  struct Iterations;
  using Iteration = std::vector<Op>;
  using Intervals = std::vector<std::uint32_t>;

  /// What is open and under way at a place of the program.
  struct Open {
    Intervals intervals{0};
    UnderWay under_way;

    void follow(const Op& op);
  };

  /// Where an iteration is simulated that counts `factor` times.
  struct Place {
    std::uint32_t interval = none;
    std::map<std::uint32_t, std::uint32_t> nested;  // of the program: what stands for it there
    double factor = 0.0;
  };
  /// Of a loop; one that is in another uses them again and again.
  struct Places {
    Place all, sample;  // means
    std::array<Place, ShortenedSample::size> iterations;
    std::array<Place, ShortenedSample::groups> groups;  // means
  };

  void copy(std::size_t begin, std::size_t end, std::span<const Repetition> loops);
  void copy(std::span<const Op> ops);
  bool shorten(const Repetition& loop, std::span<const Op> ops);
  void sum_up(const Iterations& iterations);
  void sample(const Iterations& iterations, std::span<const std::size_t> order, Places& places);
  void simulate(std::span<const Op> iteration, Place& place, double factor);
  void wait_for_all(const Op& op);
  void interval_op(Op::Kind kind, std::uint32_t interval = none);
  std::uint32_t new_interval(std::uint32_t parent);
  void open(Place& place, double factor);
  std::uint32_t nested(Place& place, std::uint32_t interval);
  void leave_out(const Iterations& iterations, std::size_t simulated);

  std::span<const Op> all_;
  ScriptHeader header_;
  Script::Builder tables_;  // of the shorter script
  Shortening result_;
  std::uint32_t nothing_ = 0;  // a communication that sends nothing
  std::map<const Repetition*, Places> places_;
  Open open_;         // at this place of the program
  Intervals around_;  // of its intervals, those around the loop that is shortened
  Intervals inside_;  // and those that each of its iterations opens before it is cut
};

}  // namespace gridcast::model
