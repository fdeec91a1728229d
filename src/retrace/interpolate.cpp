#include "gridcast/retrace/interpolate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ostream>
#include <string_view>
#include <unordered_map>

#include "gridcast/base/error.h"
#include "raw_trace.h"
#include "size_fit.h"
#include "sized_parameters.h"

namespace gridcast::trace {
namespace {

std::string text_of(double value) {
  std::string text = std::to_string(value);
  text.erase(text.find_last_not_of('0') + 1);
  return text.ends_with('.') ? text.substr(0, text.size() - 1) : text;
}

std::vector<RawTrace> read_sizes(std::span<const SizedTrace> sized, double size,
                                 std::vector<std::string>& warnings) {
  if (sized.size() < 2) {
    throw InputError("fewer than two traces to interpolate between",
                     "give traces of the same program at two or more sizes");
  }
  std::vector<RawTrace> traces;
  traces.reserve(sized.size());
  for (const SizedTrace& one : sized) {
    const bool known = std::any_of(sized.data(), &one,
                                   [&](const SizedTrace& other) { return other.size == one.size; });
    if (known || !std::isfinite(one.size) || !std::isfinite(size)) {
      throw InputError(one.path.string(), 0, "the size " + text_of(one.size) + " is given twice",
                       "expected traces at different sizes (average those of the same size first)");
    }
    traces.push_back(read_raw_trace(one.path));
    if (traces.back().program.process_count != traces.front().program.process_count) {
      throw InputError(one.path.string(), 0, "recorded on another number of processes",
                       "expected traces of runs on the same number of processes");
    }
  }
  warnings = require_same_calls(traces,
                                "expected the same calls at all sizes: the number of iterations "
                                "must not depend on the size");
  return traces;
}

std::size_t nearest(std::span<const SizedTrace> sized, double size) {
  const auto found =
      std::min_element(sized.begin(), sized.end(), [&](const SizedTrace& a, const SizedTrace& b) {
        return std::fabs(a.size - size) < std::fabs(b.size - size);
      });
  return static_cast<std::size_t>(found - sized.begin());
}

class Interpolation {
public:
  Interpolation(std::span<const SizedTrace> sized, double size, const InterpolateOptions& options)
      : traces_(read_sizes(sized, size, result_.warnings)),
        base_(nearest(sized, size)),
        size_(size),
        fit_(sizes_of(sized), size, std::min(options.degree, sized.size() - 1)) {
    result_.degree = std::min(options.degree, sized.size() - 1);
    const std::vector<std::string>& warnings = traces_[base_].program.warnings;
    result_.warnings.insert(result_.warnings.begin(), warnings.begin(), warnings.end());
    warn_beyond(sized);
  }

  InterpolateResult write(std::ostream& out) {
    const RawTrace& base = traces_[base_];
    TraceWriter writer(out);
    writer.text(base.preamble);
    for (std::size_t i = 0; i < base.size(); ++i) {
      if (i == base.exit_at) {
        writer.text(base.ending);
      }
      const WrittenCall call{.function = base.function(i),
                             .file = base.file(i),
                             .line = base.place(i).line,
                             .call_time = time(i, &Record::call_time),
                             .ret_time = time(i, &Record::ret_time)};
      writer.call(call, lines(i, false), lines(i, true));
      result_.duration += call.call_time + call.ret_time;
    }
    if (base.exit_at == base.size()) {
      writer.text(base.ending);
    }
    writer.finish(base.program.trace_file);
    result_.calls = base.size();
    if (result_.clamped_times > 0) {
      result_.warnings.push_back(std::to_string(result_.clamped_times) +
                                 " times came out negative at size " + text_of(size_) +
                                 " and are written as 0");
    }
    return std::move(result_);
  }

private:
  static std::vector<double> sizes_of(std::span<const SizedTrace> sized) {
    std::vector<double> sizes;
    for (const SizedTrace& one : sized) {
      sizes.push_back(one.size);
    }
    return sizes;
  }

  void warn_beyond(std::span<const SizedTrace> sized) {
    const auto [low, high] = std::minmax_element(
        sized.begin(), sized.end(),
        [](const SizedTrace& a, const SizedTrace& b) { return a.size < b.size; });
    if (size_ < low->size || size_ > high->size) {
      result_.warnings.push_back("size " + text_of(size_) + " lies outside the recorded sizes " +
                                 text_of(low->size) + " to " + text_of(high->size) +
                                 ": noise of the recorded times is magnified");
    }
  }

  double time(std::size_t i, double Record::*which) {
    std::vector<double> values;
    for (const RawTrace& trace : traces_) {
      values.push_back(trace.record(i).*which);
    }
    const double value = fit_.value(values);
    if (value < 0.0) {
      // What rounding leaves of a time that is 0 at all sizes is no negative time.
      const double largest = *std::max_element(values.begin(), values.end());
      result_.clamped_times += value < -1e-12 * largest ? 1 : 0;
      return 0.0;
    }
    return value;
  }

  std::string lines(std::size_t i, bool result) {
    const auto text = [&](const RawTrace& trace) -> const std::string& {
      return result ? trace.result_text(i) : trace.call_text(i);
    };
    const std::string& base = text(traces_[base_]);
    if (std::all_of(traces_.begin(), traces_.end(),
                    [&](const RawTrace& trace) { return text(trace) == base; })) {
      return base;
    }
    std::vector<SizedParameters> others;
    others.reserve(traces_.size());
    for (const RawTrace& trace : traces_) {
      others.emplace_back(text(trace));
    }
    std::string made;
    std::size_t written = 0;
    for (const SizedParameter& parameter : others[base_].all()) {
      if (const auto value = interpolated(i, parameter, others)) {
        made.append(base, written, parameter.at - written).append(*value);
        written = parameter.at + parameter.digits.size();
      }
    }
    return made.append(base, written);
  }

  /// The value of one parameter at the new size; none: as the base has it.
  std::optional<std::string> interpolated(std::size_t i, const SizedParameter& parameter,
                                          const std::vector<SizedParameters>& others) {
    const ParameterRole role = others[base_].role(parameter, traces_[base_].function(i));
    std::vector<std::int64_t> values;
    for (std::size_t t = 0; t < others.size(); ++t) {
      const auto value = others[t].find(parameter);
      if (!value) {
        if (role == ParameterRole::free) {
          return std::nullopt;
        }
        fail(i, t, "has no " + parameter.full_name() + " where " + place(i, base_) + " has one");
      }
      values.push_back(*value);
    }
    if (std::all_of(values.begin(), values.end(),
                    [&](std::int64_t value) { return value == values.front(); })) {
      return std::nullopt;
    }
    if (role == ParameterRole::kind) {
      const auto other = std::find_if(values.begin(), values.end(),
                                      [&](std::int64_t value) { return value != values[base_]; });
      fail(i, static_cast<std::size_t>(other - values.begin()),
           parameter.full_name() + "=" + std::to_string(*other) + " where " + place(i, base_) +
               " has " + std::to_string(values[base_]));
    }
    const SizeFit::Whole whole = fit_.whole_value(values);
    if (!whole.value) {
      if (role == ParameterRole::free) {
        return std::nullopt;
      }
      const std::string what =
          whole.polynomial ? " would be " + text_of(whole.real) + " at size " + text_of(size_)
                           : " follows no polynomial of degree " + std::to_string(result_.degree) +
                                 " in the size";
      fail(i, base_, parameter.full_name() + what);
    }
    ++result_.varying_parameters;
    return std::to_string(*whole.value);
  }

  [[nodiscard]] std::string place(std::size_t i, std::size_t trace) const {
    return place_of(traces_[trace], i);
  }

  [[noreturn]] void fail(std::size_t i, std::size_t trace, const std::string& problem) const {
    throw InputError(traces_[trace].program.trace_file, traces_[trace].record(i).trace_line,
                     traces_[trace].function(i) + ": " + problem,
                     "expected parameters that are whole and polynomial in the size");
  }

  InterpolateResult result_;
  std::vector<RawTrace> traces_;
  std::size_t base_;
  double size_;
  SizeFit fit_;
};

}  // namespace

InterpolateResult interpolate_traces(std::span<const SizedTrace> traces, double size,
                                     std::ostream& out, const InterpolateOptions& options) {
  return Interpolation(traces, size, options).write(out);
}

}  // namespace gridcast::trace
