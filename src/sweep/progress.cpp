#include "progress.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cstdio>

namespace gridcast::sweep {
namespace {

constexpr double terminal_period = 0.25;
constexpr double line_period = 60.0;
constexpr double sample_period = 0.5;
constexpr double meter_window = 30.0;

std::string duration_text(double seconds) {
  const auto whole = static_cast<std::int64_t>(seconds + 0.5);
  constexpr std::int64_t minute = 60;
  constexpr std::int64_t hour = 3600;
  if (whole < minute) {
    return fmt::format("{} s", whole);
  }
  if (whole < hour) {
    return fmt::format("{} min {:02} s", whole / minute, whole % minute);
  }
  return fmt::format("{} h {:02} min", whole / hour, whole % hour / minute);
}

}  // namespace

void RateMeter::add(double now, std::uint64_t evaluated) {
  samples_.push_back({now, evaluated});
  while (samples_.size() > 2 && now - samples_[1].time >= meter_window) {
    samples_.pop_front();
  }
}

double RateMeter::rate() const noexcept {
  if (samples_.size() < 2 || samples_.back().time <= samples_.front().time) {
    return 0.0;
  }
  return static_cast<double>(samples_.back().evaluated - samples_.front().evaluated) /
         (samples_.back().time - samples_.front().time);
}

std::string progress_text(const ProgressState& state, double rate) {
  std::string text = fmt::format("{}", state.evaluated);
  if (state.total) {
    const double share = *state.total == 0 ? 1.0
                                           : static_cast<double>(state.evaluated) /
                                                 static_cast<double>(*state.total);
    text += fmt::format(" of {} grids ({:.0f} %)", *state.total, 100.0 * share);
  } else {
    text += " grids";
  }
  if (rate > 0.0) {
    text += fmt::format(", {:.3g}/s", rate);
    if (state.total && *state.total > state.evaluated) {
      text += ", " + duration_text(static_cast<double>(*state.total - state.evaluated) / rate) +
              " left";
    }
  }
  if (state.failed > 0) {
    text += fmt::format(", {} failed", state.failed);
  }
  if (state.best) {
    text += fmt::format(", best {}: {:.6g} s", state.best->grid.text(), state.best->execution_time);
  }
  return text;
}

Progress::Progress(ProgressMode mode)
    : shown_(mode == ProgressMode::always ||
             (mode == ProgressMode::automatic && spdlog::should_log(spdlog::level::info))),
      terminal_(mode == ProgressMode::always || ::isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() { clear(); }

void Progress::update(double now, const ProgressState& state) {
  if (!shown_) {
    return;
  }
  if (!last_shown_) {
    last_shown_ = now;
    last_sample_ = now;
    meter_.add(now, state.evaluated);
    return;
  }
  if (now - last_sample_ >= sample_period) {
    last_sample_ = now;
    meter_.add(now, state.evaluated);
  }
  if (now - *last_shown_ < (terminal_ ? terminal_period : line_period)) {
    return;
  }
  last_shown_ = now;
  const std::string text = progress_text(state, meter_.rate());
  // \033[K: the rest of a longer line before goes away.
  const std::string line = terminal_ ? "\r" + text + "\033[K" : "gridcast: " + text + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
  line_open_ = terminal_;
}

void Progress::clear() {
  if (line_open_) {
    std::fputs("\r\033[K", stderr);
    line_open_ = false;
  }
}

}  // namespace gridcast::sweep
