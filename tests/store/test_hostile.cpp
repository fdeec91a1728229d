/// What lies in the place of a store's files without being one of them, and journals whose digests
/// are right and whose rows cannot be. Crafted stores: tests/cli/check_hostile_stores.py.
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "gridcast/base/error.h"
#include "gridcast/store/journal.h"
#include "gridcast/store/repair.h"
#include "gridcast/store/writer.h"
#include "sample.h"

using namespace gridcast;
using namespace gridcast::store;
using namespace gridcast::store::testing;

namespace {

std::filesystem::path store_of(const TemporaryDirectory& directory, std::int64_t rows) {
  const auto path = directory / "S.h5";
  StoreWriter writer = StoreWriter::create(path, sample_setup());
  for (std::int64_t i = 0; i < rows; ++i) {
    writer.append(sample_row(i));
  }
  writer.close();
  return path;
}

void make_socket(const std::filesystem::path& path) {
  const int made = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.string().copy(address.sun_path, sizeof address.sun_path - 1);
  REQUIRE(::bind(made, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  ::close(made);
}

void put_in_place(const std::filesystem::path& path, const std::string& kind) {
  if (kind == "pipe") {
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  } else if (kind == "directory") {
    std::filesystem::create_directory(path);
  } else if (kind == "device") {
    std::filesystem::create_symlink("/dev/zero", path);
  } else {
    make_socket(path);
  }
}

/// One line that names the file, or nothing.
template <class Call>
std::string complaint(Call&& call) {
  try {
    call();
  } catch (const RunError& error) {
    return error.what();
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

template <class Change>
std::filesystem::path store_with_odd_journal(const TemporaryDirectory& directory,
                                             const Change& change) {
  const auto path = store_of(directory, 3);
  const Store before = read_store(path);
  JournalWriter writer(journal_path(path), {before.store_id, 3, 0, 0, 1});
  ResultRow row = sample_row(3);
  change(row);
  writer.append(3, row, {}, {}, {});
  writer.flush();
  writer.sync();
  return path;
}

}  // namespace

TEST_CASE("what is no regular file is refused where a file of the store belongs") {
  const TemporaryDirectory directory;
  const std::string kind = GENERATE("pipe", "directory", "device", "socket");
  const std::string suffix = GENERATE(".journal", ".lock", "");
  CAPTURE(kind, suffix);
  if (kind == "device" && suffix.empty()) {
    return;  // a store may be named by a link, and its lock would lie beside the device
  }
  const auto path = suffix.empty() ? directory / "S.h5" : store_of(directory, 3);
  put_in_place(path.string() + suffix, kind);
  // A reader or writer that waited for a pipe would wait for ever.
  ::alarm(60);
  const std::string read = complaint([&] { static_cast<void>(read_store(path)); });
  const std::string written = complaint(
      [&] { static_cast<void>(StoreWriter::resume(path, sample_setup(), FailedRows::keep)); });
  const std::string inspected = complaint([&] { static_cast<void>(inspect_store(path)); });
  ::alarm(0);
  CHECK(written.find(path.string()) == 0);
  CHECK(written.find('\n') == std::string::npos);
  if (suffix != ".lock") {
    CHECK(read.find(path.string()) == 0);
    CHECK((!inspected.empty() || suffix == ".journal"));
  }
}

TEST_CASE("a new store is not begun beside a journal that is a pipe") {
  const TemporaryDirectory directory;
  const auto path = directory / "S.h5";
  put_in_place(journal_path(path), "pipe");
  ::alarm(60);
  const std::string written =
      complaint([&] { static_cast<void>(StoreWriter::create(path, sample_setup())); });
  ::alarm(0);
  CHECK(written.find("is a pipe where a file of the store belongs") != std::string::npos);
}

TEST_CASE("rows of a journal that cannot be are damage") {
  const TemporaryDirectory directory;
  const auto path = store_with_odd_journal(directory, [](ResultRow& row) {
    switch (GENERATE(0, 1, 2, 3, 4, 5)) {
      case 0:
        row.characteristics.execution_time = std::nan("");
        break;
      case 1:
        row.characteristics.idle = -std::numeric_limits<double>::infinity();
        break;
      case 2:
        row.extents = {46341, 46341, 1, 1};
        break;
      case 3:
        row.rank = 9;
        break;
      case 4:
        row.extents[0] = -1;
        break;
      default:
        row.status = static_cast<Status>(7);
        break;
    }
  });
  CHECK(complaint([&] { static_cast<void>(read_store(path)); }).find("is damaged: 1 of its rows") !=
        std::string::npos);
  CHECK_FALSE(inspect_store(path).sound);
  CHECK(repair_store(path).rows == 3);
  CHECK(csv_of(read_store(path).table) == expected_csv(3));
}

TEST_CASE("a row of a journal that can be is read") {
  const TemporaryDirectory directory;
  const auto path = store_with_odd_journal(directory, [](ResultRow&) {});
  CHECK(csv_of(read_store(path).table) == expected_csv(4));
}
