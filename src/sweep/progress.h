#pragma once
/// Progress on stderr: one updating line on a terminal, else one line per minute.

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "gridcast/search/best.h"
#include "gridcast/sweep/settings.h"

namespace gridcast::sweep {

/// How far a sweep is.
struct ProgressState {
  std::uint64_t evaluated = 0;
  std::uint64_t failed = 0;
  std::optional<std::uint64_t> total;  ///< grids that will be evaluated, if that is known
  std::optional<search::Outcome> best;
};

/// Estimates the rate from the last half minute.
class RateMeter {
public:
  /// `evaluated` grids at the time `now`, seconds.
  void add(double now, std::uint64_t evaluated);

  /// Grids per second; 0 while unknown.
  [[nodiscard]] double rate() const noexcept;

private:
  struct Sample {
    double time = 0.0;
    std::uint64_t evaluated = 0;
  };
  std::deque<Sample> samples_;
};

/// "1234 of 5678 grids (22 %), 410/s, 11 s left, best 16x16: 0.25 s"; without a known total there
/// is no share and no time left.
[[nodiscard]] std::string progress_text(const ProgressState& state, double rate);

class Progress {
public:
  /// Automatic: shown unless messages of this kind are not wanted (--quiet).
  explicit Progress(ProgressMode mode);
  /// Ends the updating line.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Shows the state if it is time to; `now` in seconds.
  void update(double now, const ProgressState& state);

  /// Removes the updating line, so that something else can be printed.
  void clear();

private:
  bool shown_;
  bool terminal_;
  bool line_open_ = false;
  std::optional<double> last_shown_;
  double last_sample_ = 0.0;
  RateMeter meter_;
};

}  // namespace gridcast::sweep
