#pragma once
/// A thread in every rank that ends its process when the others are gone and nobody says so: MPI
/// itself waits for ever.

#include <pthread.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "gridcast/farm/limits.h"

namespace boost::mpi {
class communicator;
}

namespace gridcast::sweep {

class ProcessWatch;
class Pulses;

/// Watches a rank from before MPI_Init until its end. What it finds wrong ends the process with
/// exit code 1 and one line on stderr, and those that still listen with it. At most one at a time
/// in a process. A process that was stopped itself (SIGSTOP) judges nobody for the time it was.
///
/// While ranks start, every stage must get on: MPI_Init, who is there, reading of rank 0 (it uses
/// processor time), sharing the inputs. From then on rank 0 and each other rank give each other a
/// sign of life (a pulse). Both need MPI_THREAD_MULTIPLE; without it only the stages are watched.
class Watch {
public:
  explicit Watch(const WatchLimits& limits);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  /// That of this process; null without one.
  [[nodiscard]] static Watch* current() noexcept;

  /// MPI is up: rank 0 learns who is there, and pulses begin. All ranks of `world` call it.
  void join(const boost::mpi::communicator& world);

  /// The start gets on, and now comes `stage` ("reading the inputs").
  void begin(const char* stage);

  /// The same for what rank 0 does while the others wait: it gets on as long as rank 0 uses
  /// processor time.
  void begin_reading(const char* stage);

  /// The stage gets on.
  void get_on();

  /// The start is over: what is watched from now on is only that the others are there.
  void started();

  /// The process of another rank; on rank 0 of every one, elsewhere only of rank 0.
  [[nodiscard]] ProcessWatch process_of(int rank);

  /// The rank is known to be gone, and the rest goes on without it.
  void forget(int rank);

  /// Before the end of MPI: waits until rank 0 comes here too, because until then it may be busy
  /// with what it writes. From then on the process ends with `code` when MPI takes longer than a
  /// start may.
  void leave(int code);

  /// The same without waiting.
  void leave_alone(int code);

private:
  enum class Phase { starting, reading, working, leaving, ending };

  void enter(Phase phase, const char* stage);
  void end_listening();
  [[nodiscard]] double pulse_seconds() const;
  void run();
  void listen(double now);
  void judge(double now);
  [[noreturn]] void fail(const std::string& what);
  [[noreturn]] void end_process();

  WatchLimits limits_;
  std::mutex mutex_;
  std::condition_variable wake_;
  Phase phase_ = Phase::starting;
  std::string stage_;
  double got_on_;  ///< when the stage last got on, seconds_now()
  pthread_t main_;
  double used_ = 0.0;  ///< processor time of the main thread when it was last looked at
  int rank_ = 0;
  int code_ = 1;                    ///< of the end that has begun
  bool listens_ = false;            ///< the thread may call MPI
  bool over_ = false;               ///< rank 0 has come to the end
  bool done_ = false;               ///< the thread is to end
  std::unique_ptr<Pulses> pulses_;  ///< kept until the end: messages may be on their way
  std::thread thread_;              ///< last: it uses all others
};

/// Appends a line to the file that a job script named in GRIDCAST_SIGNS, if there is one: "up" when
/// MPI has started, "lost" when the process ends because ranks are gone.
void give_sign(const std::string& text);

}  // namespace gridcast::sweep
