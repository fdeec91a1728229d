/// Random damage to stores and journals. tools/damage-store runs many more of them with sanitizers:
/// GRIDCAST_DAMAGES is their number, GRIDCAST_SEED where the random numbers begin.
#include <sys/time.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <random>
#include <set>
#include <sstream>

#include "gridcast/base/error.h"
#include "gridcast/store/journal.h"
#include "gridcast/store/repair.h"
#include "gridcast/store/writer.h"
#include "sample.h"
#include "store/recovery_record.h"

using namespace gridcast;
using namespace gridcast::store;
using namespace gridcast::store::testing;

namespace {

constexpr std::int64_t snapshot_rows = 70;  ///< four chunks and a part of one
constexpr std::int64_t all_rows = 100;      ///< the others are in the journal
constexpr std::int64_t rows_per_chunk = 16;
constexpr time_t patience_seconds = 60;

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

/// A hang ends the program; seconds on the processor, so that a busy machine is no hang. 0: no
/// limit.
void limit_processor_time(time_t seconds) {
  itimerval limit{};
  limit.it_value.tv_sec = seconds;
  setitimer(ITIMER_PROF, &limit, nullptr);
}

void overwrite_file(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream stream(path, std::ios::binary | std::ios::trunc);
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

/// A store as a killed writer leaves it, and what must be readable.
class Victim {
public:
  Victim() : path_(directory_ / "S.h5") {
    StoreSetup setup = sample_setup();
    setup.chunk_rows = rows_per_chunk;
    setup.extra_columns = {{"variant", "1", "machine variant", ColumnType::int64}};
    setup.intervals = sample_intervals();
    setup.interval_results = true;
    {
      StoreWriter writer = StoreWriter::create(path_, setup);
      append(writer, 0, snapshot_rows);
      writer.close();
    }
    {
      StoreWriter writer = StoreWriter::resume(path_, setup);
      append(writer, snapshot_rows, all_rows);
      writer.flush();
      store_ = contents(path_);
      journal_ = synced(contents(journal_path(path_)));
    }
    restore();
    whole_ = lines_of(read_store(path_).table);
  }

  void restore() const {
    for (const auto& entry : std::filesystem::directory_iterator(directory_.path())) {
      std::filesystem::remove_all(entry.path());
    }
    overwrite_file(path_, store_);
    overwrite_file(journal_path(path_), journal_);
  }

  static std::set<std::string> lines_of(const Table& table) {
    std::istringstream text(csv_of(table));
    std::set<std::string> lines;
    for (std::string line; std::getline(text, line);) {
      lines.insert(line);
    }
    return lines;
  }

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  [[nodiscard]] const std::string& store() const noexcept { return store_; }
  [[nodiscard]] const std::string& journal() const noexcept { return journal_; }
  /// The lines of the exported table, the header among them.
  [[nodiscard]] const std::set<std::string>& whole() const noexcept { return whole_; }

private:
  static void append(StoreWriter& writer, std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      const std::vector<double> extras{static_cast<double>(i % 7)};
      if (i % 31 == 5) {
        writer.append_failure(sample_row(i), "too many processors", extras);
      } else {
        writer.append(sample_row(i), extras, sample_interval_results(i, 3));
      }
    }
  }

  /// The journal of a writer that has waited for the disk: written anew with the same rows.
  std::string synced(const std::string& journal) const {
    const auto from = directory_ / "J";
    const auto to = directory_ / "K";
    overwrite_file(from, journal);
    std::optional<JournalReader> reader = JournalReader::open(from);
    JournalWriter writer(to, reader->header());
    while (const auto record = reader->next()) {
      writer.append(record->number, record->row, record->extras, record->intervals, record->reason);
    }
    writer.flush();
    writer.sync();
    return contents(to);
  }

  TemporaryDirectory directory_;
  std::filesystem::path path_;
  std::string store_;
  std::string journal_;
  std::set<std::string> whole_;
};

class Damager {
public:
  explicit Damager(std::uint64_t seed) : random_(seed) {}

  std::string damaged(std::string bytes) {
    const std::size_t at = below(bytes.size());
    const std::size_t length = 1 + below(std::min<std::size_t>(bytes.size() - at, largest()));
    switch (below(8)) {
      case 0:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
        break;
      case 1:
        bytes[at] = static_cast<char>(below(256));
        break;
      case 2:
        bytes.replace(at, length, length, '\0');
        break;
      case 3:
        bytes.resize(at);
        break;
      case 4:
        bytes.replace(below(bytes.size()), length, bytes.substr(at, length));
        break;
      case 5:
        bytes.insert(below(bytes.size()), bytes.substr(at, length));
        break;
      case 6:
        bytes.erase(at, length);
        break;
      default:
        std::generate_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), length,
                        [this] { return static_cast<char>(below(256)); });
        break;
    }
    return bytes;
  }

  std::size_t below(std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random_);
  }

private:
  /// Small ranges as often as large ones.
  std::size_t largest() { return std::size_t{1} << below(16); }

  std::mt19937_64 random_;
};

/// Where h5py finds the chunk of a dataset that has `row`, and its length.
std::pair<std::size_t, std::size_t> chunk_place(const std::filesystem::path& path,
                                                const std::string& dataset, std::int64_t row) {
  std::istringstream answer(
      run_script("check_store.py", {"chunk", path.string(), dataset, std::to_string(row)}).output);
  std::pair<std::size_t, std::size_t> place;
  answer >> place.first >> place.second;
  return place;
}

/// Reading says that rows are missing, or gives them all; never others.
void require_not_silent(const Victim& victim) {
  try {
    const Store store = read_store(victim.path());
    const std::set<std::string> lines = Victim::lines_of(store.table);
    REQUIRE(
        std::includes(victim.whole().begin(), victim.whole().end(), lines.begin(), lines.end()));
    REQUIRE(static_cast<std::int64_t>(victim.whole().size() - lines.size()) ==
            store.unreadable_rows);
    REQUIRE(store.setup.description == sample_description());
    REQUIRE(store.failures.size() >= 2);
  } catch (const RunError& error) {
    REQUIRE(std::string(error.what()).find('\n') == std::string::npos);
  } catch (const InputError& error) {
    REQUIRE(std::string(error.what()).find('\n') == std::string::npos);
  }
}

/// Repairing keeps rows as they were written, and counts what is lost. How many were lost.
std::size_t rows_lost_by_repair(const Victim& victim, bool countable) {
  const Repair repair = repair_store(victim.path());
  const Store store = read_store(victim.path());
  const std::set<std::string> lines = Victim::lines_of(store.table);
  REQUIRE(std::includes(victim.whole().begin(), victim.whole().end(), lines.begin(), lines.end()));
  REQUIRE(lines.size() == store.table.rows.size() + 1);
  const std::size_t lost = victim.whole().size() - lines.size();
  if (repair.done) {
    REQUIRE(repair.rows == static_cast<std::int64_t>(store.table.rows.size()));
    REQUIRE(inspect_store(victim.path()).sound);
    REQUIRE(repair.kept.size() == 2);
    REQUIRE(repair.before.missing <= static_cast<std::int64_t>(lost));
    REQUIRE((!countable || repair.before.missing == static_cast<std::int64_t>(lost)));
  }
  return lost;
}

/// A sample store of `rows` rows in chunks of 16, complete.
void make_complete(const std::filesystem::path& path, std::int64_t rows) {
  StoreSetup setup = sample_setup();
  setup.chunk_rows = rows_per_chunk;
  StoreWriter writer = StoreWriter::create(path, setup);
  for (std::int64_t i = 0; i < rows; ++i) {
    writer.append(sample_row(i));
  }
  writer.finish(Best{sample_row(1), sample_row(2)});
}

}  // namespace

TEST_CASE(
    "random damage is never silent, a repair keeps what was written and counts what it loses") {
  const Victim victim;
  const std::uint64_t seed = setting("GRIDCAST_SEED", 1);
  const std::uint64_t count = setting("GRIDCAST_DAMAGES", 150);
  Damager damager(seed);
  for (std::uint64_t i = 0; i < count; ++i) {
    CAPTURE(seed, i);
    limit_processor_time(patience_seconds);
    victim.restore();
    const bool in_journal = i % 2 == 1;
    const std::filesystem::path file = in_journal ? journal_path(victim.path()) : victim.path();
    const std::string& before = in_journal ? victim.journal() : victim.store();
    const std::string after = damager.damaged(before);
    overwrite_file(file, after);
    require_not_silent(victim);
    try {
      // The ends of both files say how many rows there were.
      constexpr std::size_t ends = 160;
      const bool countable =
          after.size() == before.size() &&
          (in_journal ? after.substr(0, ends) == before.substr(0, ends)
                      : after.substr(after.size() - ends) == before.substr(before.size() - ends));
      const std::size_t lost = rows_lost_by_repair(victim, countable);
      const auto begins = std::mismatch(after.begin(), after.end(), before.begin(), before.end());
      const bool one_byte = countable && std::equal(std::min(begins.first + 1, after.end()),
                                                    after.end(), begins.second + 1);
      if (in_journal && one_byte) {
        REQUIRE(lost <= 1);
      }
      if (!in_journal) {
        REQUIRE(lost <= snapshot_rows);  // the journal stays
      }
    } catch (const InputError&) {
      // So little was left that nothing says what the store was.
      REQUIRE_FALSE(in_journal);
      REQUIRE(find_description(victim.path()) == std::nullopt);
    }
  }
  limit_processor_time(0);
}

TEST_CASE("a damaged byte of a column costs its chunk only, and --resume can go on") {
  const TemporaryDirectory directory;
  const auto path = directory / "S.h5";
  make_complete(path, all_rows);
  const auto [address, bytes] = chunk_place(path, "results/idle", 2 * rows_per_chunk);
  std::string text = contents(path);
  text[address + bytes / 2] = static_cast<char>(text[address + bytes / 2] ^ 1);
  overwrite_file(path, text);

  const Inspection inspection = inspect_store(path);
  REQUIRE_FALSE(inspection.sound);
  REQUIRE(inspection.rows == all_rows - rows_per_chunk);
  REQUIRE(inspection.missing == rows_per_chunk);
  REQUIRE_THAT(inspection.findings.back(), Catch::Contains("16 of its 100 rows cannot be read"));
  const std::string expected = "is damaged: its bytes are not those that were written";
  StoreSetup setup = sample_setup();
  setup.chunk_rows = rows_per_chunk;
  REQUIRE_THAT(
      message_of<RunError>([&] { (void)StoreWriter::resume(path, setup); }),
      Catch::Contains(expected) && Catch::Contains("gridcast store repair " + path.string()));

  const Repair repair = repair_store(path);
  REQUIRE(repair.done);
  REQUIRE(contents(repair.kept.at(0)) == text);
  const Store store = read_store(path);
  REQUIRE(store.state == StoreState::stopped);
  REQUIRE(store.created.size() > 0);
  REQUIRE(store.setup.description == sample_description());
  StoreWriter writer = StoreWriter::resume(path, setup);
  REQUIRE(writer.rows() == all_rows - rows_per_chunk);
  for (std::int64_t i = 2 * rows_per_chunk; i < 3 * rows_per_chunk; ++i) {
    writer.append(sample_row(i));
  }
  writer.finish(Best{sample_row(1), sample_row(2)});
  REQUIRE(csv_of(read_store(path).table) == expected_csv(all_rows));
  const auto result =
      run_script("check_store.py", {"open", path.string(), std::to_string(all_rows)});
  REQUIRE(result.exit_code == 0);
}

TEST_CASE("values that HDF5 reads with a right checksum, but of another row, are not kept") {
  const TemporaryDirectory directory;
  const auto path = directory / "S.h5";
  make_complete(path, all_rows);
  const auto copied = run_script("check_store.py", {"copy_chunk", path.string(), "results/p1", "0",
                                                    std::to_string(rows_per_chunk)});
  INFO(copied.output);
  REQUIRE(copied.exit_code == 0);
  REQUIRE(repair_store(path).before.missing == rows_per_chunk);
  const Store store = read_store(path);
  REQUIRE(store.table.rows.size() == static_cast<std::size_t>(all_rows - rows_per_chunk));
  for (const ResultRow& row : store.table.rows) {
    const std::int64_t i = row.extents[0] - 1 + 97 * (row.extents[1] - 1);
    REQUIRE(row.characteristics.idle == sample_row(i).characteristics.idle);
    REQUIRE((i < rows_per_chunk || i >= 2 * rows_per_chunk));
  }
}

TEST_CASE("of a store that HDF5 cannot open the rows of the journal are kept") {
  const Victim victim;
  std::string text = victim.store();
  // HDF5's superblock.
  text.replace(8, 32, 32, '\x55');
  overwrite_file(victim.path(), text);
  REQUIRE_THROWS_AS(read_store(victim.path()), RunError);
  const Inspection inspection = inspect_store(victim.path());
  REQUIRE(inspection.missing == snapshot_rows);
  REQUIRE_THAT(inspection.findings.at(1), Catch::Contains("HDF5 cannot read its 70 rows"));
  const Repair repair = repair_store(victim.path());
  REQUIRE(repair.rows == all_rows - snapshot_rows);
  const Store store = read_store(victim.path());
  REQUIRE(store.state == StoreState::stopped);
  REQUIRE(store.setup.description == sample_description());
  REQUIRE(store.setup.intervals.size() == sample_intervals().size());
  REQUIRE(store.failures.size() == 1);  // row 98
  REQUIRE(store.failures.front().reason == "too many processors");
  const std::set<std::string> lines = Victim::lines_of(store.table);
  REQUIRE(std::includes(victim.whole().begin(), victim.whole().end(), lines.begin(), lines.end()));
  REQUIRE(lines.size() == all_rows - snapshot_rows + 1);
}

TEST_CASE("a description survives in its second copy") {
  const TemporaryDirectory directory;
  const auto path = directory / "S.h5";
  make_complete(path, all_rows);
  std::string text = contents(path);
  const std::string mark = "GCRECRD3";
  const std::size_t first = text.find(mark);
  const std::size_t second = text.find(mark, first + 1);
  REQUIRE(second != std::string::npos);
  const std::size_t damaged = GENERATE_COPY(first, second);
  text[damaged + 100] = static_cast<char>(text[damaged + 100] ^ 1);
  overwrite_file(path, text);
  REQUIRE(repair_store(path).rows == all_rows);
  REQUIRE(read_store(path).setup.description == sample_description());
}

TEST_CASE("a sound store is not repaired") {
  const TemporaryDirectory directory;
  const auto path = directory / "S.h5";
  StoreWriter::create(path, sample_setup()).close();
  const std::string before = contents(path);
  REQUIRE(inspect_store(path).sound);
  REQUIRE_FALSE(repair_store(path).done);
  REQUIRE(contents(path) == before);
  REQUIRE(names_in(directory.path()) == std::vector<std::string>{"S.h5"});
}
