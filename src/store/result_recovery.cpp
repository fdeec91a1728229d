/// The group /recovery of a store: see recovery_record.h.

#include <array>

#include "files.h"
#include "recovery_record.h"
#include "result_file.h"

namespace gridcast::store {
namespace {

constexpr const char* recovery_group = "recovery";
constexpr const char* digests_name = "rows";
/// The description lies in the file twice, so that no damage in one place takes it.
constexpr std::array copies{"description", "description_copy"};
constexpr MemoryLayout digest_layout{sizeof(std::int64_t), 0, sizeof(std::int64_t)};

}  // namespace

void ResultFile::write_description_copy(std::size_t copy) {
  if (!hdf5::exists(file_, recovery_group)) {
    static_cast<void>(hdf5::create_group(file_, recovery_group));
  }
  const hdf5::Group group = hdf5::open_group(file_, recovery_group);
  if (hdf5::exists(group, copies.at(copy))) {
    return;
  }
  const std::vector<std::byte> record = description_record({store_id_, created_, setup_});
  constexpr std::size_t structure = std::size_t{1} << 14U;
  reserve_space(path_, record.size() + structure);
  const std::array<hsize_t, 1> words{record.size() / sizeof(std::int64_t)};
  const hdf5::Dataset dataset =
      hdf5::create_dataset(group, copies.at(copy), hdf5::Type::int64, {{words[0]}, {}, {}});
  hdf5::write(dataset, hdf5::Type::int64, std::array<hsize_t, 1>{0}, words, record.data());
}

void ResultFile::create_recovery() {
  write_description_copy(0);
  digests_.push_back(Series::create(hdf5::open_group(file_, recovery_group),
                                    {digests_name, "1", "digests of the rows"}, hdf5::Type::int64,
                                    static_cast<hsize_t>(setup_.chunk_rows), 0));
}

void ResultFile::open_digests() {
  // Stores of earlier versions have none.
  if (hdf5::exists(file_, recovery_group) &&
      hdf5::exists(hdf5::open_group(file_, recovery_group), digests_name)) {
    digests_.push_back(Series::open(hdf5::open_group(file_, recovery_group), digests_name,
                                    hdf5::Type::int64, static_cast<hsize_t>(setup_.chunk_rows)));
  }
}

void ResultFile::append_digests(const RowBatch& batch) {
  const std::size_t width = extras_.size();
  const std::size_t intervals = interval_results_.empty() ? 0 : setup_.intervals.size();
  std::vector<std::uint64_t> digests(batch.rows.size());
  std::vector<double> extras(width);
  for (std::size_t i = 0; i < digests.size(); ++i) {
    for (std::size_t k = 0; k < width; ++k) {
      const double value = batch.extras[i * width + k];
      const bool whole = setup_.extra_columns[k].type == ColumnType::int64;
      extras[k] = whole ? static_cast<double>(static_cast<std::int64_t>(value)) : value;
    }
    digests[i] = row_digest(rows_ + static_cast<std::int64_t>(i), batch.rows[i], extras,
                            std::span(batch.intervals).subspan(i * intervals, intervals));
  }
  for (const Series& series : digests_) {
    series.append(static_cast<hsize_t>(rows_), digests.size(),
                  reinterpret_cast<const std::byte*>(digests.data()), digest_layout, scratch_);
  }
}

std::vector<std::uint64_t> ResultFile::read_digests(std::int64_t first, std::int64_t count) const {
  std::vector<std::uint64_t> digests(static_cast<std::size_t>(count));
  for (const Series& series : digests_) {
    series.read(static_cast<hsize_t>(first), digests.size(),
                reinterpret_cast<std::byte*>(digests.data()), digest_layout, scratch_);
  }
  return digests;
}

ResultFile ResultFile::open_rows(const std::filesystem::path& path, const StoreIdentity& identity) {
  hdf5::File file = hdf5::open_file(path, hdf5::Access::read);
  hdf5::require_own_contents(file, {"results", "interval_results", recovery_group});
  ResultFile result(path, std::move(file), identity.setup);
  result.open_series();
  result.require_consistent();
  return result;
}

}  // namespace gridcast::store
