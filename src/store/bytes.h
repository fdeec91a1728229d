#pragma once
/// Plain values as bytes, and back with every length checked.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace gridcast::store {

class ByteWriter {
public:
  template <typename Value>
  void add(const Value& value) {
    static_assert(std::is_trivially_copyable_v<Value>);
    const auto bytes = std::as_bytes(std::span(&value, 1));
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  void add_text(std::string_view text) {
    add(static_cast<std::uint64_t>(text.size()));
    const auto bytes = std::as_bytes(std::span(text));
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  [[nodiscard]] const std::vector<std::byte>& bytes() const noexcept { return bytes_; }

private:
  std::vector<std::byte> bytes_;
};

/// Gives zeros and empty texts once the bytes do not suffice; `failed` tells.
class ByteReader {
public:
  explicit ByteReader(std::span<const std::byte> bytes) noexcept : rest_(bytes) {}

  template <typename Value>
  Value take() {
    static_assert(std::is_trivially_copyable_v<Value>);
    Value value{};
    if (const auto bytes = take_bytes(sizeof value); !bytes.empty()) {
      std::memcpy(&value, bytes.data(), sizeof value);
    }
    return value;
  }
  std::string take_text() {
    const auto bytes = take_bytes(take<std::uint64_t>());
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  /// A number of things of which each takes at least `size` bytes.
  std::size_t take_count(std::size_t size) {
    const auto count = take<std::uint64_t>();
    failed_ = failed_ || count > rest_.size() / size;
    return failed_ ? 0 : static_cast<std::size_t>(count);
  }
  [[nodiscard]] bool failed() const noexcept { return failed_; }

private:
  std::span<const std::byte> take_bytes(std::uint64_t size) {
    if (failed_ || size > rest_.size()) {
      failed_ = true;
      return {};
    }
    const auto bytes = rest_.first(static_cast<std::size_t>(size));
    rest_ = rest_.subspan(static_cast<std::size_t>(size));
    return bytes;
  }

  std::span<const std::byte> rest_;
  bool failed_ = false;
};

}  // namespace gridcast::store
