#include "call_emitter.h"

#include <array>
#include <charconv>

#include "gridcast/base/error.h"
#include "gridcast/trace/limits.h"

namespace gridcast::trace {
namespace {

Lines pattern_lines(const PatternName& pattern) {
  Lines lines;
  lines.address("PatternRefPtr", pattern.is_array ? pattern.header : pattern.reference)
      .address("PatternRef", pattern.reference)
      .text(pattern.is_array ? "(DisArray);" : "(AMView);");
  return lines;
}

Lines rule_lines(const MappingText& rule) {
  Lines lines;
  lines.list("AxisArray", rule.axes)
      .list("CoeffArray", rule.coefficients)
      .list("ConstArray", rule.constants);
  return lines;
}

}  // namespace

Lines& Lines::number(std::string_view name, std::int64_t value) {
  text_.append(name).append("=").append(std::to_string(value)).append("; ");
  return *this;
}

Lines& Lines::address(std::string_view name, std::uint64_t value) {
  std::array<char, 20> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, 16);
  text_.append(name).append("=").append(digits.data(), end.ptr).append("; ");
  return *this;
}

Lines& Lines::text(std::string_view words) {
  text_.append(words).append(" ");
  return *this;
}

Lines& Lines::list(std::string_view name, const std::vector<std::int64_t>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    text_.append(name).append("[").append(std::to_string(i)).append("]=");
    text_.append(std::to_string(values[i])).append("; ");
  }
  return end_line();
}

Lines& Lines::reals(std::string_view name, const std::vector<double>& values) {
  constexpr std::size_t in_a_line = 8;
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), values[i]);
    text_.append(name).append("[").append(std::to_string(i)).append("] = ");
    text_.append(digits.data(), end.ptr).append("; ");
    if (i % in_a_line == in_a_line - 1 || i + 1 == values.size()) {
      end_line();
    }
  }
  return *this;
}

Lines& Lines::end_line() {
  text_.push_back('\n');
  return *this;
}

void CallEmitter::call(std::string_view function, const Lines& parameters, const Lines& results) {
  call_lasting(overhead_, function, parameters, results);
}

void CallEmitter::call_lasting(double seconds, std::string_view function, const Lines& parameters,
                               const Lines& results) {
  if (!(pending_ <= longest_time && seconds <= longest_time)) {
    throw InputError(description_, line_, "a call takes longer than a run can",
                     "expected times up to 1e12 s before and in a call");
  }
  if (calls_ == most_calls) {
    throw InputError(description_, line_, "the program makes more calls than a trace may have",
                     "expected at most " + std::to_string(most_calls) +
                         " calls: repeat fewer times (predictions grow in proportion)");
  }
  const WrittenCall written{.function = function,
                            .file = place_file_.empty() ? file_ : place_file_,
                            .line = place_file_.empty() ? line_ : place_line_,
                            .call_time = pending_,
                            .ret_time = seconds};
  writer_.call(written, parameters.str(), results.str());
  ++calls_;
  duration_ += pending_ + seconds;
  pending_ = 0.0;
}

std::uint64_t CallEmitter::create_template(const Extents& extents, const Extents& periodic) {
  const std::uint64_t made = new_address();
  Lines lines;
  lines.address("AMRef", 0)
      .number("Rank", static_cast<std::int64_t>(extents.size()))
      .number("StaticSign", 1)
      .end_line()
      .list("SizeArray", extents);
  if (!periodic.empty()) {
    lines.list("PeriodicArray", periodic);
  }
  call("crtamv_", lines, Lines().address("AMViewRef", made));
  return made;
}

void CallEmitter::distribute(std::uint64_t target, std::size_t rank, std::uint64_t system,
                             const std::vector<std::int64_t>& axes) {
  const auto count = static_cast<std::int64_t>(rank);
  call("blkdiv_", Lines()
                      .address("AMViewRef", target)
                      .number("AMVAxisCount", count)
                      .end_line()
                      .list("AMVAxisDiv", Extents(rank, 1)));
  call("distr_",
       Lines()
           .address("AMViewRef", target)
           .address("PSRef", system)
           .number("ParamCount", static_cast<std::int64_t>(axes.size()))
           .end_line()
           .list("AxisArray", axes)
           .list("DistrParamArray", Extents(axes.size(), 0)),
       Lines().number("IsLocal", 1));
}

ArrayName CallEmitter::create_array(const Extents& extents, std::int64_t element_size,
                                    const Extents& low, const Extents& high) {
  const ArrayName made{.header = new_address(), .handle = new_address()};
  call("crtda_",
       Lines()
           .address("ArrayHeader", made.header)
           .number("Rank", static_cast<std::int64_t>(extents.size()))
           .number("TypeSize", element_size)
           .number("StaticSign", 1)
           .number("ReDistrSign", 3)
           .end_line()
           .list("SizeArray", extents)
           .list("LowShdWidthArray", low)
           .list("HiShdWidthArray", high),
       Lines().address("ArrayHandlePtr", made.handle));
  return made;
}

void CallEmitter::align(const ArrayName& array, const PatternName& pattern,
                        const MappingText& rule) {
  call("align_",
       Lines()
           .address("ArrayHeader", array.header)
           .address("ArrayHandlePtr", array.handle)
           .text(pattern_lines(pattern).str())
           .end_line()
           .text(rule_lines(rule).str()),
       Lines().number("IsLocal", 1));
}

void CallEmitter::realign(const ArrayName& array, const PatternName& pattern,
                          const MappingText& rule, bool new_values) {
  call("realn_",
       Lines()
           .address("ArrayHeader", array.header)
           .address("ArrayHandlePtr", array.handle)
           .text(pattern_lines(pattern).str())
           .number("NewSign", new_values ? 1 : 0)
           .end_line()
           .text(rule_lines(rule).str()),
       Lines().number("IsLocal", 1));
}

void CallEmitter::map_loop(std::uint64_t loop, const PatternName& pattern, const MappingText& rule,
                           const std::vector<IndexRange>& ranges) {
  Extents first;
  Extents last;
  Extents step;
  for (const IndexRange& range : ranges) {
    first.push_back(range.first);
    last.push_back(range.last);
    step.push_back(range.step);
  }
  call("mappl_",
       Lines()
           .address("LoopRef", loop)
           .text(pattern_lines(pattern).str())
           .end_line()
           .text(rule_lines(rule).str())
           .list("InInitIndexArray", first)
           .list("InLastIndexArray", last)
           .list("InStepArray", step),
       Lines().number("IsLocal", 1));
}

void CallEmitter::create_shadow_group(std::uint64_t reference) {
  call("crtshg_", Lines().number("StaticSign", 1), Lines().address("ShadowGroupRef", reference));
}

void CallEmitter::insert_shadow(std::uint64_t group, const ArrayName& array, const Extents& low,
                                const Extents& high, bool corners, std::int64_t edge_bytes) {
  Lines lines;
  lines.address("ShadowGroupRef", group)
      .address("ArrayHeader", array.header)
      .address("ArrayHandlePtr", array.handle)
      .number("FullShdSign", corners ? 1 : 0);
  if (edge_bytes > 0) {
    lines.number("EdgeTypeSize", edge_bytes);
  }
  call("inssh_", lines.end_line().list("LowShdWidthArray", low).list("HiShdWidthArray", high));
}

}  // namespace gridcast::trace
