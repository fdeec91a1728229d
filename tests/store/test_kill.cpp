#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <functional>
#include <random>
#include <thread>
#include <utility>

#include "gridcast/store/writer.h"
#include "sample.h"

using namespace gridcast;
using namespace gridcast::store;
using namespace gridcast::store::testing;

namespace {

/// What a writer tells the test before it is killed; in memory that both processes share.
struct Progress {
  std::atomic<std::int64_t> added{0};    ///< rows of this writer whose append has returned
  std::atomic<std::int64_t> flushed{0};  ///< rows in the store when the last flush returned
  /// Rows in the store whose append had returned a second before another append began that has
  /// returned too: however slow the machine is, a kill must not lose them.
  std::atomic<std::int64_t> due{0};
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

/// More than the killed writers reach together.
constexpr std::int64_t total_rows = 400'000;
/// A writer that is not killed by then adds no more.
constexpr std::int64_t most_per_life = 7'500;
constexpr std::int64_t rows_per_flush = 37;

StoreWriter open_writer(const std::filesystem::path& path) {
  StoreSetup setup = sample_setup();
  setup.chunk_rows = 256;
  return std::filesystem::exists(path) ? StoreWriter::resume(path, setup)
                                       : StoreWriter::create(path, setup);
}

/// Goes on where the store ends, flushing batches of uneven size. Slow enough that kills fall into
/// every phase.
void write_and_flush(const std::filesystem::path& path, const SharedProgress& progress) {
  StoreWriter writer = open_writer(path);
  constexpr std::int64_t rows_per_pause = 40;
  const std::int64_t end = writer.rows() + most_per_life;
  for (std::int64_t i = writer.rows(); i < end; ++i) {
    writer.append(sample_row(i));
    if (i % rows_per_flush == 0) {
      writer.flush();
      progress->flushed = i + 1;
    }
    ++progress->added;
    if (i % rows_per_pause == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  pause();
}

/// Never flushes, and adds so little that only time makes the writer do so.
void write_slowly(const std::filesystem::path& path, const SharedProgress& progress) {
  StoreWriter writer = open_writer(path);
  std::vector<Clock::time_point> returned;
  std::size_t due = 0;
  for (std::int64_t i = 0; i < most_per_life; ++i) {
    const Clock::time_point begin = Clock::now();
    writer.append(sample_row(i));
    returned.push_back(Clock::now());
    while (returned[due] <= begin - std::chrono::seconds(1)) {
      ++due;
    }
    progress->due = static_cast<std::int64_t>(due);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  pause();
}

/// A process that writes until it is killed.
class Writer {
public:
  explicit Writer(const std::function<void()>& write) : pid_(fork()) {
    if (pid_ == 0) {
      try {
        write();
      } catch (const std::exception& error) {
        fprintf(stderr, "writer: %s\n", error.what());
      }
      _exit(1);
    }
  }

  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer() {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
  }

  /// Until the writer has come so far; fails if it ends before.
  void wait_until(const std::function<bool()>& condition) const {
    while (!condition()) {
      REQUIRE(waitpid(pid_, nullptr, WNOHANG) == 0);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  void end() {
    int status = 0;
    const pid_t pid = std::exchange(pid_, -1);
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    REQUIRE(WIFSIGNALED(status));
    REQUIRE(WTERMSIG(status) == SIGKILL);
  }

private:
  pid_t pid_;
};

/// Microseconds from 0 to `most`.
std::chrono::microseconds some_time(std::mt19937& random, int most) {
  return std::chrono::microseconds(std::uniform_int_distribution<>(0, most)(random));
}

/// Adds the rows that are missing to `total_rows`, without a kill.
void complete(const std::filesystem::path& path) {
  StoreWriter writer = open_writer(path);
  for (std::int64_t i = writer.rows(); i < total_rows; ++i) {
    writer.append(sample_row(i));
  }
  writer.finish(std::nullopt);
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
  std::int64_t before = 0;
  for (int round = 0; round < 50; ++round) {
    // Every third kill falls anywhere from the start on: into creating or taking over a store.
    const bool from_start = round % 3 == 0;
    constexpr int longest_start = 90'000;
    constexpr int longest_pause = 2'000;
    const std::int64_t wanted = std::uniform_int_distribution<>(rows_per_flush, 3600)(random);
    progress->added = 0;
    Writer writer([&] { write_and_flush(path, progress); });
    if (!from_start) {
      writer.wait_until([&] { return progress->added >= wanted; });
    }
    std::this_thread::sleep_for(some_time(random, from_start ? longest_start : longest_pause));
    writer.end();
    if (!std::filesystem::exists(path)) {
      REQUIRE(from_start);
      REQUIRE(progress->flushed == 0);
      continue;
    }
    const std::int64_t visible = rows_for_h5py(path);
    const Store store = read_store(path);
    const auto rows = static_cast<std::int64_t>(store.table.rows.size());
    REQUIRE(visible <= rows);
    REQUIRE(rows >= progress->flushed);
    REQUIRE(rows >= (from_start ? before : before + 1));
    before = rows;
    for (std::int64_t i = 0; i < rows; i += 101) {
      REQUIRE(store.table.rows[static_cast<std::size_t>(i)].characteristics.overlap ==
              number(18, i));
    }
  }
  complete(path);
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
    const std::int64_t wanted = std::uniform_int_distribution<>(1, 300)(random);
    Writer writer([&] { write_slowly(path, progress); });
    writer.wait_until([&] { return progress->due >= wanted; });
    writer.end();
    rows_for_h5py(path);
    REQUIRE(static_cast<std::int64_t>(read_store(path).table.rows.size()) >= progress->due);
  }
}
