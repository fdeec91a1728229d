#pragma once
/// Values as bytes and back. Both classes take the same calls, so that one function says how
/// something is written and read.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace gridcast::store {

class ByteWriter {
public:
  /// A number, an enumerator, a truth value.
  template <typename Value>
  void value(const Value& number) {
    static_assert(std::is_arithmetic_v<Value> || std::is_enum_v<Value>);
    append(std::as_bytes(std::span(&number, 1)));
  }
  void text(const std::string& text) {
    value(static_cast<std::uint64_t>(text.size()));
    append(std::as_bytes(std::span(text)));
  }
  /// `each` is called with each value.
  template <typename Value, typename Each>
  void list(const std::vector<Value>& values, Each&& each) {
    value(static_cast<std::uint64_t>(values.size()));
    for (const Value& one : values) {
      each(one);
    }
  }
  [[nodiscard]] const std::vector<std::byte>& bytes() const noexcept { return bytes_; }

private:
  void append(std::span<const std::byte> bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  std::vector<std::byte> bytes_;
};

/// Gives zeros and empty texts once the bytes do not suffice; `failed` tells.
class ByteReader {
public:
  explicit ByteReader(std::span<const std::byte> bytes) noexcept : rest_(bytes) {}

  template <typename Value>
  void value(Value& number) {
    static_assert(std::is_arithmetic_v<Value> || std::is_enum_v<Value>);
    const auto bytes = take(sizeof number);
    number = {};
    if constexpr (std::is_same_v<Value, bool>) {
      number = !bytes.empty() && bytes.front() != std::byte{0};
    } else if (!bytes.empty()) {
      std::memcpy(&number, bytes.data(), sizeof number);
    }
  }
  void text(std::string& text) {
    const auto bytes = take(count());
    text.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  template <typename Value, typename Each>
  void list(std::vector<Value>& values, Each&& each) {
    values.clear();
    for (std::uint64_t left = count(); left > 0 && !failed_; --left) {
      each(values.emplace_back());
    }
  }
  [[nodiscard]] bool failed() const noexcept { return failed_; }

private:
  std::uint64_t count() {
    std::uint64_t number = 0;
    value(number);
    return number;
  }
  std::span<const std::byte> take(std::uint64_t size) {
    failed_ = failed_ || size > rest_.size();
    const auto bytes = rest_.first(failed_ ? 0 : static_cast<std::size_t>(size));
    rest_ = rest_.subspan(bytes.size());
    return bytes;
  }

  std::span<const std::byte> rest_;
  bool failed_ = false;
};

}  // namespace gridcast::store
