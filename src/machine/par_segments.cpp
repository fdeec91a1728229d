// Segments of a network: TStart and TByte by the length of a message.
#include <algorithm>
#include <string>
#include <vector>

#include "gridcast/base/error.h"
#include "par_description.h"
#include "par_tokens.h"

namespace gridcast::machine::par {
namespace {

constexpr double most_microseconds = 1e12;
constexpr std::int64_t most_bytes = std::int64_t{1} << 53;

[[noreturn]] void wrong_segments(const std::string& file, std::size_t line,
                                 const std::string& what) {
  throw InputError(file, line, what,
                   "expected lengths in bytes from 0 on, each with TStart and TByte in "
                   "microseconds, as {0 (0.4, 0.0002), 4096 (4.3, 0.0001)}");
}

Segment segment(const ListEntry& entry, const std::string& subject, const std::string& file) {
  const auto bytes = entry.number ? integer(entry.number->text) : std::nullopt;
  if (!bytes || *bytes < 0 || *bytes > most_bytes || !entry.name.empty() ||
      entry.arguments.size() != 2) {
    wrong_segments(file, entry.line, in_quotes(subject) + " has an entry of another form");
  }
  for (const Number& cost : entry.arguments) {
    if (!(cost.value >= 0.0 && cost.value <= most_microseconds)) {
      wrong_segments(file, entry.line,
                     in_quotes(subject) + " has the cost " + in_quotes(cost.text));
    }
  }
  return {*bytes, entry.arguments[0].value, entry.arguments[1].value};
}

}  // namespace

std::vector<Segment> segments(const Statement& statement, const std::string& file) {
  const auto* list = std::get_if<List>(&statement.value);
  if (list == nullptr) {
    wrong_segments(file, statement.value_line, in_quotes(statement.subject()) + " is no table");
  }
  std::vector<Segment> result;
  result.reserve(list->entries.size());
  for (const ListEntry& entry : list->entries) {
    result.push_back(segment(entry, statement.subject(), file));
  }
  std::ranges::sort(result, {}, &Segment::bytes);
  const auto twice = std::ranges::adjacent_find(result, {}, &Segment::bytes);
  if (twice != result.end()) {
    wrong_segments(
        file, statement.value_line,
        in_quotes(statement.subject()) + " names " + std::to_string(twice->bytes) + " bytes twice");
  }
  if (result.front().bytes != 0) {
    wrong_segments(file, statement.value_line,
                   in_quotes(statement.subject()) + " says nothing of messages below " +
                       std::to_string(result.front().bytes) + " bytes");
  }
  return result;
}

std::string segments_text(const std::vector<Segment>& segments) {
  std::string result;
  for (const Segment& each : segments) {
    result += (result.empty() ? "{" : ", ") + std::to_string(each.bytes) + " (" +
              shortest(each.start_time) + ", " + shortest(each.byte_time) + ")";
  }
  return result + "}";
}

}  // namespace gridcast::machine::par
