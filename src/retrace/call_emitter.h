#pragma once
/// Writes calls of the run-time library with the parameters that the library itself would write
/// (docs/functions.md, "Parameters"). Objects are named by addresses that it hands out.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mapping_text.h"
#include "raw_trace.h"

namespace gridcast::trace {

/// The parameters of one call, as lines.
class Lines {
public:
  Lines& number(std::string_view name, std::int64_t value);
  Lines& address(std::string_view name, std::uint64_t value);
  Lines& text(std::string_view words);
  /// NAME[0]=…; NAME[1]=…; on a line of its own.
  Lines& list(std::string_view name, const std::vector<std::int64_t>& values);
  /// The same with real numbers, over several lines if there are many.
  Lines& reals(std::string_view name, const std::vector<double>& values);
  Lines& end_line();

  [[nodiscard]] const std::string& str() const noexcept { return text_; }

private:
  std::string text_;
};

/// An object as the parameters of calls name it.
struct ArrayName {
  std::uint64_t header = 0;
  std::uint64_t handle = 0;
};

/// What an array or loop is laid over.
struct PatternName {
  bool is_array = false;
  std::uint64_t reference = 0;  ///< template or array handle
  std::uint64_t header = 0;     ///< of an array
};

/// A trace of more calls takes gigabytes as text, and predictions as long as a user waits.
inline constexpr std::size_t most_calls = 4'000'000;

class CallEmitter {
public:
  /// `file` stands in all events, `description` in messages; `overhead`: seconds inside each call.
  CallEmitter(TraceWriter& writer, std::string description, std::string file, double overhead)
      : writer_(writer),
        description_(std::move(description)),
        file_(std::move(file)),
        overhead_(overhead) {}

  /// The line of the description that the following calls come from.
  void set_line(std::uint32_t line) { line_ = line; }
  [[nodiscard]] std::uint32_t line() const noexcept { return line_; }
  /// Where the following calls are in the program that is described; no file: in the description.
  void set_place(std::string file, std::uint32_t line) {
    place_file_ = std::move(file);
    place_line_ = line;
  }

  /// Computation before the next call, seconds.
  void compute(double seconds) { pending_ += seconds; }
  [[nodiscard]] double pending() const noexcept { return pending_; }

  void call(std::string_view function, const Lines& parameters = {}, const Lines& results = {});
  /// With `seconds` inside the call instead of the overhead. Throws InputError for times that no
  /// reader takes, and for more calls than `most_calls`.
  void call_lasting(double seconds, std::string_view function, const Lines& parameters,
                    const Lines& results);

  /// A new address; addresses after a mark are handed out again when it is restored, so that equal
  /// iterations make equal calls.
  [[nodiscard]] std::uint64_t new_address() { return next_ += 0x20; }
  /// An address that stays taken, outside of what marks restore.
  [[nodiscard]] std::uint64_t new_lasting_address() { return lasting_ += 0x20; }
  [[nodiscard]] std::uint64_t mark() const noexcept { return next_; }
  void restore(std::uint64_t mark) { next_ = mark; }

  // --- objects
  /// `periodic`: 1 for each dimension whose ends are neighbours; empty: none is.
  std::uint64_t create_template(const Extents& extents, const Extents& periodic = {});
  void distribute(std::uint64_t target, std::size_t rank, std::uint64_t system,
                  const std::vector<std::int64_t>& axes);
  ArrayName create_array(const Extents& extents, std::int64_t element_size, const Extents& low,
                         const Extents& high);
  void align(const ArrayName& array, const PatternName& pattern, const MappingText& rule);
  void realign(const ArrayName& array, const PatternName& pattern, const MappingText& rule,
               bool new_values);
  void map_loop(std::uint64_t loop, const PatternName& pattern, const MappingText& rule,
                const std::vector<IndexRange>& ranges);

  // --- shadow edges
  void create_shadow_group(std::uint64_t reference);
  /// `edge_bytes`: of an element, as far as it travels; 0: all of it.
  void insert_shadow(std::uint64_t group, const ArrayName& array, const Extents& low,
                     const Extents& high, bool corners, std::int64_t edge_bytes = 0);

  [[nodiscard]] std::size_t calls() const noexcept { return calls_; }
  [[nodiscard]] double duration() const noexcept { return duration_; }

private:
  TraceWriter& writer_;
  std::string description_, file_;
  double overhead_;
  std::uint32_t line_ = 1;
  std::string place_file_;
  std::uint32_t place_line_ = 0;
  double pending_ = 0.0;
  std::uint64_t next_ = 0x10000000;
  std::uint64_t lasting_ = 0x7f0000000000;
  std::size_t calls_ = 0;
  double duration_ = 0.0;
};

}  // namespace gridcast::trace
