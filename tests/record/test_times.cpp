/// Times of events: as they are packed, and as they come out.

#include <string>

#include "gridcast/record/packed.h"
#include "recorded.h"

namespace gridcast::record::test {
namespace {

/// The bytes of a word of 24 bits.
std::string word_of(std::uint32_t expected, std::uint32_t duration, std::uint32_t gap) {
  const std::uint32_t word = expected | duration << 1U | gap << 12U;
  return {static_cast<char>(word), static_cast<char>(word >> 8U), static_cast<char>(word >> 16U)};
}

}  // namespace

TEST_CASE("Times have an exponent and a mantissa", "[times]") {
  std::size_t at = 0;
  // Exponent 3 and mantissa 5: (64 + 5) * 4. Exponent 2 and mantissa 1: (128 + 1) * 2.
  const std::optional<PackedEvent> event = unpack(word_of(1, 3 * 64 + 5, 2 * 128 + 1), at);
  REQUIRE(event);
  CHECK(at == 3);
  CHECK(event->expected);
  CHECK(event->duration == 276);
  CHECK(event->gap == 258);
  at = 0;
  const std::optional<PackedEvent> small = unpack(word_of(1, 63, 127), at);
  REQUIRE(small);
  CHECK(small->duration == 63);
  CHECK(small->gap == 127);
  // The longest that is no number of its own: exponent 31, all of the mantissa but one.
  at = 0;
  const std::optional<PackedEvent> large = unpack(word_of(1, 31 * 64 + 62, 31 * 128 + 126), at);
  REQUIRE(large);
  CHECK(large->duration == 126ULL << 30U);
  CHECK(large->gap == 254ULL << 30U);
}

TEST_CASE("Long times and unexpected shapes are numbers behind the word", "[times]") {
  std::size_t at = 0;
  const std::string bytes = word_of(0, 2047, 4095) + "\x85\x02" + "\x81\x80\x01" + "\x07";
  const std::optional<PackedEvent> event = unpack(bytes, at);
  REQUIRE(event);
  CHECK(at == bytes.size());
  CHECK(event->shape == 2 * 128 + 5);
  CHECK(event->duration == 128 * 128 + 1);
  CHECK(event->gap == 7);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    at = 0;
    CHECK_FALSE(unpack(bytes.substr(0, length), at));
  }
}

TEST_CASE("A program that sleeps does so between its calls", "[times]") {
  const Run run("1", {"unusual", "sleep"});
  const Recording recording = run.read();
  const RankRecording& rank = recording.ranks.at(0);
  EventReader events(rank);
  std::vector<Event> all;
  for (Event event; events.next(event);) {
    all.push_back(event);
  }
  REQUIRE(all.size() == 4);
  // Within what a time is rounded to.
  CHECK(all[2].gap >= 0.996 * 0.05);
  CHECK(all[2].gap <= 1.004 * rank.duration);
  CHECK(all[0].duration > 0.0);
}

}  // namespace gridcast::record::test
