#include "gridcast/measure/kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <functional>
#include <optional>
#include <ostream>
#include <string_view>

#include "gridcast/base/csv.h"
#include "gridcast/base/error.h"

namespace gridcast::measure {
namespace {

/// Keeps a value from being optimised away.
void keep(double value) { asm volatile("" : : "g"(value) : "memory"); }

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// One pass over its elements; returns how many.
using Pass = std::function<std::size_t()>;

KernelTime timed(const std::string& name, const Pass& pass, bool quick) {
  const double least_seconds = quick ? 1e-3 : 20e-3;
  const int repetitions = quick ? 5 : 11;
  static_cast<void>(pass());
  std::vector<double> per_element;
  for (int i = 0; i < repetitions; ++i) {
    std::size_t elements = 0;
    const double begin = now();
    double end = begin;
    while (end - begin < least_seconds) {
      elements += pass();
      end = now();
    }
    per_element.push_back((end - begin) / static_cast<double>(elements));
  }
  std::ranges::sort(per_element);
  const std::size_t count = per_element.size();
  return {name, per_element[count / 2], per_element[count / 4], per_element[3 * count / 4]};
}

/// `Steps` dependent multiply-adds per element, elements in the first cache.
template <int Steps>
Pass arithmetic() {
  constexpr std::size_t elements = 1024;
  return [values = std::vector<double>(elements, 1.0)]() mutable {
    for (double& value : values) {
      double x = value;
      for (int i = 0; i < Steps; ++i) {
        x = x * 0.999 + 0.001;
      }
      value = x;
    }
    keep(values.front());
    return values.size();
  };
}

/// Each number depends on the one before: a linear congruential generator and a shift.
Pass integers() {
  return [state = std::uint64_t{1}]() mutable {
    constexpr std::size_t elements = 4096;
    for (std::size_t i = 0; i < elements; ++i) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      state ^= state >> 29U;
    }
    keep(static_cast<double>(state >> 12U));
    return elements;
  };
}

/// Mean of neighbours, as the loops of grid programs, in memory of this many elements.
Pass stencil(std::size_t elements) {
  return [from = std::vector<double>(elements, 1.0), to = std::vector<double>(elements, 0.0),
          elements]() mutable {
    for (std::size_t i = 1; i + 1 < elements; ++i) {
      to[i] = 0.5 * (from[i - 1] + from[i + 1]);
    }
    keep(to[elements / 2]);
    from.swap(to);
    return elements;
  };
}

Pass copy(std::size_t elements) {
  return [from = std::vector<double>(elements, 1.0), to = std::vector<double>(elements, 0.0),
          elements]() mutable {
    std::ranges::copy(from, to.begin());
    keep(to[elements / 2]);
    from.swap(to);
    return elements;
  };
}

Pass triad(std::size_t elements) {
  return [a = std::vector<double>(elements, 1.0), b = std::vector<double>(elements, 2.0),
          c = std::vector<double>(elements, 0.0), elements]() mutable {
    for (std::size_t i = 0; i < elements; ++i) {
      c[i] = a[i] + 3.0 * b[i];
    }
    keep(c[elements / 2]);
    a.swap(c);
    return elements;
  };
}

/// A line of a table of kernels; nothing if it is none.
std::optional<KernelTime> kernel_of(std::string_view line) {
  if (line.ends_with('\r')) {
    line.remove_suffix(1);
  }
  std::array<double, 3> times{};
  for (auto time = times.rbegin(); time != times.rend(); ++time) {
    const std::size_t comma = line.rfind(',');
    if (comma == std::string_view::npos) {
      return std::nullopt;
    }
    const std::string_view field = line.substr(comma + 1);
    const auto [end, status] = std::from_chars(field.data(), field.data() + field.size(), *time);
    if (status != std::errc() || end != field.data() + field.size() || !(*time > 0.0) ||
        !std::isfinite(*time)) {
      return std::nullopt;
    }
    line = line.substr(0, comma);
  }
  return KernelTime{std::string(line), times[0], times[1], times[2]};
}

}  // namespace

std::vector<KernelTime> time_kernels(bool quick) {
  constexpr std::size_t in_cache = 1024;
  const std::size_t in_memory = std::size_t{1} << (quick ? 20U : 23U);
  std::vector<KernelTime> kernels;
  const auto add = [&kernels, quick](const std::string& name, const Pass& pass) {
    kernels.push_back(timed(name, pass, quick));
  };
  add("arithmetic 1", arithmetic<1>());
  add("arithmetic 2", arithmetic<2>());
  add("arithmetic 4", arithmetic<4>());
  add("arithmetic 8", arithmetic<8>());
  add("arithmetic 16", arithmetic<16>());
  add("arithmetic 64", arithmetic<64>());
  add("integers", integers());
  add("stencil in cache", stencil(in_cache));
  add("stencil in memory", stencil(in_memory));
  add("copy in memory", copy(in_memory));
  add("triad in memory", triad(in_memory));
  return kernels;
}

void write_kernels(std::ostream& out, const std::vector<KernelTime>& kernels) {
  out << "kernel,seconds,low,high\n";
  for (const KernelTime& kernel : kernels) {
    out << fmt::format("{},{},{},{}\n", csv_cell(kernel.name), kernel.seconds, kernel.low,
                       kernel.high);
  }
}

std::vector<KernelTime> read_kernels(const std::filesystem::path& path) {
  std::ifstream stream(path);
  if (!stream || std::filesystem::is_directory(path)) {
    throw InputError(path.string(), 0, "cannot be opened", "expected a table of kernels");
  }
  std::vector<KernelTime> kernels;
  std::string line;
  for (std::size_t number = 1; std::getline(stream, line); ++number) {
    if (number == 1) {
      if (line != "kernel,seconds,low,high") {
        throw InputError(
            path.string(), number, "is no table of kernels",
            "expected the columns kernel,seconds,low,high of gridcast-measure --table");
      }
      continue;
    }
    const std::optional<KernelTime> kernel = kernel_of(line);
    if (!kernel) {
      throw InputError(path.string(), number, "has no time of a kernel",
                       "expected NAME,SECONDS,LOW,HIGH with times above 0");
    }
    if (std::ranges::find(kernels, kernel->name, &KernelTime::name) != kernels.end()) {
      throw InputError(path.string(), number, "has a kernel for the second time",
                       "expected each kernel once");
    }
    kernels.push_back(*kernel);
  }
  return kernels;
}

std::vector<Speed> speeds_of(const std::vector<KernelTime>& first,
                             const std::vector<KernelTime>& second) {
  std::vector<Speed> speeds;
  for (const KernelTime& a : first) {
    for (const KernelTime& b : second) {
      if (a.name == b.name) {
        speeds.push_back({a.name, a.seconds / b.seconds});
      }
    }
  }
  if (speeds.empty()) {
    throw InputError("the two tables have no kernel in common",
                     "expected tables of gridcast-measure --table");
  }
  return speeds;
}

double mean_speed(const std::vector<Speed>& speeds) {
  double sum = 0.0;
  for (const Speed& speed : speeds) {
    sum += std::log(speed.ratio);
  }
  return std::exp(sum / static_cast<double>(speeds.size()));
}

}  // namespace gridcast::measure
