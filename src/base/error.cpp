#include "gridcast/base/error.h"

#include <utility>

#include "gridcast/base/printable.h"

namespace gridcast {
namespace {

/// On one line whatever the pieces hold: they quote what stands in files.
std::string message(std::string_view place, std::string_view problem, std::string_view remedy) {
  std::string text;
  if (!place.empty()) {
    text.append(place).append(": ");
  }
  text.append(problem);
  if (!remedy.empty()) {
    text.append(" (").append(remedy).append(")");
  }
  return printable(text);
}

std::string place_of(const std::string& file, std::size_t line) {
  return line == 0 ? file : file + ":" + std::to_string(line);
}

}  // namespace

InputError::InputError(std::string file, std::size_t line, std::string problem, std::string remedy)
    : std::runtime_error(message(place_of(file, line), problem, remedy)),
      file_(std::move(file)),
      line_(line),
      problem_(std::move(problem)),
      remedy_(std::move(remedy)) {}

InputError::InputError(std::string problem, std::string remedy)
    : InputError({}, 0, std::move(problem), std::move(remedy)) {}

RunError::RunError(std::string_view place, std::string_view problem, std::string_view remedy)
    : std::runtime_error(message(place, problem, remedy)) {}

}  // namespace gridcast
