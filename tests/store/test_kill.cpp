#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <random>
#include <thread>

#include "gridcast/store/writer.h"
#include "sample.h"

using namespace gridcast;
using namespace gridcast::store;
using namespace gridcast::store::testing;

namespace {

/// What a writer tells the test before it is killed; in memory that both processes share.
struct Progress {
  static constexpr std::size_t slots = 1000;
  static constexpr std::int64_t slot_milliseconds = 10;
  std::atomic<std::int64_t> flushed{0};  ///< rows whose flush has returned
  std::atomic<bool> open{false};         ///< the writer takes rows
  /// Rows whose append had returned by the end of each hundredth of a second; 0 if none did in it.
  std::array<std::atomic<std::int64_t>, slots> appended{};
};

class SharedProgress {
public:
  SharedProgress()
      : progress_(new (mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0)) Progress) {}
  SharedProgress(const SharedProgress&) = delete;
  SharedProgress& operator=(const SharedProgress&) = delete;
  ~SharedProgress() { munmap(progress_, sizeof(Progress)); }
  Progress* operator->() const noexcept { return progress_; }

private:
  Progress* progress_;
};

using Clock = std::chrono::steady_clock;

std::int64_t milliseconds_since(Clock::time_point begin) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin).count();
}

/// More than the killed writers reach together.
constexpr std::int64_t total_rows = 400'000;

StoreSetup kill_setup() {
  StoreSetup setup = sample_setup();
  setup.chunk_rows = 256;
  return setup;
}

/// The writer's process: goes on where the store ends, flushing batches of uneven size. Slow enough
/// that kills fall into every phase; `flushes` off leaves flushing to the writer's own clock.
void write_until_killed(const std::filesystem::path& path, const SharedProgress& progress,
                        Clock::time_point begin, std::int64_t pause_every, bool flushes) {
  const bool exists = std::filesystem::exists(path);
  StoreWriter writer =
      exists ? StoreWriter::resume(path, kill_setup()) : StoreWriter::create(path, kill_setup());
  progress->open = true;
  for (std::int64_t i = writer.rows(); i < total_rows; ++i) {
    writer.append(sample_row(i));
    const auto slot =
        static_cast<std::size_t>(milliseconds_since(begin) / Progress::slot_milliseconds);
    progress->appended[std::min(slot, Progress::slots - 1)] = i + 1;
    if (flushes && i % 37 == 0) {
      writer.flush();
      progress->flushed = i + 1;
    }
    if (i % pause_every == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  writer.finish(std::nullopt);
}

/// From when the life of a writer counts.
enum class From : std::uint8_t { start, first_row };

/// Starts a writer, kills it after `life`. Gives the milliseconds from its start to the kill.
std::int64_t run_and_kill(From from, const std::filesystem::path& path,
                          const SharedProgress& progress, std::chrono::microseconds life,
                          std::int64_t pause_every, bool flushes) {
  const Clock::time_point begin = Clock::now();
  const pid_t child = fork();
  if (child == 0) {
    try {
      write_until_killed(path, progress, begin, pause_every, flushes);
    } catch (const std::exception& error) {
      fprintf(stderr, "writer: %s\n", error.what());
      progress->open = true;  // the test does not wait for a writer that is gone
      _exit(1);
    }
    _exit(0);
  }
  while (from == From::first_row && !progress->open) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::this_thread::sleep_for(life);
  const std::int64_t age = milliseconds_since(begin);
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  REQUIRE(WIFSIGNALED(status));
  REQUIRE(WTERMSIG(status) == SIGKILL);
  return age;
}

/// Rows that h5py reads from the store as it lies there.
std::int64_t rows_for_h5py(const std::filesystem::path& path) {
  const ScriptResult result = run_script("check_store.py", {"open", path.string()});
  INFO(result.output);
  REQUIRE(result.exit_code == 0);
  return std::stoll(result.output);
}

}  // namespace

TEST_CASE("50 kills leave a readable store, lose no flushed row and end in the same table") {
  const TemporaryDirectory directory;
  const auto path = directory / "S.h5";
  const SharedProgress progress;
  std::mt19937 random(20240517);
  constexpr int kills = 50;
  std::int64_t before = 0;
  int with_new_rows = 0;
  int in_snapshot = 0;
  for (int round = 0; round < kills; ++round) {
    const std::chrono::microseconds life(std::uniform_int_distribution<>(500, 90'000)(random));
    // Every third kill falls anywhere from the start on: into creating or taking over a store.
    const From from = round % 3 == 0 ? From::start : From::first_row;
    progress->open = false;
    run_and_kill(from, path, progress, life, 40, true);
    if (!std::filesystem::exists(path)) {
      REQUIRE(progress->flushed == 0);
      continue;
    }
    const std::int64_t visible = rows_for_h5py(path);
    const Store store = read_store(path);
    const auto rows = static_cast<std::int64_t>(store.table.rows.size());
    REQUIRE(visible <= rows);
    REQUIRE(rows >= progress->flushed);
    REQUIRE(rows >= before);
    with_new_rows += rows > before ? 1 : 0;
    in_snapshot += std::filesystem::exists(path.string() + ".tmp") ? 1 : 0;
    before = rows;
    for (std::int64_t i = 0; i < rows; i += 101) {
      REQUIRE(store.table.rows[static_cast<std::size_t>(i)].characteristics.overlap ==
              number(18, i));
    }
  }
  INFO(with_new_rows << " kills after new rows, " << in_snapshot << " during a snapshot");
  CHECK(with_new_rows >= kills / 4);
  const SharedProgress last;
  write_until_killed(path, last, Clock::now(), total_rows, true);
  REQUIRE(names_in(directory.path()) == std::vector<std::string>{"S.h5"});
  REQUIRE(rows_for_h5py(path) == total_rows);
  REQUIRE(csv_of(read_store(path).table) == expected_csv(total_rows));
}

TEST_CASE("without any flush by the caller a kill loses at most the last second") {
  const TemporaryDirectory directory;
  std::mt19937 random(4);
  for (int round = 0; round < 4; ++round) {
    const auto path = directory / ("S" + std::to_string(round) + ".h5");
    const SharedProgress progress;
    const std::chrono::milliseconds life(std::uniform_int_distribution<>(1200, 1900)(random));
    const std::int64_t age = run_and_kill(From::start, path, progress, life, 20, false);
    constexpr std::int64_t second = 1000;
    std::int64_t due = 0;
    const std::int64_t last = (age - second) / Progress::slot_milliseconds;
    for (std::int64_t slot = 0; slot < last; ++slot) {
      due = std::max(due, progress->appended[static_cast<std::size_t>(slot)].load());
    }
    REQUIRE(due > 0);  // else the test says nothing
    rows_for_h5py(path);
    REQUIRE(static_cast<std::int64_t>(read_store(path).table.rows.size()) >= due);
  }
}
