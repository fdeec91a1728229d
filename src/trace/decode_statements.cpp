/// Intervals, input and output.

#include <algorithm>
#include <limits>

#include "decode.h"

namespace gridcast::trace::decode {
namespace {

constexpr std::int64_t no_expression = 2'000'000'000;  // README 2
constexpr std::int64_t status_bytes = 4;               // docs/model.md §2.2

Call begin_interval(const Decoding& d, IntervalType type) {
  BeginInterval begun;
  begun.type = type;
  const auto index = d.call.find_integer("index");
  if (index && *index != no_expression) {
    begun.expression = *index;
  }
  return begun;
}

}  // namespace

Call begin_user_interval(Decoding& d) { return begin_interval(d, IntervalType::user); }
Call begin_sequential_interval(Decoding& d) { return begin_interval(d, IntervalType::sequential); }
Call begin_parallel_interval(Decoding& d) { return begin_interval(d, IntervalType::parallel); }
Call end_interval(Decoding& /*d*/) { return EndInterval{}; }

Call input_output(Decoding& /*d*/) {
  return InputOutput{.broadcasts = true, .bytes = status_bytes};
}

Call output_without_result(Decoding& /*d*/) { return InputOutput{}; }

/// dvm_fread: Size * (elements read); dvm_read: bytes read. Into a distributed array only the
/// status is broadcast: docs/model.md §2.2 leaves the distribution of its parts out.
Call read_bytes(Decoding& d) {
  InputOutput made{.broadcasts = true, .bytes = status_bytes};
  if (d.call.find_reference("ArrayHeader") || d.call.find_reference("ArrayHandlePtr")) {
    return made;
  }
  const std::int64_t size = d.call.find_integer("Size").value_or(1);
  const std::int64_t asked = d.call.find_integer("Count").value_or(0);
  const std::int64_t count = d.result.find_integer("Res").value_or(asked);
  if (size > largest_coefficient) {
    d.place().fail("Size is too large", "expected the bytes of one element");
  }
  made.bytes += std::max<std::int64_t>(0, size) * std::max<std::int64_t>(0, count);
  return made;
}

/// srmem_: regions of memory that processor 0 sends to all.
Call share_memory(Decoding& d) {
  InputOutput made{.broadcasts = true, .bytes = 0};
  if (d.call.find_integer("MemoryCount") == 0) {
    return made;
  }
  for (const std::int64_t length : d.call.list("LengthArray")) {
    made.bytes += std::max<std::int64_t>(0, length);
  }
  return made;
}

/// statement_ is no function of the library: descriptions are read as traces that name their
/// statements over blocks by number.
Call run_statement(Decoding& d) {
  const auto number = d.call.find_integer("Statement");
  return RunStatement{static_cast<std::uint32_t>(std::clamp<std::int64_t>(
      number.value_or(-1), -1, std::numeric_limits<std::uint32_t>::max()))};
}

Call begin_io_statement(Decoding& /*d*/) { return BeginIoStatement{}; }
Call end_io_statement(Decoding& /*d*/) { return EndIoStatement{}; }

}  // namespace gridcast::trace::decode
