#include "progress.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "gridcast/base/readable.h"

namespace gridcast::sweep {
namespace {

constexpr double terminal_period = 0.25;
constexpr double line_period = 60.0;
constexpr double told_period = 1.0;
constexpr double sample_period = 0.5;
constexpr double meter_window = 30.0;

std::string duration_text(double seconds) {
  const auto whole = std::llround(seconds);
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

/// Of a search with bounds, candidates that need no look any more count as done.
std::optional<double> share_done(const ProgressState& state) {
  const auto share = [](std::uint64_t done, std::uint64_t all) {
    return all == 0 ? 1.0 : std::min(1.0, static_cast<double>(done) / static_cast<double>(all));
  };
  if (state.total) {
    return share(state.evaluated, *state.total);
  }
  if (const std::optional<search::Proof>& proof = state.proof) {
    const std::uint64_t done = proof->evaluated + proof->excluded + proof->left;
    return share(done, done + proof->open);
  }
  return std::nullopt;
}

/// The best so far and what is proven of it.
std::string answer_of(const ProgressState& state) {
  std::vector<std::string> parts;
  if (state.best) {
    parts.push_back(fmt::format("best {}: {}", state.best->grid.text(),
                                seconds_text(state.best->execution_time)));
  }
  if (const std::optional<search::Proof>& proof = state.proof) {
    if (proof->gap && std::isfinite(*proof->gap)) {
      parts.push_back(fmt::format("gap {:.2f} %", 100.0 * *proof->gap));
    }
    parts.push_back(counted(static_cast<std::int64_t>(proof->open), "grid") + " open");
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

void RateMeter::add(double now, double done) {
  samples_.push_back({now, done});
  while (samples_.size() > 2 && now - samples_[1].time >= meter_window) {
    samples_.pop_front();
  }
}

double RateMeter::rate() const noexcept {
  if (samples_.size() < 2 || samples_.back().time <= samples_.front().time) {
    return 0.0;
  }
  return (samples_.back().done - samples_.front().done) /
         (samples_.back().time - samples_.front().time);
}

store::RunProgress progress_of(const ProgressState& state, double rate, double work_rate) {
  const std::optional<double> share = share_done(state);
  std::string text = fmt::format("{}", state.evaluated);
  if (state.total) {
    text += fmt::format(" of {} grids ({:.0f} %)", *state.total, 100.0 * *share);
  } else {
    text += " grids";
  }
  if (rate > 0.0) {
    text += fmt::format(", {:.3g}/s", rate);
  }
  if (state.work_left && *state.work_left > 0.0 && work_rate > 0.0) {
    text += ", " + duration_text(*state.work_left / work_rate) + " left";
  }
  if (state.failed > 0) {
    text += fmt::format(", {} failed", state.failed);
  }
  return {share, text, answer_of(state)};
}

Progress::Progress(ProgressMode mode)
    : shown_(mode == ProgressMode::always ||
             (mode == ProgressMode::automatic && spdlog::should_log(spdlog::level::info))),
      terminal_(mode == ProgressMode::always || ::isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() { clear(); }

std::optional<store::RunProgress> Progress::update(double now, const ProgressState& state) {
  if (!last_sample_ || now - *last_sample_ >= sample_period) {
    sample(now, state);
  }
  if (shown_) {
    show(now, state);
  }
  if (last_told_ && now - *last_told_ < told_period) {
    return std::nullopt;
  }
  last_told_ = now;
  return progress_of(state, grids_.rate(), work_.rate());
}

void Progress::show(double now, const ProgressState& state) {
  if (!last_shown_) {
    last_shown_ = now;
  }
  if (now - *last_shown_ < (terminal_ ? terminal_period : line_period)) {
    return;
  }
  last_shown_ = now;
  const std::string text = store::progress_text(progress_of(state, grids_.rate(), work_.rate()));
  // \033[K: the rest of a longer line before goes away.
  const std::string line = terminal_ ? "\r" + text + "\033[K" : "gridcast: " + text + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
  line_open_ = terminal_;
}

void Progress::sample(double now, const ProgressState& state) {
  last_sample_ = now;
  grids_.add(now, static_cast<double>(state.evaluated));
  work_.add(now, state.work_done);
}

void Progress::clear() {
  if (line_open_) {
    std::fputs("\r\033[K", stderr);
    line_open_ = false;
  }
}

}  // namespace gridcast::sweep
