#include "row_rescue.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <exception>
#include <fstream>

#include "files.h"
#include "gridcast/base/error.h"
#include "result_file.h"

namespace gridcast::store {
namespace {

/// Seconds of processor time for reading, and for each so many bytes of the file one more.
constexpr rlim_t patience_seconds = 60;
constexpr std::uint64_t bytes_per_second = std::uint64_t{10} << 20U;
constexpr rlim_t most_memory = rlim_t{2} << 30U;
/// No store has so many rows.
constexpr std::int64_t most_rows = std::int64_t{1} << 48;

/// Before the rows of a chunk: digests, rows, inputs, results per interval, each as one array.
struct Piece {
  std::int64_t first = 0;
  std::int64_t count = 0;
};

/// Of this process already; with sanitizers it is terabytes.
rlim_t memory_now() {
  constexpr int data_field = 6;
  std::ifstream file("/proc/self/statm");
  rlim_t pages = 0;
  for (int i = 0; i < data_field; ++i) {
    file >> pages;
  }
  return pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
}

/// What the child does: sends to `pipe` what HDF5 reads.
void send_rows(const std::filesystem::path& path, const StoreIdentity& identity, int pipe) {
  const rlim_t seconds = patience_seconds + std::filesystem::file_size(path) / bytes_per_second;
  for (const auto& [resource, most] :
       {std::pair{RLIMIT_CORE, rlim_t{0}}, std::pair{RLIMIT_CPU, seconds},
        std::pair{RLIMIT_DATA, memory_now() + most_memory}}) {
    const rlimit both{most, most};
    static_cast<void>(::setrlimit(resource, &both));
  }
  const auto send = [&](const auto& values) {
    write_all(pipe, path, std::as_bytes(std::span(values)));
  };
  const ResultFile file = ResultFile::open_rows(path, identity);
  RescuedFile about{file.rows(), 0};
  try {
    about.epoch = file.outcome().epoch;
  } catch (const std::exception&) {
    // The attributes of the root are damaged.
  }
  send(std::array{about});
  for (Piece piece; piece.first < file.rows(); piece.first += file.chunk_rows()) {
    piece.count = std::min(file.chunk_rows(), file.rows() - piece.first);
    RowBatch batch;
    std::vector<std::uint64_t> digests;
    try {
      batch = file.read_unchecked(piece.first, piece.count);
      digests = file.read_digests(piece.first, piece.count);
    } catch (const std::exception&) {
      continue;  // the chunk of a column is damaged
    }
    send(std::array{piece});
    send(digests);
    send(batch.rows);
    send(batch.extras);
    send(batch.intervals);
  }
}

/// A process that sends the rows of a file; ends with this object.
class Child {
public:
  Child(const std::filesystem::path& path, const StoreIdentity& identity) {
    std::array<int, 2> ends{-1, -1};
    if (::pipe2(ends.data(), O_CLOEXEC) == 0) {
      pipe_ = Descriptor(ends[0]);
      const Descriptor writes(ends[1]);
      process_ = ::fork();
      if (process_ == 0) {
        try {
          send_rows(path, identity, writes.get());
        } catch (...) {
          // The parent has what was sent before.
        }
        ::_exit(0);
      }
    }
    if (process_ < 0) {
      throw RunError(path.string(), "cannot be read by another process: " + reason_of(errno),
                     "try again when the machine has room for a process");
    }
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    ::kill(process_, SIGKILL);
    while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }

  /// False if the child has no more to say.
  template <typename Values>
  bool receive(Values& values) {
    std::span<std::byte> rest = std::as_writable_bytes(std::span(values));
    while (!rest.empty()) {
      const ssize_t count = ::read(pipe_.get(), rest.data(), rest.size());
      if (count == 0 || (count < 0 && errno != EINTR)) {
        return false;
      }
      rest = rest.subspan(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    }
    return true;
  }

private:
  Descriptor pipe_{-1};
  pid_t process_ = -1;
};

}  // namespace

RescuedFile rescue_rows(const std::filesystem::path& path, const StoreIdentity& identity,
                        const std::function<void(const RescuedRow&)>& take) {
  const StoreSetup& setup = identity.setup;
  const std::size_t width = setup.extra_columns.size();
  const std::size_t intervals = setup.interval_results ? setup.intervals.size() : 0;
  Child child(path, identity);
  std::array<RescuedFile, 1> about;
  if (!child.receive(about) || about[0].rows < 0 || about[0].rows > most_rows) {
    return {};
  }
  RowBatch batch;
  std::vector<std::uint64_t> digests;
  // The child may be out of its mind: its numbers are no more trusted than its rows.
  for (std::array<Piece, 1> piece; child.receive(piece) && piece[0].first >= 0 &&
                                   piece[0].first < about[0].rows && piece[0].count >= 0 &&
                                   piece[0].count <= setup.chunk_rows;) {
    const auto count = static_cast<std::size_t>(piece[0].count);
    digests.resize(count);
    batch.rows.resize(count);
    batch.extras.resize(count * width);
    batch.intervals.resize(count * intervals);
    if (!child.receive(digests) || !child.receive(batch.rows) || !child.receive(batch.extras) ||
        !child.receive(batch.intervals)) {
      break;
    }
    for (std::size_t i = 0; i < count; ++i) {
      const RescuedRow row{piece[0].first + static_cast<std::int64_t>(i), batch.rows[i],
                           std::span(batch.extras).subspan(i * width, width),
                           std::span(batch.intervals).subspan(i * intervals, intervals)};
      if (row_digest(row.number, row.row, row.extras, row.intervals) == digests[i]) {
        take(row);
      }
    }
  }
  return {about[0].rows, std::max<std::int64_t>(about[0].epoch, 0)};
}

}  // namespace gridcast::store
