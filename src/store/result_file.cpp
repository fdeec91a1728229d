#include "result_file.h"

#include <algorithm>
#include <array>

#include "description_file.h"
#include "files.h"
#include "gridcast/base/contract.h"
#include "gridcast/base/error.h"
#include "gridcast/base/printable.h"
#include "gridcast/store/run_columns.h"
#include "seal.h"
#include "validation.h"

namespace gridcast::store {
namespace {

constexpr const char* config = "config";
constexpr const char* conventions = "CF-1.8";  // units, long_name, flag_values, flag_meanings
constexpr std::array choices{"chosen", "unconstrained"};
/// Below HDF5's default chunk cache, so that every reader reads a chunk once.
constexpr std::size_t largest_interval_chunk = std::size_t{1} << 19U;
/// Room for HDF5's own structures per dataset and append: a new node of the chunk index.
constexpr std::size_t overhead_per_series = 4096;
constexpr std::size_t overhead = std::size_t{1} << 18U;

MemoryLayout extra_layout(std::size_t index, std::size_t count) noexcept {
  return {count * sizeof(double), index * sizeof(double), sizeof(double)};
}

/// The values of extra column `index` in the type of its dataset.
std::vector<std::int64_t> as_integers(const RowBatch& batch, std::size_t index, std::size_t count) {
  std::vector<std::int64_t> values(batch.rows.size());
  for (std::size_t row = 0; row < values.size(); ++row) {
    values[row] = static_cast<std::int64_t>(batch.extras[row * count + index]);
  }
  return values;
}

constexpr MemoryLayout plain{sizeof(std::int64_t), 0, sizeof(std::int64_t)};
constexpr MemoryLayout of_int32{sizeof(std::int32_t), 0, sizeof(std::int32_t)};

template <typename Value>
const std::byte* bytes_of(const std::vector<Value>& values) noexcept {
  return reinterpret_cast<const std::byte*>(values.data());
}

void write_extra_names(const hdf5::Group& group, const std::vector<ExtraColumn>& extras) {
  std::vector<std::string> names;
  names.reserve(extras.size());
  for (const ExtraColumn& extra : extras) {
    names.push_back(extra.name);
  }
  hdf5::write_attribute(group, "extra_columns", std::span<const std::string>(names));
  for (const ExtraColumn& extra : extras) {
    const hdf5::Dataset dataset = hdf5::open_dataset(group, extra.name, 0);
    hdf5::write_attribute(dataset, "type", extra.type == ColumnType::int64 ? "int64" : "float64");
  }
}

std::vector<ExtraColumn> read_extra_columns(const hdf5::Group& group) {
  std::vector<ExtraColumn> extras;
  for (const std::string& name : hdf5::read_strings_attribute(group, "extra_columns")) {
    if (!hdf5::exists(group, name)) {
      throw RunError(*group.file(), "has no column " + printable(name),
                     "the file is damaged; restore it from a copy");
    }
    const hdf5::Dataset dataset = hdf5::open_dataset(group, name, 0);
    extras.push_back({name, hdf5::read_string_attribute(dataset, "units"),
                      hdf5::read_string_attribute(dataset, "long_name"),
                      hdf5::read_string_attribute(dataset, "type") == "int64"
                          ? ColumnType::int64
                          : ColumnType::float64});
  }
  return extras;
}

/// Threads of the chosen rows lie beside their columns.
constexpr const char* best_threads = "threads";

void create_best(const hdf5::File& file, bool with_threads) {
  const hdf5::Group group = hdf5::create_group(file, "best");
  const hdf5::Dataset choice =
      hdf5::create_dataset(group, "choice", hdf5::Type::string, {{0}, {choices.size()}, {true}});
  hdf5::make_scale(choice, "choice");
  static_cast<void>(ColumnSet::create(group, false, choices.size(), choice, 0, nullptr));
  if (with_threads) {
    const Series threads =
        Series::create(group, {best_threads, "1", "threads of each process of the grid"},
                       hdf5::Type::int32, choices.size(), 0);
    hdf5::attach_scale(threads.dataset(), choice, 0);
  }
}

}  // namespace

std::int64_t interval_chunk_rows(std::int64_t chunk_rows, std::size_t width) noexcept {
  std::int64_t rows = chunk_rows;
  while (rows > 1 &&
         static_cast<std::size_t>(rows) * width * sizeof(double) > largest_interval_chunk) {
    rows /= 2;
  }
  return rows;
}

std::int64_t fitting_chunk_rows(std::int64_t limit, std::size_t row_bytes) noexcept {
  constexpr std::size_t largest = std::size_t{1} << 25U;
  std::int64_t rows = 1;
  while (rows * 2 <= limit && static_cast<std::size_t>(rows) * 2 * row_bytes <= largest) {
    rows *= 2;
  }
  return rows;
}

ResultFile ResultFile::create(const std::filesystem::path& path, const StoreSetup& setup,
                              const std::string& store_id, const std::string& created) {
  ResultFile result(path, hdf5::create_file(path), setup);
  result.store_id_ = store_id;
  result.created_ = created;
  result.setup_.chunk_rows = fitting_chunk_rows(setup.chunk_rows, result.row_bytes());
  const hdf5::File& file = result.file_;
  hdf5::write_attribute(file, "schema", schema_name);
  hdf5::write_attribute(file, "Conventions", conventions);
  hdf5::write_attribute(file, "store_id", store_id);
  hdf5::write_attribute(file, "created", created);
  hdf5::write_attribute(file, "chunk_rows", result.setup_.chunk_rows);
  hdf5::write_attribute(file, "interval_results", std::int64_t{setup.interval_results});
  write_description(file, setup.description);
  result.create_results();
  write_intervals(file, setup.intervals);
  if (setup.interval_results) {
    result.create_interval_results();
  }
  create_failures(file);
  create_best(file, has_threads(setup));
  write_sources(file, setup.sources);
  result.create_recovery();
  result.write_outcome({false, {}, setup.description.candidates, setup.description.not_bad, 0});
  return result;
}

ResultFile ResultFile::open(const std::filesystem::path& path, hdf5::Access access) {
  if (access == hdf5::Access::read) {
    require_seal(path);
  }
  hdf5::File file = hdf5::open_file(path, access);
  if (!hdf5::has_attribute(file, "schema") ||
      hdf5::read_string_attribute(file, "schema") != schema_name) {
    throw InputError(path.string(), 0, "is not a store of gridcast",
                     std::string("expected an HDF5 file with schema ") + schema_name);
  }
  if (access == hdf5::Access::read) {
    hdf5::require_own_contents(file);
  }
  ResultFile result(path, std::move(file), {});
  result.store_id_ = hdf5::read_string_attribute(result.file_, "store_id");
  result.created_ = hdf5::read_string_attribute(result.file_, "created");
  result.setup_.description = read_description(result.file_);
  result.setup_.chunk_rows = hdf5::read_integer_attribute(result.file_, "chunk_rows");
  result.setup_.interval_results =
      hdf5::read_integer_attribute(result.file_, "interval_results") != 0;
  result.setup_.intervals = read_intervals(result.file_);
  result.setup_.sources = read_sources(result.file_);
  result.setup_.extra_columns = read_extra_columns(hdf5::open_group(result.file_, "results"));
  result.open_series();
  result.require_consistent();
  require_no_trouble(path, trouble_with_identity(result.store_id_));
  require_no_trouble(path, trouble_with(result.setup_));
  require_no_trouble(path, trouble_with(result.outcome()));
  return result;
}

void ResultFile::create_results() {
  const auto chunk = static_cast<hsize_t>(setup_.chunk_rows);
  const hdf5::Group group = hdf5::create_group(file_, "results");
  numbers_.push_back(Series::create(group, {config, "1", "number of the configuration"},
                                    hdf5::Type::int64, chunk, 0));
  const hdf5::Dataset& scale = numbers_.back().dataset();
  hdf5::make_scale(scale, config);
  for (const ExtraColumn& extra : setup_.extra_columns) {
    extras_.push_back(Series::create(group, {extra.name, extra.units, extra.long_name},
                                     type_of(extra.type), chunk, 0));
    hdf5::attach_scale(extras_.back().dataset(), scale, 0);
  }
  results_.push_back(ColumnSet::create(group, false, chunk, scale, 0, nullptr));
  write_extra_names(group, setup_.extra_columns);
}

void ResultFile::create_interval_results() {
  const auto chunk = static_cast<hsize_t>(setup_.chunk_rows);
  const std::size_t width = setup_.intervals.size();
  const hdf5::Group group = hdf5::create_group(file_, "interval_results");
  numbers_.push_back(Series::create(group, {config, "1", "number of the configuration"},
                                    hdf5::Type::int64, chunk, 0));
  const hdf5::Dataset& scale = numbers_.back().dataset();
  hdf5::make_scale(scale, config);
  const hdf5::Dataset interval = create_scale(group, "interval", width, 1);
  interval_results_.push_back(ColumnSet::create(
      group, true, static_cast<hsize_t>(interval_chunk_rows(setup_.chunk_rows, width)), scale,
      static_cast<hsize_t>(width), &interval));
}

void ResultFile::open_series() {
  const auto chunk = static_cast<hsize_t>(setup_.chunk_rows);
  const hdf5::Group group = hdf5::open_group(file_, "results");
  numbers_.push_back(Series::open(group, config, hdf5::Type::int64, chunk));
  for (const ExtraColumn& extra : setup_.extra_columns) {
    extras_.push_back(Series::open(group, extra.name, type_of(extra.type), chunk));
  }
  results_.push_back(ColumnSet::open(group, false, chunk));
  if (setup_.interval_results) {
    const hdf5::Group intervals = hdf5::open_group(file_, "interval_results");
    numbers_.push_back(Series::open(intervals, config, hdf5::Type::int64, chunk));
    const std::size_t width = std::max<std::size_t>(setup_.intervals.size(), 1);
    interval_results_.push_back(ColumnSet::open(
        intervals, true,
        static_cast<hsize_t>(interval_chunk_rows(setup_.chunk_rows, width)) * width));
  }
  open_digests();
}

void ResultFile::require_consistent() {
  const hsize_t count = results_.front().rows();
  bool equal = interval_results_.empty() || interval_results_.front().rows() == count;
  for (const std::vector<Series>* list : {&numbers_, &extras_, &digests_}) {
    for (const Series& series : *list) {
      equal = equal && series.rows() == count;
    }
  }
  if (!equal) {
    throw RunError(path_.string(), "its columns have different lengths",
                   "the file is damaged; restore it from a copy");
  }
  if (!interval_results_.empty() && interval_results_.front().width() != setup_.intervals.size()) {
    throw RunError(path_.string(), "its results per interval have another width than its tree",
                   "the file is damaged; restore it from a copy");
  }
  rows_ = static_cast<std::int64_t>(count);
}

std::size_t row_bytes_of(const StoreSetup& setup) noexcept {
  const std::size_t intervals = setup.interval_results ? setup.intervals.size() : 0;
  return sizeof(ResultRow) + (setup.extra_columns.size() + 1) * sizeof(double) +
         intervals * sizeof(model::Characteristics);
}

std::size_t ResultFile::row_bytes() const noexcept { return row_bytes_of(setup_); }

void ResultFile::append(const RowBatch& batch) {
  if (batch.rows.empty()) {
    return;
  }
  const std::size_t series =
      columns().size() * (interval_results_.empty() ? 1 : 2) + extras_.size() + numbers_.size() + 1;
  reserve_space(path_, batch.rows.size() * row_bytes() + series * overhead_per_series + overhead);
  const auto first = static_cast<hsize_t>(rows_);
  const auto count = static_cast<hsize_t>(batch.rows.size());
  std::vector<std::int64_t> numbers(batch.rows.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = rows_ + static_cast<std::int64_t>(i);
  }
  for (const Series& number : numbers_) {
    number.append(first, count, bytes_of(numbers), plain, scratch_);
  }
  for (std::size_t i = 0; i < extras_.size(); ++i) {
    if (setup_.extra_columns[i].type == ColumnType::int64) {
      extras_[i].append(first, count, bytes_of(as_integers(batch, i, extras_.size())), plain,
                        scratch_);
    } else {
      extras_[i].append(first, count, bytes_of(batch.extras), extra_layout(i, extras_.size()),
                        scratch_);
    }
  }
  results_.front().append(first, count, batch.rows.data(), scratch_);
  if (!interval_results_.empty()) {
    interval_results_.front().append(first, count, batch.intervals.data(), scratch_);
  }
  append_digests(batch);
  rows_ += static_cast<std::int64_t>(count);
}

RowBatch ResultFile::read(std::int64_t first, std::int64_t count) const {
  RowBatch batch = read_unchecked(first, count);
  require_no_trouble(path_, trouble_with(batch, setup_.extra_columns, first));
  return batch;
}

RowBatch ResultFile::read_unchecked(std::int64_t first, std::int64_t count) const {
  RowBatch batch;
  const auto rows = static_cast<std::size_t>(count);
  const auto begin = static_cast<hsize_t>(first);
  const std::size_t width = extras_.size();
  batch.rows.resize(rows);
  batch.extras.resize(rows * width);
  results_.front().read(begin, rows, batch.rows.data(), scratch_);
  for (std::size_t i = 0; i < width; ++i) {
    if (setup_.extra_columns[i].type == ColumnType::int64) {
      std::vector<std::int64_t> values(rows);
      extras_[i].read(begin, rows, reinterpret_cast<std::byte*>(values.data()), plain, scratch_);
      for (std::size_t row = 0; row < rows; ++row) {
        batch.extras[row * width + i] = static_cast<double>(values[row]);
      }
    } else {
      extras_[i].read(begin, rows, reinterpret_cast<std::byte*>(batch.extras.data()),
                      extra_layout(i, width), scratch_);
    }
  }
  if (!interval_results_.empty()) {
    batch.intervals.resize(rows * setup_.intervals.size());
    interval_results_.front().read(begin, rows, batch.intervals.data(), scratch_);
  }
  return batch;
}

void ResultFile::write_best(const std::optional<Best>& best) {
  reserve_space(path_, columns().size() * overhead_per_series + overhead);
  const hdf5::Group group = hdf5::open_group(file_, "best");
  const ColumnSet set = ColumnSet::open(group, false, choices.size());
  std::vector<std::string> names;
  std::vector<ResultRow> rows;
  if (best) {
    names.assign(choices.begin(), choices.end());
    rows = {best->chosen, best->unconstrained};
  }
  hdf5::write_strings(hdf5::open_dataset(group, "choice", 0), names);
  set.append(0, rows.size(), rows.data(), scratch_);
  if (has_threads(setup_)) {
    std::vector<std::int32_t> threads(rows.size());
    std::ranges::transform(rows, threads.begin(), &ResultRow::threads);
    Series::open(group, best_threads, hdf5::Type::int32, choices.size())
        .append(0, threads.size(), bytes_of(threads), of_int32, scratch_);
  }
}

std::optional<Best> ResultFile::best() const {
  const hdf5::Group group = hdf5::open_group(file_, "best");
  const ColumnSet set = ColumnSet::open(group, false, choices.size());
  if (set.rows() != choices.size()) {
    return std::nullopt;
  }
  const std::vector<std::string> names = read_strings(group, "choice");
  require_no_trouble(
      path_, std::ranges::equal(names, choices) ? "" : "/best has choices that are not known");
  std::array<ResultRow, choices.size()> rows;
  set.read(0, rows.size(), rows.data(), scratch_);
  if (has_threads(setup_)) {
    std::array<std::int32_t, choices.size()> threads{};
    const Series series = Series::open(group, best_threads, hdf5::Type::int32, choices.size());
    require_no_trouble(path_, series.rows() == rows.size() ? "" : "/best has no threads");
    series.read(0, rows.size(), reinterpret_cast<std::byte*>(threads.data()), of_int32, scratch_);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const bool possible = threads[i] >= 1 && threads[i] <= ResultRow::most_threads;
      require_no_trouble(path_, possible ? "" : "/best has impossible threads");
      rows[i].set_run(threads[i], 0);
    }
  }
  for (const ResultRow& row : rows) {
    require_no_trouble(path_, trouble_with(row));
  }
  return Best{rows[0], rows[1]};
}

Outcome ResultFile::outcome() const {
  return {hdf5::read_integer_attribute(file_, "complete") != 0,
          hdf5::read_string_attribute(file_, "finished"),
          hdf5::read_integer_attribute(file_, "candidates"),
          hdf5::read_integer_attribute(file_, "not_bad"),
          hdf5::has_attribute(file_, "epoch") ? hdf5::read_integer_attribute(file_, "epoch") : 0};
}

void ResultFile::write_outcome(const Outcome& outcome) {
  hdf5::write_attribute(file_, "complete", std::int64_t{outcome.complete});
  hdf5::write_attribute(file_, "finished", outcome.finished);
  hdf5::write_attribute(file_, "candidates", outcome.candidates);
  hdf5::write_attribute(file_, "not_bad", outcome.not_bad);
  hdf5::write_attribute(file_, "epoch", outcome.epoch);
  hdf5::write_attribute(file_, "evaluated", rows_);
}

void ResultFile::close() {
  write_description_copy(1);
  numbers_.clear();
  extras_.clear();
  digests_.clear();
  results_.clear();
  interval_results_.clear();
  hdf5::close(std::move(file_));
  add_seal(path_, rows_);
}

}  // namespace gridcast::store
