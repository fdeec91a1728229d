#include "events.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <ctime>
#include <utility>

#include "gridcast/base/error.h"
#include "gridcast/base/json_writer.h"

namespace gridcast::sweep {
namespace {

std::string utc_now() {
  const auto now = std::chrono::system_clock::now();
  const auto fraction =
      std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(now)), fraction);
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

template <typename... Members>
void Events::write(std::string_view event, const Members&... members) {
  if (!stream_.is_open()) {
    return;
  }
  JsonWriter json(stream_);
  json.begin_object(gridcast::Layout::line);
  json.member("event", event);
  json.member("time", utc_now());
  (json.member(members.first, members.second), ...);
  json.end_object();
  stream_ << '\n' << std::flush;
}

void Events::start(int mode, std::uint64_t candidates, std::uint64_t not_bad, std::uint64_t resumed,
                   int ranks) {
  write("start", std::pair("mode", mode), std::pair("candidates", candidates),
        std::pair("not_bad", not_bad), std::pair("resumed", resumed), std::pair("ranks", ranks));
}

void Events::batch(int worker, std::size_t grids, double seconds, std::uint64_t evaluated) {
  constexpr double microseconds = 1e6;
  write("batch", std::pair("worker", worker), std::pair("grids", grids),
        std::pair("seconds", std::round(seconds * microseconds) / microseconds),
        std::pair("evaluated", evaluated));
}

void Events::best(const search::Outcome& best) {
  write("best", std::pair("grid", best.grid.text()),
        std::pair("processors", best.grid.processors()),
        std::pair("execution_time", best.execution_time), std::pair("efficiency", best.efficiency));
}

void Events::failure(const machine::Grid& grid, const Reason& reason) {
  write("failure", std::pair("grid", grid.text()),
        std::pair("cause", std::string_view(store::name(reason.cause))),
        std::pair("reason", reason.text));
}

void Events::lost(int worker, std::string_view reason) {
  write("lost", std::pair("worker", worker), std::pair("reason", reason));
}

void Events::proof(const search::Proof& proof) {
  write("proof", std::pair("evaluated", proof.evaluated), std::pair("excluded", proof.excluded),
        std::pair("left", proof.left), std::pair("open", proof.open),
        std::pair("boxes", proof.boxes), std::pair("least", proof.least),
        std::pair("gap", proof.gap));
}

void Events::end(int exit_code, std::uint64_t evaluated, std::uint64_t failed,
                 std::string_view message) {
  write("end", std::pair("exit_code", exit_code), std::pair("evaluated", evaluated),
        std::pair("failed", failed), std::pair("message", message));
}

}  // namespace gridcast::sweep
