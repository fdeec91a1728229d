#include "gridcast/measure/kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <exception>
#include <fstream>
#include <functional>
#include <optional>
#include <ostream>
#include <string_view>
#include <system_error>
#include <thread>

#include "gridcast/base/csv.h"
#include "gridcast/base/error.h"
#include "gridcast/base/readable.h"
#include "gridcast/measure/topology.h"

namespace gridcast::measure {
namespace {

/// Keeps a value from being optimised away.
void keep(double value) { asm volatile("" : : "g"(value) : "memory"); }

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// One pass over its elements; returns how many.
using Pass = std::function<std::size_t()>;

/// A loop, made by the thread that runs it, so that its arrays lie in the memory near the thread.
struct Kernel {
  std::string name;
  std::function<Pass()> make;
};

/// Seconds per element: median and quartiles of the repetitions.
struct PassTime {
  double seconds = 0.0;
  double low = 0.0;
  double high = 0.0;
};

PassTime timed(const Pass& pass, bool quick) {
  constexpr std::size_t most_repetitions = 11;
  const double least_seconds = quick ? 1e-3 : 20e-3;
  std::array<double, most_repetitions> times{};
  const std::size_t count = quick ? 5 : most_repetitions;
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t elements = 0;
    const double begin = now();
    double end = begin;
    while (end - begin < least_seconds) {
      elements += pass();
      end = now();
    }
    times[i] = (end - begin) / static_cast<double>(elements);
  }
  std::ranges::sort(std::span(times).first(count));
  return {times[count / 2], times[count / 4], times[3 * count / 4]};
}

/// One loop on several threads at once.
class Crew {
public:
  Crew(const Kernel& kernel, std::span<const int> processors, bool quick)
      : kernel_(kernel),
        processors_(processors),
        quick_(quick),
        times_(std::max<std::size_t>(1, processors.size())),
        problems_(times_.size()),
        start_(static_cast<std::ptrdiff_t>(times_.size())) {}

  KernelTime run() {
    start_threads();
    for (const std::exception_ptr& problem : problems_) {
      if (problem) {
        std::rethrow_exception(problem);
      }
    }
    return {kernel_.name, of_all(&PassTime::seconds), of_all(&PassTime::low),
            of_all(&PassTime::high)};
  }

private:
  void start_threads() {
    std::vector<std::jthread> threads;
    threads.reserve(times_.size());
    try {
      while (threads.size() < times_.size()) {
        threads.emplace_back([this, number = threads.size()] { work(number); });
      }
    } catch (const std::system_error&) {
      failed_ = true;
      for (std::size_t i = threads.size(); i < times_.size(); ++i) {
        start_.arrive_and_drop();
      }
      throw RunError("the system", "does not start " + counted(std::ssize(times_), "thread"),
                     "ulimit -u shows how many it starts");
    }
  }

  void work(std::size_t number) {
    Pass pass;
    try {
      if (!processors_.empty()) {
        bind_thread(processors_[number]);
      }
      pass = kernel_.make();
      static_cast<void>(pass());
    } catch (...) {
      problems_[number] = std::current_exception();
      failed_ = true;
    }
    start_.arrive_and_wait();
    if (failed_) {
      return;
    }
    times_[number] = timed(pass, quick_);
    // The others are timed beside busy threads until the last one is ready.
    ++ready_;
    while (ready_ < times_.size()) {
      static_cast<void>(pass());
    }
  }

  /// What elements take a core if all threads are as fast as their mean.
  [[nodiscard]] double of_all(double PassTime::*time) const {
    double speed = 0.0;
    for (const PassTime& each : times_) {
      speed += 1.0 / (each.*time);
    }
    return static_cast<double>(times_.size()) / speed;
  }

  const Kernel& kernel_;
  std::span<const int> processors_;  // none: one thread, wherever it runs
  bool quick_;
  std::vector<PassTime> times_;
  std::vector<std::exception_ptr> problems_;
  std::barrier<> start_;
  std::atomic<bool> failed_{false};
  std::atomic<std::size_t> ready_{0};
};

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

constexpr std::string_view table_columns = "kernel,seconds,low,high";
constexpr std::string_view socket_columns = ",busy,ratio";  // if a whole socket was timed, too

/// A line of a table of kernels with so many times behind the name; nothing if it is none.
std::optional<KernelTime> kernel_of(std::string_view line, std::size_t count) {
  if (line.ends_with('\r')) {
    line.remove_suffix(1);
  }
  std::array<double, 5> times{};
  for (std::size_t i = count; i-- > 0;) {
    const std::size_t comma = line.rfind(',');
    if (comma == std::string_view::npos) {
      return std::nullopt;
    }
    const std::string_view field = line.substr(comma + 1);
    const auto [end, status] = std::from_chars(field.data(), field.data() + field.size(), times[i]);
    if (status != std::errc() || end != field.data() + field.size() || !(times[i] > 0.0) ||
        !std::isfinite(times[i])) {
      return std::nullopt;
    }
    line = line.substr(0, comma);
  }
  return KernelTime{std::string(line), times[0], times[1], times[2]};
}

}  // namespace

std::vector<KernelTime> time_kernels(bool quick, std::span<const int> processors) {
  constexpr std::size_t in_cache = 1024;
  const std::size_t in_memory = std::size_t{1} << (quick ? 22U : 23U);
  const std::vector<Kernel> kernels{
      {"arithmetic 1", arithmetic<1>},
      {"arithmetic 2", arithmetic<2>},
      {"arithmetic 4", arithmetic<4>},
      {"arithmetic 8", arithmetic<8>},
      {"arithmetic 16", arithmetic<16>},
      {"arithmetic 64", arithmetic<64>},
      {"integers", integers},
      {"stencil in cache", [] { return stencil(in_cache); }},
      {"stencil in memory", [in_memory] { return stencil(in_memory); }},
      {"copy in memory", [in_memory] { return copy(in_memory); }},
      {"triad in memory", [in_memory] { return triad(in_memory); }},
  };
  std::vector<KernelTime> times;
  times.reserve(kernels.size());
  for (const Kernel& kernel : kernels) {
    times.push_back(Crew(kernel, processors, quick).run());
  }
  return times;
}

void write_kernels(std::ostream& out, const std::vector<KernelTime>& kernels,
                   std::span<const KernelTime> busy) {
  out << table_columns << (busy.empty() ? "" : socket_columns) << '\n';
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const KernelTime& kernel = kernels[i];
    out << fmt::format("{},{},{},{}", csv_cell(kernel.name), kernel.seconds, kernel.low,
                       kernel.high);
    if (!busy.empty()) {
      out << fmt::format(",{},{}", busy[i].seconds, kernel.seconds / busy[i].seconds);
    }
    out << '\n';
  }
}

std::vector<KernelTime> read_kernels(const std::filesystem::path& path) {
  std::ifstream stream(path);
  if (!stream || std::filesystem::is_directory(path)) {
    throw InputError(path.string(), 0, "cannot be opened", "expected a table of kernels");
  }
  std::vector<KernelTime> kernels;
  std::string line;
  std::size_t times = 0;
  for (std::size_t number = 1; std::getline(stream, line); ++number) {
    if (number == 1) {
      const bool of_socket = line == std::string(table_columns).append(socket_columns);
      if (line != table_columns && !of_socket) {
        throw InputError(
            path.string(), number, "is no table of kernels",
            "expected the columns kernel,seconds,low,high of gridcast-measure --table");
      }
      times = of_socket ? 5 : 3;
      continue;
    }
    const std::optional<KernelTime> kernel = kernel_of(line, times);
    if (!kernel) {
      throw InputError(path.string(), number, "has no time of a kernel",
                       "expected the name and " + std::to_string(times) + " numbers above 0");
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
