#include "json_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <sstream>
#include <utility>

#include "gridcast/base/printable.h"

namespace gridcast::cli {
std::string json_string(std::string_view text) { return json_quoted(text); }

std::string json_number(double number) {
  return std::isfinite(number) ? fmt::format("{}", number) : "null";
}

std::string json_array(std::span<const std::int64_t> numbers) {
  return fmt::format("[{}]", fmt::join(numbers, ","));
}

std::string json_text(const std::function<void(JsonWriter&)>& write) {
  std::ostringstream out;
  JsonWriter json(out);
  write(json);
  return std::move(out).str();
}

}  // namespace gridcast::cli
