#pragma once
/// From timed messages to the numbers of a network: robust fits with bootstrap intervals, and where
/// one line is not enough (docs/calibration.md).

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gridcast/measure/samples.h"

namespace gridcast::measure {

/// A number with its 95 % bootstrap interval.
struct Estimate {
  double value = 0.0;
  double low = 0.0;
  double high = 0.0;
};

/// Time of one message as start + bytes · per_byte between two sizes.
struct Segment {
  std::int64_t first = 0;  ///< bytes of the first and last size
  std::int64_t last = 0;
  double start = 0.0;     ///< seconds
  double per_byte = 0.0;  ///< seconds per byte
};

/// What messages do that start at once and do not all get through at once.
enum class Waiting : std::uint8_t {
  none,    ///< no number of pairs that was tried had to wait
  shared,  ///< they share the network and arrive together: ports
  queued,  ///< one goes after the other
};

/// The numbers of a network, seconds and seconds per byte (docs/model.md §4).
struct LinkFit {
  Estimate latency;    ///< L
  Estimate send;       ///< o_s
  Estimate receive;    ///< o_r
  Estimate gap;        ///< g; 0 if the overheads hide it
  Estimate per_byte;   ///< G
  Estimate start;      ///< of a message as a whole, for channels: o_s + L + o_r
  double worst = 0.0;  ///< greatest relative error of single messages
  /// Lines that single messages follow; more than one: one line is not enough.
  std::vector<Segment> segments;
  int channels = 1;          ///< messages at once that do not wait for one another
  bool all_at_once = false;  ///< no number of pairs that was tried had to wait
  Waiting waiting = Waiting::none;
};

/// "none", "shared" or "queued".
[[nodiscard]] std::string_view waiting_word(Waiting waiting) noexcept;

/// How intervals are found.
struct BootstrapOptions {
  int samples = 100;
  std::uint64_t seed = 1;
};

/// Fits all numbers. Precondition: at least three sizes of single messages.
[[nodiscard]] LinkFit fit_link(const LinkSamples& samples, const BootstrapOptions& options = {});

/// The fewest lines, at most four with at least three sizes each, that the times of single messages
/// follow (Bayesian information criterion on relative errors of the medians).
[[nodiscard]] std::vector<Segment> segments_of(const std::vector<Sample>& single);

}  // namespace gridcast::measure
