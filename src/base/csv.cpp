#include "gridcast/base/csv.h"

#include <charconv>
#include <system_error>

#include "gridcast/base/printable.h"

namespace gridcast {
namespace {

bool reads_as_number(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
  }
  double number = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::string csv_cell(std::string_view text) {
  std::string cell = printable(text);
  const std::size_t first = cell.find_first_not_of(' ');
  if (first != std::string::npos &&
      std::string_view("=+-@").find(cell[first]) != std::string::npos && !reads_as_number(cell)) {
    cell.insert(0, 1, '\'');
  }
  if (cell.find_first_of(",;\"#") == std::string::npos) {
    return cell;
  }
  std::string quoted = "\"";
  for (const char character : cell) {
    quoted += character == '"' ? "\"\"" : std::string(1, character);
  }
  return quoted + '"';
}

}  // namespace gridcast
