#include "gridcast/base/json_writer.h"

#include <cmath>
#include <ostream>
#include <string>

#include "gridcast/base/contract.h"
#include "gridcast/base/printable.h"
#include "gridcast/base/readable.h"

namespace gridcast {

void JsonWriter::begin_object(Layout layout) { begin('{', layout); }
void JsonWriter::end_object() { end('}'); }
void JsonWriter::begin_array(Layout layout) { begin('[', layout); }
void JsonWriter::end_array() { end(']'); }

void JsonWriter::key(std::string_view name) {
  expects(!after_key_, "a value follows each key");
  separate();
  put_quoted(name);
  put(compact() ? ":" : ": ");
  after_key_ = true;
}

void JsonWriter::string(std::string_view text) {
  before_value();
  put_quoted(text);
}

void JsonWriter::number(double value) {
  before_value();
  if (!std::isfinite(value)) {
    put("null");
    return;
  }
  std::string text = exact(value);
  // Readers that tell integers from reals keep the type, and the sign of zero.
  if (text.find_first_of(".e") == std::string::npos) {
    text += ".0";
  }
  put(text);
}

void JsonWriter::integer(std::int64_t value) {
  before_value();
  put(std::to_string(value));
}

void JsonWriter::boolean(bool value) {
  before_value();
  put(value ? "true" : "false");
}

void JsonWriter::null() {
  before_value();
  put("null");
}

void JsonWriter::text_or_null(std::string_view name, std::string_view text) {
  key(name);
  if (text.empty()) {
    null();
  } else {
    string(text);
  }
}

void JsonWriter::begin(char bracket, Layout layout) {
  before_value();
  out_.put(bracket);
  levels_.push_back({compact() ? Layout::compact : layout});
}

void JsonWriter::end(char bracket) {
  expects(!levels_.empty(), "containers are closed as often as opened");
  const Level level = levels_.back();
  levels_.pop_back();
  if (level.layout == Layout::lines && !level.empty) {
    new_line();
  }
  out_.put(bracket);
}

void JsonWriter::before_value() {
  if (!after_key_) {
    separate();
  }
  after_key_ = false;
}

void JsonWriter::separate() {
  if (levels_.empty()) {
    return;
  }
  Level& level = levels_.back();
  if (!level.empty) {
    put(level.layout == Layout::line ? ", " : ",");
  }
  level.empty = false;
  if (level.layout == Layout::lines) {
    new_line();
  }
}

void JsonWriter::new_line() {
  put("\n");
  for (std::size_t depth = 0; depth < levels_.size(); ++depth) {
    put("  ");
  }
}

void JsonWriter::put(std::string_view text) {
  out_.write(text.data(), static_cast<std::streamsize>(text.size()));
}

void JsonWriter::put_quoted(std::string_view text) { put(json_quoted(text)); }

}  // namespace gridcast
