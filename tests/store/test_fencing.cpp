#include <catch2/catch.hpp>
#include <fstream>
#include <map>

#include "gridcast/base/error.h"
#include "gridcast/store/journal.h"
#include "gridcast/store/lock.h"
#include "gridcast/store/writer.h"
#include "sample.h"

using namespace gridcast;
using namespace gridcast::store;
using namespace gridcast::store::testing;

namespace {

StoreSetup small_setup() {
  StoreSetup setup = sample_setup();
  setup.chunk_rows = 16;
  return setup;
}

void append_to(StoreWriter& writer, std::int64_t to) {
  for (std::int64_t i = writer.rows(); i < to; ++i) {
    writer.append(sample_row(i));
  }
}

std::map<std::string, std::string> files_in(const std::filesystem::path& directory) {
  std::map<std::string, std::string> files;
  for (const std::string& name : names_in(directory)) {
    files[name] = contents(directory / name);
  }
  return files;
}

}  // namespace

TEST_CASE("a writer whose lock was taken away writes nothing more") {
  const TemporaryDirectory directory;
  const auto path = directory / "S.h5";
  const bool by_a_user = GENERATE(false, true);
  std::map<std::string, std::string> before;
  {
    StoreWriter writer = StoreWriter::create(path, small_setup());
    append_to(writer, 40);
    writer.flush();
    if (by_a_user) {
      std::filesystem::remove(lock_path(path));
    } else {
      std::ofstream(lock_path(path))
          << "format=2\nhost=elsewhere\nboot=b\npid=17\nstart_time=1\njob=\nrestart=0\nepoch=2\n"
             "token=t\nkernel=0\nend=1\n";
    }
    before = files_in(directory.path());
    SECTION("and a batch ends") {
      const std::string message = message_of<RunError>([&] {
        append_to(writer, 43);
        writer.flush();
      });
      REQUIRE_THAT(message, Catch::Contains("the lock of this writer"));
      REQUIRE_THROWS_AS(writer.append(sample_row(50)), RunError);
    }
    SECTION("and a snapshot is due") { REQUIRE_THROWS_AS(append_to(writer, 4000), RunError); }
    SECTION("and the run ends") { REQUIRE_THROWS_AS(writer.finish(std::nullopt), RunError); }
    SECTION("and the run is stopped") { REQUIRE_THROWS_AS(writer.close(), RunError); }
    SECTION("and the store is discarded") { writer.discard(); }
    SECTION("and the writer is abandoned") {}
  }
  std::map<std::string, std::string> after = files_in(directory.path());
  // The working file is this writer's own; another one makes a new one in its place.
  before.erase("S.h5.next");
  after.erase("S.h5.next");
  REQUIRE(after == before);
}

TEST_CASE("a store that another program replaced is not written over") {
  const TemporaryDirectory directory;
  const auto path = directory / "S.h5";
  StoreWriter writer = StoreWriter::create(path, small_setup());
  append_to(writer, 5);
  writer.flush();
  std::filesystem::copy_file(path, directory / "copy");
  std::filesystem::rename(directory / "copy", path);
  const std::string before = contents(path);
  REQUIRE_THAT(message_of<RunError>([&] { writer.finish(std::nullopt); }),
               Catch::Contains("was replaced by another program"));
  REQUIRE(contents(path) == before);
}

TEST_CASE("a journal that another program deleted is not written to in vain") {
  const TemporaryDirectory directory;
  const auto path = directory / "S.h5";
  StoreWriter writer = StoreWriter::create(path, small_setup());
  std::filesystem::remove(journal_path(path));
  const std::string message = message_of<RunError>([&] {
    append_to(writer, 5);
    writer.flush();
  });
  REQUIRE_THAT(message, Catch::Contains("was replaced or deleted by another program"));
}

TEST_CASE("two writers after a lock was deleted by hand: the first one stops, no row is lost") {
  const TemporaryDirectory directory;
  const auto path = directory / "S.h5";
  StoreWriter first = StoreWriter::create(path, small_setup());
  append_to(first, 40);
  first.flush();
  const std::int64_t epoch = read_lock(path)->epoch;
  std::filesystem::remove(lock_path(path));
  StoreWriter second = StoreWriter::resume(path, small_setup());
  REQUIRE(read_lock(path)->epoch > epoch);
  REQUIRE(second.rows() == 40);
  append_to(second, 50);
  const std::string message = message_of<RunError>([&] {
    append_to(first, 60);
    first.flush();
  });
  REQUIRE_THAT(message, Catch::Contains("was taken over by process"));
  REQUIRE_THROWS_AS(first.finish(std::nullopt), RunError);
  second.flush();
  append_to(second, 70);
  second.finish(std::nullopt);
  REQUIRE(csv_of(read_store(path).table) == expected_csv(70));
  REQUIRE(names_in(directory.path()) == std::vector<std::string>{"S.h5"});
}
