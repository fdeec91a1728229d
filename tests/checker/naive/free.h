#pragma once
/// Processes that run free (docs/model.md §10), the naive way: what each does is written down, then
/// every step of time looks at every process, message and port.

#include <map>
#include <string>
#include <vector>

#include "machine.h"

namespace gridcast::naive {

/// What a process does.
struct FreeAct {
  enum class Kind { spend, send, ask, finish } kind = Kind::spend;
  double seconds = 0.0;  ///< also before a message is sent
  int message = -1;
  std::vector<int> sends, asks;  ///< that it waits for
};

/// Of each process, in order.
using FreeActs = std::map<int, std::vector<FreeAct>>;

class FreeRun {
public:
  explicit FreeRun(Machine& machine) : machine_(machine) {}

  int message(int from, int to, double bytes);
  void spend(FreeActs& acts, int p, double seconds) const;
  void send(FreeActs& acts, int m) const;
  void ask(FreeActs& acts, int m) const;
  void finish(FreeActs& acts, int p, std::vector<int> sends, std::vector<int> asks) const;
  void blocking_send(FreeActs& acts, int m) const;
  void blocking_receive(FreeActs& acts, int m) const;
  /// A round in which each does what it has to: a send, a receive, or both at once.
  void round(FreeActs& acts, const std::vector<int>& messages) const;

  /// All receives, all sends; then the waits.
  void exchange(const Transfers& transfers, FreeActs& before, FreeActs& after);
  /// Values of all members, by doubling, rabenseifner, ring or auto.
  void reduce(const std::string& how, const std::vector<int>& members, double bytes,
              FreeActs& acts);

  /// The program of all processes.
  FreeActs program;
  void append(const FreeActs& acts);

  /// When each process is through.
  [[nodiscard]] std::vector<double> clocks();

private:
  struct Message {
    int from = 0, to = 0;
    double bytes = 0.0;
    bool eager = true, detached = true;
    double sent = -1.0, asked = -1.0, enters = -1.0, done = -1.0;
    bool under_way = false;
    double length = 0.0, left = 0.0, rate = 0.0;
  };
  struct Process {
    double clock = 0.0;
    std::size_t next = 0;
  };

  [[nodiscard]] Network& network(const Message& m) const;
  bool run(int p);
  bool finished(Process& me, const FreeAct& act) const;
  void begin_transfers();
  bool enter(double now);
  void rate();

  Machine& machine_;
  std::vector<Message> messages_;
  std::vector<Process> processes_;
};

}  // namespace gridcast::naive
