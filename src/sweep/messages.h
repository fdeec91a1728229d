#pragma once
/// What travels between rank 0 and the workers: plain structs, one after the other in one message
/// of bytes. Nothing is serialized element by element; all nodes of a job have the same layout of
/// data.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gridcast/sweep/farm.h"
#include "process.h"

namespace gridcast::sweep {

/// Tags; the rest of a message begins with a MessageHeader.
inline constexpr int tag_to_worker = 71;
inline constexpr int tag_to_master = 72;

enum class MessageKind : std::uint32_t {
  hello,    ///< both ways, first: who the sender is
  batch,    ///< to a worker: grids
  stop,     ///< to a worker: drop what was not begun
  leave,    ///< to a worker, last: leave with exit code `code`
  results,  ///< to rank 0: results of the next grids of batch `id`
  dropped,  ///< to rank 0, last, after stop: nothing is in hand any more
};

struct MessageHeader {
  MessageKind kind = MessageKind::batch;
  std::uint32_t count = 0;       ///< grids or rows
  std::uint64_t id = 0;          ///< of the batch
  std::uint64_t intervals = 0;   ///< characteristics after the rows
  std::uint32_t reasons = 0;     ///< texts at the end, each with its length before it
  std::int32_t code = 0;         ///< leave: exit code
  std::uint32_t lost_ranks = 0;  ///< leave: whether some rank is gone
  std::uint32_t unused = 0;
  double seconds = 0.0;  ///< results: what the evaluation took
};

/// Bytes of a message; reused from message to message.
using Message = std::vector<char>;

/// A message without contents.
void write_message(Message& message, const MessageHeader& header);

/// Who the sender is.
void write_hello(Message& message, const ProcessIdentity& self);

/// A batch for a worker.
void write_batch(Message& message, const Batch& batch);

/// Results of the next grids of batch `id`.
void write_results(Message& message, std::uint64_t id, const Results& results, double seconds);

[[nodiscard]] MessageHeader read_header(const Message& message);

/// Who sent a hello. Throws RunError if the message is cut short.
[[nodiscard]] ProcessIdentity read_hello(const Message& message);

/// The grids of a batch. Throws RunError if the message is cut short.
[[nodiscard]] std::vector<machine::Grid> read_grids(const Message& message);

/// Replaces `results`. Throws RunError if the message is cut short.
void read_results(const Message& message, Results& results);

}  // namespace gridcast::sweep
