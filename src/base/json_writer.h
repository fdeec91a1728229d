#pragma once
/// Writes JSON to a stream as it comes, without a document in memory.

#include <concepts>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

namespace gridcast {

/// How the elements of an object or array are set: each on its own line, all on one, or all on one
/// without spaces, those of the containers inside too.
enum class Layout : std::uint8_t { lines, line, compact };

/// A JSON text in the making (RFC 8259, UTF-8). The caller opens and closes containers in pairs and
/// gives a key before each value inside an object.
class JsonWriter {
public:
  explicit JsonWriter(std::ostream& out) : out_(out) {}

  void begin_object(Layout layout);
  void end_object();
  void begin_array(Layout layout);
  void end_array();

  void key(std::string_view name);
  void string(std::string_view text);
  /// Shortest text that reads back as the same double, with ".0" if it would look like an
  /// integer; null if it is not finite.
  void number(double value);
  /// Whole numbers are no reals: integer() writes them.
  template <std::integral Value>
  void number(Value value) = delete;
  void integer(std::int64_t value);
  void boolean(bool value);
  void null();

  /// A key and its value: a truth value, a number, a text or a list of these; null for an optional
  /// without one.
  template <typename Value>
  void member(std::string_view name, const Value& value) {
    key(name);
    put_value(value);
  }
  /// The same; null if the text is empty.
  void text_or_null(std::string_view name, std::string_view text);

private:
  /// An object or array that has begun and not ended.
  struct Level {
    Layout layout;
    bool empty = true;
  };

  void begin(char bracket, Layout layout);
  void end(char bracket);
  void before_value();
  void separate();
  [[nodiscard]] bool compact() const noexcept {
    return !levels_.empty() && levels_.back().layout == Layout::compact;
  }
  void new_line();
  template <typename Value>
  void put_value(const Value& value) {
    if constexpr (std::is_same_v<Value, bool>) {
      boolean(value);
    } else if constexpr (std::is_floating_point_v<Value>) {
      number(value);
    } else if constexpr (std::is_integral_v<Value>) {
      integer(static_cast<std::int64_t>(value));
    } else if constexpr (std::is_convertible_v<const Value&, std::string_view>) {
      string(value);
    } else {
      begin_array(Layout::line);
      for (const auto& each : value) {
        put_value(each);
      }
      end_array();
    }
  }
  template <typename Value>
  void put_value(const std::optional<Value>& value) {
    if (value) {
      put_value(*value);
    } else {
      null();
    }
  }
  void put(std::string_view text);
  void put_quoted(std::string_view text);

  std::ostream& out_;
  std::vector<Level> levels_;
  bool after_key_ = false;
};

}  // namespace gridcast
