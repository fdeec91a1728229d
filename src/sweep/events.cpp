#include "events.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <ctime>

#include "gridcast/base/error.h"
#include "gridcast/base/printable.h"

namespace gridcast::sweep {
namespace {

std::string utc_now() {
  const auto now = std::chrono::system_clock::now();
  const auto fraction =
      std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(now)), fraction);
}

/// JSON has no other numbers.
std::string finite_or_null(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "null";
}

}  // namespace

Events::Events(const std::optional<std::filesystem::path>& path) {
  if (path) {
    stream_.open(*path, std::ios::app);
    if (!stream_) {
      throw InputError(path->string(), 0, "cannot be opened for writing",
                       "give --events a file in a directory that exists");
    }
  }
}

void Events::write(std::string_view event, const std::string& fields) {
  if (stream_.is_open()) {
    stream_ << fmt::format("{{\"event\":\"{}\",\"time\":\"{}\",{}}}\n", event, utc_now(), fields)
            << std::flush;
  }
}

void Events::start(int mode, std::uint64_t candidates, std::uint64_t not_bad, std::uint64_t resumed,
                   int ranks) {
  write("start", fmt::format(R"("mode":{},"candidates":{},"not_bad":{},"resumed":{},"ranks":{})",
                             mode, candidates, not_bad, resumed, ranks));
}

void Events::batch(int worker, std::size_t grids, double seconds, std::uint64_t evaluated) {
  if (stream_.is_open()) {
    write("batch", fmt::format(R"("worker":{},"grids":{},"seconds":{:.6f},"evaluated":{})", worker,
                               grids, seconds, evaluated));
  }
}

void Events::best(const search::Outcome& best) {
  write("best", fmt::format(R"("grid":"{}","processors":{},"execution_time":{},"efficiency":{})",
                            best.grid.text(), best.grid.processors(),
                            finite_or_null(best.execution_time), finite_or_null(best.efficiency)));
}

void Events::failure(const machine::Grid& grid, const Reason& reason) {
  write("failure", fmt::format(R"("grid":"{}","cause":"{}","reason":{})", grid.text(),
                               store::name(reason.cause), json_quoted(reason.text)));
}

void Events::lost(int worker, std::string_view reason) {
  write("lost", fmt::format(R"("worker":{},"reason":{})", worker, json_quoted(reason)));
}

void Events::proof(const search::Proof& proof) {
  const auto number = [](const std::optional<double>& value) {
    return value ? finite_or_null(*value) : "null";
  };
  write("proof",
        fmt::format(R"("evaluated":{},"excluded":{},"open":{},"boxes":{},"least":{},"gap":{})",
                    proof.evaluated, proof.excluded, proof.open, proof.boxes, number(proof.least),
                    number(proof.gap)));
}

void Events::end(int exit_code, std::uint64_t evaluated, std::uint64_t failed,
                 std::string_view message) {
  write("end", fmt::format(R"("exit_code":{},"evaluated":{},"failed":{},"message":{})", exit_code,
                           evaluated, failed, json_quoted(message)));
}

}  // namespace gridcast::sweep
