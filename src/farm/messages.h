#pragma once
/// What travels between a master and its workers: plain structs, one after the other in one message
/// of bytes. Nothing is serialized element by element; all nodes of a job have the same layout of
/// data.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "gridcast/farm/farm.h"
#include "process.h"

namespace gridcast::sweep {

/// Tags; the rest of a message begins with a MessageHeader.
inline constexpr int tag_to_worker = 71;
inline constexpr int tag_to_master = 72;
inline constexpr int tag_pulse = 73;     ///< pulses.h
inline constexpr int tag_exchange = 74;  ///< exchange.h

enum class MessageKind : std::uint32_t {
  hello,    ///< both ways, first: who the sender is
  batch,    ///< to a worker or group master: tasks
  stop,     ///< to a worker or group master: drop what was not begun
  leave,    ///< to any rank, last: leave with exit code `code`
  results,  ///< to a master: results of the next tasks of batch `id`
  dropped,  ///< to a master, last, after stop: nothing is in hand any more
  bundle,   ///< a group master to rank 0: results of several workers
  gave_up,  ///< a group master to rank 0: task `id` ended or hung the workers that tried it
  lost,     ///< a group master to rank 0: rank `code` is gone
  pulse,    ///< a group master to rank 0: still there
};

struct MessageHeader {
  MessageKind kind = MessageKind::batch;
  std::uint32_t count = 0;        ///< tasks or rows; bundle: workers; lost: suspects
  std::uint64_t id = 0;           ///< of the batch; gave_up: number of the task
  std::uint64_t intervals = 0;    ///< characteristics after the rows
  std::uint32_t reasons = 0;      ///< at the end: cause, length and text of each
  std::int32_t code = 0;          ///< leave: exit code; lost: rank
  std::uint32_t lost_ranks = 0;   ///< leave: whether some rank is gone
  std::uint32_t unreachable = 0;  ///< lost: the rank cannot be ended from there
  double seconds = 0.0;           ///< results: what the evaluation took
};

/// Bytes of a message; reused from message to message.
using Message = std::vector<char>;

/// A message without contents.
void write_message(Message& message, const MessageHeader& header);

/// Who the sender is.
void write_hello(Message& message, const ProcessIdentity& self);

/// A batch for a worker.
void write_batch(Message& message, const Batch& batch);

/// Results of the next tasks of batch `id`.
void write_results(Message& message, std::uint64_t id, const Results& results, double seconds);

/// Results of one worker within a bundle.
struct Part {
  int worker = 0;                      ///< rank that evaluated
  double seconds = 0.0;                ///< that it took
  std::vector<std::uint64_t> numbers;  ///< of the tasks, as rank 0 numbered them
  Results results;
};

/// Collects results of several workers into one message.
class Bundle {
public:
  void add(int worker, std::span<const Task> tasks, const Results& results, double seconds);

  [[nodiscard]] bool empty() const noexcept { return parts_ == 0; }
  [[nodiscard]] std::size_t bytes() const noexcept { return message_.size(); }

  /// The message; the bundle is empty afterwards.
  [[nodiscard]] Message take();

private:
  Message message_;
  std::uint32_t parts_ = 0;
};

/// Hands each part of a bundle to `take`, always the same object. Throws RunError if the message is
/// cut short.
void read_bundle(const Message& message, const std::function<void(const Part&)>& take);

/// That a rank is gone, with the numbers and deaths of its suspects.
void write_lost(Message& message, const LostRank& lost);

/// That a task is given up.
void write_gave_up(Message& message, const Task& task, const std::string& reason);

[[nodiscard]] MessageHeader read_header(const Message& message);

/// Who sent a hello. Throws RunError if the message is cut short.
[[nodiscard]] ProcessIdentity read_hello(const Message& message);

/// The tasks of a batch. Throws RunError if the message is cut short.
[[nodiscard]] std::vector<Task> read_tasks(const Message& message);

/// Replaces `results`. Throws RunError if the message is cut short.
void read_results(const Message& message, Results& results);

/// The rank that is gone. Throws RunError if the message is cut short.
[[nodiscard]] LostRank read_lost(const Message& message);

/// Why a task was given up. Throws RunError if the message is cut short.
[[nodiscard]] std::string read_reason(const Message& message);

}  // namespace gridcast::sweep
