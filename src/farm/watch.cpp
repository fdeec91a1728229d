#include "gridcast/farm/watch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "exchange.h"
#include "gridcast/farm/idle.h"
#include "gridcast/farm/ranks.h"
#include "messages.h"
#include "pulses.h"

namespace gridcast::sweep {
namespace {

/// How often the thread looks.
constexpr std::chrono::milliseconds look_period{200};
/// ... while the end of all depends on it.
constexpr std::chrono::milliseconds leave_period{2};
/// A thread that could not look for so long was stopped: it judges nobody for that time.
constexpr double held_up_seconds = 2.0;
/// Pulses in the time after which a silent rank counts as gone.
constexpr double pulses_per_limit = 8.0;
constexpr double longest_pulse_seconds = 10.0;
/// How long a message that this process ends may take.
constexpr double farewell_seconds = 0.5;
constexpr std::chrono::milliseconds farewell_period{500};

std::atomic<Watch*> watch_of_process{nullptr};

double processor_seconds_of(pthread_t thread) {
  clockid_t clock{};
  timespec time{};
  if (::pthread_getcpuclockid(thread, &clock) != 0 || ::clock_gettime(clock, &time) != 0) {
    return 0.0;
  }
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

void give_sign(const std::string& text) {
  const char* const path = std::getenv("GRIDCAST_SIGNS");  // NOLINT(concurrency-mt-unsafe)
  if (path == nullptr) {
    return;
  }
  const int file = ::open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file >= 0) {
    const std::string line = text + "\n";
    // Who cannot tell the script has told the user.
    [[maybe_unused]] const ssize_t written = ::write(file, line.data(), line.size());
    ::close(file);
  }
}

Watch* Watch::current() noexcept { return watch_of_process; }

Watch::Watch(const WatchLimits& limits)
    : limits_(limits), stage_("MPI_Init"), got_on_(seconds_now()), main_(::pthread_self()) {
  watch_of_process = this;
  thread_ = std::thread([this] { run(); });
}

Watch::~Watch() {
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  wake_.notify_all();
  thread_.join();
  watch_of_process = nullptr;
}

void Watch::enter(Phase phase, const char* stage) {
  phase_ = phase;
  stage_ = stage;
  got_on_ = seconds_now();
}

void Watch::join(const boost::mpi::communicator& world) {
  begin("finding each other");
  Message hello;
  write_hello(hello, this_process());
  std::map<int, ProcessIdentity> others;
  for (const Message& each : collect(world, hello)) {
    others.emplace(static_cast<int>(others.size()), read_hello(each));
  }
  const Message first = hand_out(world, std::move(hello));
  others.emplace(0, read_hello(first));
  const std::lock_guard lock(mutex_);
  rank_ = world.rank();
  if (boost::mpi::environment::thread_level() >= boost::mpi::threading::multiple) {
    others.erase(rank_);
    pulses_ = std::make_unique<Pulses>(world, others);
    listens_ = true;
  }
  got_on_ = seconds_now();
}

void Watch::begin(const char* stage) {
  const std::lock_guard lock(mutex_);
  enter(Phase::starting, stage);
}

void Watch::begin_reading(const char* stage) {
  const std::lock_guard lock(mutex_);
  enter(Phase::reading, stage);
}

void Watch::get_on() {
  const std::lock_guard lock(mutex_);
  got_on_ = seconds_now();
}

void Watch::started() {
  const std::lock_guard lock(mutex_);
  enter(Phase::working, "the work");
}

ProcessWatch Watch::process_of(int rank) {
  const std::lock_guard lock(mutex_);
  return pulses_ ? pulses_->process_of(rank) : ProcessWatch();
}

void Watch::forget(int rank) {
  const std::lock_guard lock(mutex_);
  if (pulses_) {
    pulses_->forget(rank);
  }
}

void Watch::leave(int code) {
  std::unique_lock lock(mutex_);
  code_ = code;
  if (listens_ && rank_ == 0) {
    // A pulse that is still on its way would hold up this one.
    wake_.wait_for(lock, farewell_period, [this] { return pulses_->settled(); });
    pulses_->send(Pulse::over);
  } else if (listens_ && !over_) {
    enter(Phase::leaving, "");
    wake_.notify_all();
    wake_.wait(lock, [this] { return over_; });
  }
  end_listening();
}

void Watch::leave_alone(int code) {
  const std::lock_guard lock(mutex_);
  code_ = code;
  end_listening();
}

/// No call of MPI by the thread any more.
void Watch::end_listening() {
  listens_ = false;
  over_ = false;
  enter(Phase::ending, "");
}

double Watch::pulse_seconds() const {
  double seconds = longest_pulse_seconds;
  for (const double limit : {limits_.start, limits_.peer}) {
    if (limit > 0.0) {
      seconds = std::min(seconds, limit / pulses_per_limit);
    }
  }
  return seconds;
}

void Watch::run() {
  std::unique_lock lock(mutex_);
  double before = seconds_now();
  double last_pulse = 0.0;
  while (!done_) {
    wake_.wait_for(lock, phase_ == Phase::leaving ? leave_period : look_period);
    const double now = seconds_now();
    if (const double away = now - before; away > held_up_seconds) {
      got_on_ += away;
      if (pulses_) {
        pulses_->excuse(away);
      }
    }
    before = now;
    listen(now);
    judge(now);
    if (listens_ && now - last_pulse >= pulse_seconds()) {
      last_pulse = now;
      pulses_->send(rank_ == 0 && phase_ == Phase::reading ? Pulse::reading : Pulse::alive);
    }
  }
}

void Watch::listen(double now) {
  if (!listens_) {
    return;
  }
  pulses_->take(now, [&](Pulse pulse) {
    switch (pulse) {
      case Pulse::alive:
        break;
      case Pulse::reading:
        got_on_ = now;
        break;
      case Pulse::over:
        over_ = true;
        wake_.notify_all();
        break;
      case Pulse::failed:
        end_process();
    }
  });
}

void Watch::judge(double now) {
  if (phase_ == Phase::reading) {
    const double used = processor_seconds_of(main_);
    const bool reads = rank_ == 0 && used > used_;
    used_ = used;
    if (reads || (rank_ != 0 && !listens_)) {
      got_on_ = now;
    }
  }
  const bool in_stages = phase_ != Phase::working && phase_ != Phase::leaving;
  if (in_stages && limits_.start > 0.0 && now - got_on_ > limits_.start) {
    fail(fmt::format("the ranks do not get on with {} for {:g} s (--start-limit)", stage_,
                     limits_.start));
  }
  if (!listens_) {
    return;
  }
  // At work the farm looks after them, and may go on without.
  if (phase_ != Phase::working) {
    if (const std::optional<int> rank = pulses_->find_gone()) {
      fail(fmt::format("rank {} was killed at the start", *rank));
    }
  }
  const double limit = in_stages ? limits_.start : limits_.peer;
  if (const std::optional<int> rank = pulses_->find_silent(now - limit); rank && limit > 0.0) {
    fail(fmt::format("rank {} gives no sign of life for {:g} s ({})", *rank, limit,
                     in_stages ? "--start-limit" : "--peer-limit"));
  }
}

void Watch::fail(const std::string& what) {
  if (phase_ != Phase::leaving && phase_ != Phase::ending) {
    print_line(what);
  }
  if (listens_) {
    // Who still listens need not find out by itself.
    pulses_->send(Pulse::failed);
    const double patience = seconds_now() + farewell_seconds;
    while (!pulses_->settled() && seconds_now() < patience) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  end_process();
}

void Watch::end_process() {
  const bool all_done = phase_ == Phase::leaving || phase_ == Phase::ending;
  if (!all_done) {
    give_sign("lost");
  }
  ::_exit(all_done ? code_ : 1);
}

}  // namespace gridcast::sweep
