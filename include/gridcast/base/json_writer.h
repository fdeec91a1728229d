#pragma once
/// Writes JSON to a stream as it comes, without a document in memory.

#include <cstdint>
#include <iosfwd>
#include <string_view>
#include <vector>

namespace gridcast {

/// How the elements of an object or array are set: each on its own line, or all on one.
enum class Layout : std::uint8_t { lines, line };

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
  void integer(std::int64_t value);
  void boolean(bool value);
  void null();

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
  void new_line();
  void put(std::string_view text);
  void put_quoted(std::string_view text);

  std::ostream& out_;
  std::vector<Level> levels_;
  bool after_key_ = false;
};

}  // namespace gridcast
