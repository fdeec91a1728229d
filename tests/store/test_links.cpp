#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>

#include "gridcast/base/error.h"
#include "gridcast/store/journal.h"
#include "gridcast/store/lock.h"
#include "gridcast/store/paths.h"
#include "gridcast/store/writer.h"
#include "sample.h"

using namespace gridcast;
using namespace gridcast::store;
using namespace gridcast::store::testing;

namespace {

void add_rows(StoreWriter& writer, std::int64_t to) {
  for (std::int64_t i = writer.rows(); i < to; ++i) {
    writer.append(sample_row(i));
  }
  writer.flush();
}

}  // namespace

TEST_CASE("a path is resolved through links of the file and of its directory") {
  const TemporaryDirectory directory;
  const std::filesystem::path root = std::filesystem::canonical(directory.path());
  std::filesystem::create_directory(root / "disk");
  std::filesystem::create_directory_symlink("disk", root / "work");
  std::filesystem::create_symlink("S.h5", root / "disk" / "second");
  std::filesystem::create_symlink(root / "work" / "second", root / "first");
  REQUIRE(resolve_links(root / "work" / "S.h5") == root / "disk" / "S.h5");
  REQUIRE(resolve_links(root / "first") == root / "disk" / "S.h5");  // it need not exist
  std::filesystem::create_symlink("loop", root / "loop");
  REQUIRE_THROWS_AS(resolve_links(root / "loop"), InputError);
}

TEST_CASE("a store opened through a link has the journal, the lock and the rows of its file") {
  const TemporaryDirectory directory;
  std::filesystem::create_directory(directory / "disk");
  const auto file = directory / "disk" / "S.h5";
  const auto link = directory / "S.h5";
  std::filesystem::create_symlink(file, link);
  {
    // The link may be there before the store.
    StoreWriter writer = StoreWriter::create(link, sample_setup());
    add_rows(writer, 5);
    REQUIRE(std::filesystem::exists(journal_path(file)));
    REQUIRE(std::filesystem::exists(lock_path(file)));
    REQUIRE(names_in(directory.path()) == std::vector<std::string>{"S.h5", "disk"});
    REQUIRE(csv_of(read_store(link).table) == expected_csv(5));
    REQUIRE(read_store(link).state == StoreState::running);
    REQUIRE_THROWS_AS(StoreWriter::resume(file, sample_setup()), InputError);
  }
  {
    StoreWriter writer = StoreWriter::resume(link, sample_setup());
    REQUIRE(writer.rows() == 5);
    // A link that is turned elsewhere meanwhile leads the writer nowhere.
    std::filesystem::remove(link);
    std::filesystem::create_symlink(directory / "elsewhere", link);
    add_rows(writer, 9);
    writer.finish(std::nullopt);
  }
  REQUIRE(std::filesystem::is_symlink(link));
  REQUIRE_FALSE(std::filesystem::exists(directory / "elsewhere"));
  REQUIRE(names_in(directory / "disk") == std::vector<std::string>{"S.h5"});
  REQUIRE(csv_of(read_store(file).table) == expected_csv(9));
}

TEST_CASE("links with the names of a store's own files are not followed") {
  const TemporaryDirectory directory;
  const auto path = directory / "S.h5";
  const auto victim = directory / "victim";
  std::ofstream(victim) << "precious";
  const bool resumed = GENERATE(false, true);
  if (resumed) {
    StoreWriter::create(path, sample_setup()).close();
  }
  for (const char* const own : {".next", ".tmp", ".journal.new", ".progress", ".progress.new"}) {
    std::filesystem::create_symlink(victim, path.string() + own);
  }
  StoreWriter writer = resumed ? StoreWriter::resume(path, sample_setup())
                               : StoreWriter::create(path, sample_setup());
  REQUIRE_FALSE(read_progress(path));  // a link there is none
  add_rows(writer, 3);
  writer.tell({0.25, "3 of 12 grids", "best 2x2: 1.000 s"});
  const std::optional<RunProgress> told = read_progress(path);
  REQUIRE(told);
  CHECK(told->share == 0.25);
  CHECK(told->work == "3 of 12 grids");
  CHECK(told->answer == "best 2x2: 1.000 s");
  writer.finish(std::nullopt);
  CHECK_FALSE(std::filesystem::exists(progress_path(path)));
  REQUIRE(contents(victim) == "precious");
  REQUIRE(csv_of(read_store(path).table) == expected_csv(3));
  REQUIRE(names_in(directory.path()) == std::vector<std::string>{"S.h5", "victim"});
}
