#include "group_commit.h"

#include <signal.h>

#include <utility>

namespace gridcast::store {
namespace {

/// Blocks all signals while it lives; a thread that is started meanwhile gets none, so that they
/// interrupt no sync.
class SignalsBlocked {
public:
  SignalsBlocked() noexcept {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

private:
  sigset_t before_{};
};

}  // namespace

GroupCommit::GroupCommit(std::chrono::milliseconds period) : period_(period) {
  const SignalsBlocked blocked;
  thread_ = std::thread([this] { run(); });
}

GroupCommit::~GroupCommit() {
  {
    const std::lock_guard hold(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void GroupCommit::watch(Sync sync) {
  const std::lock_guard hold(mutex_);
  sync_ = std::move(sync);
  waiting_ = false;
}

void GroupCommit::written() {
  {
    const std::lock_guard hold(mutex_);
    if (failure_) {
      std::rethrow_exception(failure_);
    }
    waiting_ = true;
  }
  changed_.notify_all();
}

void GroupCommit::run() {
  std::unique_lock hold(mutex_);
  while (true) {
    changed_.wait(hold, [this] { return ended_ || waiting_; });
    if (ended_) {
      return;
    }
    waiting_ = false;
    const Sync sync = sync_;
    hold.unlock();
    const auto begin = std::chrono::steady_clock::now();
    std::exception_ptr failure;
    try {
      sync();
    } catch (...) {
      failure = std::current_exception();
    }
    hold.lock();
    if (failure) {
      failure_ = failure;
      return;
    }
    changed_.wait_until(hold, begin + period_, [this] { return ended_; });
  }
}

}  // namespace gridcast::store
