#include "messages.h"

#include <cstring>
#include <span>
#include <type_traits>

#include "gridcast/error.h"

namespace gridcast::sweep {
namespace {

static_assert(std::is_trivially_copyable_v<MessageHeader>);
static_assert(std::is_trivially_copyable_v<ProcessIdentity>);
static_assert(std::is_trivially_copyable_v<machine::Grid>);
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

}  // namespace

void write_message(Message& message, const MessageHeader& header) {
  message.clear();
  put(message, std::span<const MessageHeader>(&header, 1));
}

void write_hello(Message& message, const ProcessIdentity& self) {
  write_message(message, {.kind = MessageKind::hello});
  put(message, std::span<const ProcessIdentity>(&self, 1));
}

void write_batch(Message& message, const Batch& batch) {
  MessageHeader header;
  header.kind = MessageKind::batch;
  header.count = static_cast<std::uint32_t>(batch.grids.size());
  header.id = batch.id;
  write_message(message, header);
  put(message, std::span<const machine::Grid>(batch.grids));
}

void write_results(Message& message, std::uint64_t id, const Results& results, double seconds) {
  MessageHeader header;
  header.kind = MessageKind::results;
  header.count = static_cast<std::uint32_t>(results.rows.size());
  header.id = id;
  header.intervals = results.intervals.size();
  header.reasons = static_cast<std::uint32_t>(results.reasons.size());
  header.seconds = seconds;
  write_message(message, header);
  put(message, std::span<const store::ResultRow>(results.rows));
  put(message, std::span<const model::Characteristics>(results.intervals));
  for (const std::string& reason : results.reasons) {
    const std::uint64_t length = reason.size();
    put(message, std::span<const std::uint64_t>(&length, 1));
    put(message, std::span<const char>(reason));
  }
}

MessageHeader read_header(const Message& message) {
  MessageHeader header;
  Cursor(message).take(std::span<MessageHeader>(&header, 1));
  return header;
}

ProcessIdentity read_hello(const Message& message) {
  Cursor cursor(message);
  MessageHeader header;
  cursor.take(std::span<MessageHeader>(&header, 1));
  ProcessIdentity process;
  cursor.take(std::span<ProcessIdentity>(&process, 1));
  return process;
}

std::vector<machine::Grid> read_grids(const Message& message) {
  Cursor cursor(message);
  MessageHeader header;
  cursor.take(std::span<MessageHeader>(&header, 1));
  std::vector<machine::Grid> grids;
  cursor.take(grids, header.count);
  return grids;
}

void read_results(const Message& message, Results& results) {
  Cursor cursor(message);
  MessageHeader header;
  cursor.take(std::span<MessageHeader>(&header, 1));
  cursor.take(results.rows, header.count);
  cursor.take(results.intervals, header.intervals);
  results.reasons.resize(header.reasons);
  for (std::string& reason : results.reasons) {
    std::uint64_t length = 0;
    cursor.take(std::span<std::uint64_t>(&length, 1));
    std::vector<char> text;
    cursor.take(text, length);
    reason.assign(text.begin(), text.end());
  }
}

}  // namespace gridcast::sweep
