#pragma once
/// Progress on stderr: one updating line on a terminal, else one line per minute; and for those who
/// watch the store.

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "gridcast/search/strategy.h"
#include "gridcast/store/progress.h"
#include "gridcast/sweep/settings.h"

namespace gridcast::sweep {

/// How far a sweep is.
struct ProgressState {
  std::uint64_t evaluated = 0;
  std::uint64_t failed = 0;
  std::optional<std::uint64_t> total;  ///< grids that will be evaluated, if that is known
  std::optional<search::Outcome> best;
  double work_done = 0.0;                             ///< seconds of all processes, evaluating
  std::optional<double> work_left;                    ///< seconds of one process, if that is known
  std::optional<search::Proof> proof = std::nullopt;  ///< of mode 4
};

/// Estimates the rate of something from the last half minute.
class RateMeter {
public:
  /// So much `done` at the time `now`, seconds.
  void add(double now, double done);

  /// How much is done per second; 0 while unknown.
  [[nodiscard]] double rate() const noexcept;

private:
  struct Sample {
    double time = 0.0;
    double done = 0.0;
  };
  std::deque<Sample> samples_;
};

/// "1234 of 5678 grids (22 %), 410/s, 11 s left" and "best 16x16: 250.0 ms"; of mode 4 "1234 grids,
/// 410/s" and "best 16x16: 250.0 ms, gap 3.10 %, 4444 grids open". `rate`: grids per second;
/// `work_rate`: seconds of evaluation per second, of all processes together. There is no share
/// without a known total or a proof, and no time left without known work.
[[nodiscard]] store::RunProgress progress_of(const ProgressState& state, double rate,
                                             double work_rate);

class Progress {
public:
  /// Automatic: shown unless messages of this kind are not wanted (--quiet).
  explicit Progress(ProgressMode mode);
  /// Ends the updating line.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Shows the state if it is time to; `now` in seconds. Returns it about every second, for those
  /// who watch the store.
  [[nodiscard]] std::optional<store::RunProgress> update(double now, const ProgressState& state);

  /// Removes the updating line, so that something else can be printed.
  void clear();

private:
  bool shown_;
  bool terminal_;
  bool line_open_ = false;
  void sample(double now, const ProgressState& state);
  void show(double now, const ProgressState& state);

  std::optional<double> last_shown_;
  std::optional<double> last_sample_;
  std::optional<double> last_told_;
  RateMeter grids_;
  RateMeter work_;
};

}  // namespace gridcast::sweep
