#include "messages.h"

#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

#include "gridcast/base/error.h"

namespace gridcast::sweep {
namespace {

static_assert(std::is_trivially_copyable_v<MessageHeader>);
static_assert(std::is_trivially_copyable_v<ProcessIdentity>);
static_assert(std::is_trivially_copyable_v<store::ResultRow>);
static_assert(std::is_trivially_copyable_v<model::Characteristics>);

template <class T>
void put(Message& message, std::span<const T> values) {
  const std::size_t begin = message.size();
  message.resize(begin + values.size_bytes());
  if (!values.empty()) {
    std::memcpy(message.data() + begin, values.data(), values.size_bytes());
  }
}

/// Reads a message from front to back.
class Cursor {
public:
  explicit Cursor(const Message& message) : message_(&message) {}

  template <class T>
  void take(std::span<T> values) {
    if (values.size_bytes() > message_->size() - position_) {
      throw RunError("MPI message", "is shorter than it says", "use the same program on all nodes");
    }
    if (!values.empty()) {
      std::memcpy(values.data(), message_->data() + position_, values.size_bytes());
    }
    position_ += values.size_bytes();
  }

  template <class T>
  [[nodiscard]] T take() {
    T value{};
    take(std::span<T>(&value, 1));
    return value;
  }

  /// For numbers of elements that come from the message itself.
  template <class T>
  void take(std::vector<T>& values, std::size_t count) {
    if (count > (message_->size() - position_) / sizeof(T)) {
      throw RunError("MPI message", "is shorter than it says", "use the same program on all nodes");
    }
    values.resize(count);
    take(std::span<T>(values));
  }

private:
  const Message* message_;
  std::size_t position_ = 0;
};

/// What precedes the results of one worker in a bundle.
struct PartHeader {
  std::int32_t worker = 0;
  std::uint32_t rows = 0;
  std::uint64_t intervals = 0;
  std::uint64_t reasons = 0;
  double seconds = 0.0;
};
static_assert(std::is_trivially_copyable_v<PartHeader>);

template <class T>
void put_one(Message& message, const T& value) {
  put(message, std::span<const T>(&value, 1));
}

void put_text(Message& message, const std::string& text) {
  put_one(message, static_cast<std::uint64_t>(text.size()));
  put(message, std::span<const char>(text));
}

void take_text(Cursor& cursor, std::string& text) {
  std::vector<char> characters;
  cursor.take(characters, cursor.take<std::uint64_t>());
  text.assign(characters.begin(), characters.end());
}

void put_results(Message& message, const Results& results) {
  put(message, std::span<const store::ResultRow>(results.rows));
  put(message, std::span<const model::Characteristics>(results.intervals));
  for (const Reason& reason : results.reasons) {
    put_one(message, reason.cause);
    put_text(message, reason.text);
  }
}

void take_results(Cursor& cursor, std::size_t rows, std::size_t intervals, std::size_t reasons,
                  Results& results) {
  cursor.take(results.rows, rows);
  cursor.take(results.intervals, intervals);
  results.reasons.resize(reasons);
  for (Reason& reason : results.reasons) {
    reason.cause = cursor.take<store::FailureCause>();
    take_text(cursor, reason.text);
  }
}

}  // namespace

void write_message(Message& message, const MessageHeader& header) {
  message.clear();
  put_one(message, header);
}

void write_hello(Message& message, const ProcessIdentity& self) {
  write_message(message, {.kind = MessageKind::hello});
  put_one(message, self);
}

void write_batch(Message& message, const Batch& batch) {
  MessageHeader header;
  header.kind = MessageKind::batch;
  header.count = static_cast<std::uint32_t>(batch.tasks.size());
  header.id = batch.id;
  write_message(message, header);
  put(message, std::span<const Task>(batch.tasks));
}

void write_results(Message& message, std::uint64_t id, const Results& results, double seconds) {
  MessageHeader header;
  header.kind = MessageKind::results;
  header.count = static_cast<std::uint32_t>(results.rows.size());
  header.id = id;
  header.intervals = results.intervals.size();
  header.reasons = static_cast<std::uint32_t>(results.reasons.size());
  header.seconds = seconds;
  message.clear();
  message.reserve(sizeof(header) + results.rows.size() * sizeof(store::ResultRow) +
                  results.intervals.size() * sizeof(model::Characteristics));
  put_one(message, header);
  put_results(message, results);
}

void Bundle::add(int worker, std::span<const Task> tasks, const Results& results, double seconds) {
  if (message_.empty()) {
    write_message(message_, {.kind = MessageKind::bundle});
  }
  put_one(message_, PartHeader{worker, static_cast<std::uint32_t>(results.rows.size()),
                               results.intervals.size(), results.reasons.size(), seconds});
  for (const Task& task : tasks) {
    put_one(message_, task.number);
  }
  put_results(message_, results);
  ++parts_;
}

Message Bundle::take() {
  MessageHeader header = read_header(message_);
  header.count = std::exchange(parts_, 0);
  std::memcpy(message_.data(), &header, sizeof(header));
  return std::exchange(message_, {});
}

void read_bundle(const Message& message, const std::function<void(const Part&)>& take) {
  Cursor cursor(message);
  const auto header = cursor.take<MessageHeader>();
  Part part;
  for (std::uint32_t i = 0; i < header.count; ++i) {
    const auto sizes = cursor.take<PartHeader>();
    part.worker = sizes.worker;
    part.seconds = sizes.seconds;
    cursor.take(part.numbers, sizes.rows);
    take_results(cursor, sizes.rows, sizes.intervals, sizes.reasons, part.results);
    take(part);
  }
}

void write_lost(Message& message, const LostRank& lost) {
  MessageHeader header;
  header.kind = MessageKind::lost;
  header.count = static_cast<std::uint32_t>(lost.suspects.size());
  header.code = lost.rank;
  header.unreachable = lost.unreachable ? 1 : 0;
  write_message(message, header);
  put(message, std::span<const Task>(lost.suspects));
  put_text(message, lost.reason);
}

void write_gave_up(Message& message, const Task& task, const std::string& reason) {
  write_message(message, {.kind = MessageKind::gave_up, .id = task.number});
  put_text(message, reason);
}

MessageHeader read_header(const Message& message) { return Cursor(message).take<MessageHeader>(); }

ProcessIdentity read_hello(const Message& message) {
  Cursor cursor(message);
  static_cast<void>(cursor.take<MessageHeader>());
  return cursor.take<ProcessIdentity>();
}

std::vector<Task> read_tasks(const Message& message) {
  Cursor cursor(message);
  const auto header = cursor.take<MessageHeader>();
  std::vector<Task> tasks;
  cursor.take(tasks, header.count);
  return tasks;
}

void read_results(const Message& message, Results& results) {
  Cursor cursor(message);
  const auto header = cursor.take<MessageHeader>();
  take_results(cursor, header.count, header.intervals, header.reasons, results);
}

LostRank read_lost(const Message& message) {
  Cursor cursor(message);
  const auto header = cursor.take<MessageHeader>();
  LostRank lost;
  lost.rank = header.code;
  lost.unreachable = header.unreachable != 0;
  cursor.take(lost.suspects, header.count);
  take_text(cursor, lost.reason);
  return lost;
}

std::string read_reason(const Message& message) {
  Cursor cursor(message);
  static_cast<void>(cursor.take<MessageHeader>());
  std::string reason;
  take_text(cursor, reason);
  return reason;
}

}  // namespace gridcast::sweep
