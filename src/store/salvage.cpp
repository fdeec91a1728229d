#include "salvage.h"

#include <fcntl.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <set>

#include "digest.h"
#include "file_window.h"
#include "gridcast/store/run_columns.h"
#include "validation.h"

namespace gridcast::store {
namespace {

/// The filters of a dataset, in their order (HDF5's masks number them like this).
constexpr std::uint32_t shuffle_bit = 1U << 0U;
constexpr std::uint32_t deflate_bit = 1U << 1U;
constexpr std::uint32_t fletcher_bit = 1U << 2U;
constexpr std::size_t fletcher_bytes = 4;

/// Undoes HDF5's shuffle: the first bytes of all values, then the second ones …
void unshuffle(std::span<const std::byte> planes, std::size_t size, std::byte* to) noexcept {
  const std::size_t count = planes.size() / size;
  for (std::size_t plane = 0; plane < size; ++plane) {
    for (std::size_t i = 0; i < count; ++i) {
      to[i * size + plane] = planes[plane * count + i];
    }
  }
}

/// Undoes the filters of a chunk; false if it is not as long as it must be.
bool unfiltered(std::span<const std::byte> stored, std::uint32_t mask, const SeriesInfo& info,
                std::byte* to) {
  if ((mask & fletcher_bit) == 0) {
    if (stored.size() < fletcher_bytes) {
      return false;
    }
    stored = stored.first(stored.size() - fletcher_bytes);
  }
  const std::size_t size = info.piece_bytes();
  std::vector<std::byte> inflated;
  if ((mask & deflate_bit) == 0) {
    inflated.resize(size);
    uLongf length = static_cast<uLongf>(size);
    if (uncompress(reinterpret_cast<Bytef*>(inflated.data()), &length,
                   reinterpret_cast<const Bytef*>(stored.data()),
                   static_cast<uLong>(stored.size())) != Z_OK) {
      return false;
    }
    stored = std::span<const std::byte>(inflated).first(length);
  }
  if (stored.size() != size) {
    return false;
  }
  if ((mask & shuffle_bit) == 0) {
    unshuffle(stored, info.layout.size, to);
  } else {
    std::memcpy(to, stored.data(), size);
  }
  return true;
}

/// The values of one chunk of /results as rows.
class ChunkRows {
public:
  explicit ChunkRows(const StoreSetup& setup) : width_(setup.extra_columns.size()) {
    const auto rows = static_cast<std::size_t>(setup.chunk_rows);
    batch_.rows.resize(rows);
    batch_.extras.resize(rows * width_);
    intervals_ = setup.interval_results ? setup.intervals.size() : 0;
    batch_.intervals.resize(rows * intervals_);
  }

  /// Takes the values of the piece `piece` of a series.
  void put(const SeriesInfo& info, std::size_t piece, const std::vector<std::byte>& values) {
    const auto count = static_cast<std::size_t>(info.piece_rows);
    const std::size_t begin = piece * count;
    if (info.place == SeriesPlace::row) {
      scatter_values(values.data(), count, bytes_from(batch_.rows, begin), info.layout);
    } else if (info.place == SeriesPlace::interval) {
      scatter_values(values.data(), count * intervals_,
                     bytes_from(batch_.intervals, begin * intervals_), info.layout);
    } else if (info.whole_numbers) {
      for (std::size_t row = 0; row < count; ++row) {
        std::int64_t value = 0;
        std::memcpy(&value, values.data() + row * sizeof value, sizeof value);
        batch_.extras[(begin + row) * width_ + info.index] = static_cast<double>(value);
      }
    } else {
      scatter_values(values.data(), count, bytes_from(batch_.extras, begin * width_), info.layout);
    }
  }

  [[nodiscard]] SalvagedRow row(std::size_t index, std::int64_t number) const {
    return {number, batch_.rows[index], std::span(batch_.extras).subspan(index * width_, width_),
            std::span(batch_.intervals).subspan(index * intervals_, intervals_), nullptr};
  }

private:
  template <typename Value>
  static std::byte* bytes_from(std::vector<Value>& values, std::size_t index) noexcept {
    return reinterpret_cast<std::byte*>(values.data() + index);
  }

  std::size_t width_;
  std::size_t intervals_ = 0;
  RowBatch batch_;
};

/// Rows in the order of their numbers, from the files chunk by chunk and from the journal.
class RowSalvage {
public:
  RowSalvage(const StoreSetup& setup, const std::vector<SalvageFile>& files, JournalReader* journal,
             const std::function<void(const SalvagedRow&)>& take)
      : setup_(setup), series_(series_of(setup)), files_(files), journal_(journal), take_(take) {}

  SalvageReport run() {
    next_record();
    std::int64_t end = 0;
    std::set<std::int64_t> begins;
    for (const SalvageFile& file : files_) {
      for (const auto& [first, chunk] : file.records().chunks) {
        begins.insert(first);
        end = std::max(end, first + chunk.count);
      }
      if (file.records().summary) {
        end = std::max(end, file.records().summary->rows);
      }
    }
    for (const std::int64_t first : begins) {
      take_records_before(first);
      take_chunk(first);
    }
    take_records_before(std::numeric_limits<std::int64_t>::max());
    if (journal_ != nullptr && journal_->header_valid()) {
      end = std::max(end, journal_->header().first_row +
                              static_cast<std::int64_t>(journal_->progress().written));
    }
    report_.missing = std::max(end, next_number_) - report_.rows;
    return std::move(report_);
  }

private:
  void next_record() { record_ = journal_ == nullptr ? std::nullopt : journal_->next(); }

  void hand_out(const SalvagedRow& row) {
    ResultRow whole = row.row;
    if (row.number >= next_number_ && is_possible_row(row.row, row.extras, row.intervals) &&
        restore_run(setup_, whole, row.extras)) {
      take_({row.number, whole, row.extras, row.intervals, row.reason});
      ++report_.rows;
      next_number_ = row.number + 1;
    }
  }

  void take_records_before(std::int64_t limit) {
    for (; record_ && record_->number < limit; next_record()) {
      hand_out(
          {record_->number, record_->row, record_->extras, record_->intervals, &record_->reason});
    }
  }

  /// The record of a chunk in a file; null if there is none that fits.
  [[nodiscard]] const ChunkRecord* record_of(const SalvageFile& file, std::int64_t first) const {
    const auto found = file.records().chunks.find(first);
    const bool fits = found != file.records().chunks.end() &&
                      found->second.pieces.size() == pieces_of(series_) &&
                      found->second.count <= setup_.chunk_rows;
    return fits ? &found->second : nullptr;
  }

  void take_chunk(std::int64_t first) {
    const ChunkRecord* base = nullptr;
    for (const SalvageFile& file : files_) {
      const ChunkRecord* const record = record_of(file, first);
      base = record != nullptr && (base == nullptr || record->count > base->count) ? record : base;
    }
    if (base == nullptr) {
      return;
    }
    ChunkRows chunk(setup_);
    std::vector<bool> whole(static_cast<std::size_t>(base->count), true);
    std::size_t number = 0;
    for (const SeriesInfo& info : series_) {
      for (std::size_t piece = 0; piece < info.pieces; ++piece, ++number) {
        const std::int64_t begin = static_cast<std::int64_t>(piece) * info.piece_rows;
        const std::int64_t end = std::min(base->count, begin + info.piece_rows);
        if (begin >= end) {
          continue;
        }
        if (read_anywhere(*base, number, info)) {
          chunk.put(info, piece, values_);
        } else {
          std::fill(whole.begin() + begin, whole.begin() + end, false);
          report_.pieces.push_back({info.name, first + begin, end - begin});
        }
      }
    }
    for (std::int64_t i = 0; i < base->count; ++i) {
      take_records_before(first + i);
      if (whole[static_cast<std::size_t>(i)]) {
        hand_out(chunk.row(static_cast<std::size_t>(i), first + i));
      }
    }
  }

  /// Reads a piece of the chunk `base` from the first file that has it whole.
  bool read_anywhere(const ChunkRecord& base, std::size_t number, const SeriesInfo& info) {
    return std::any_of(files_.begin(), files_.end(), [&](const SalvageFile& file) {
      const ChunkRecord* const record = record_of(file, base.first);
      return record != nullptr && record->pieces[number].digest == base.pieces[number].digest &&
             file.read_piece(record->pieces[number], info, values_);
    });
  }

  const StoreSetup& setup_;
  std::vector<SeriesInfo> series_;
  const std::vector<SalvageFile>& files_;
  JournalReader* journal_;
  const std::function<void(const SalvagedRow&)>& take_;
  std::optional<JournalRecord> record_;
  std::vector<std::byte> values_;
  std::int64_t next_number_ = 0;
  SalvageReport report_;
};

}  // namespace

class SalvageFile::Bytes {
public:
  explicit Bytes(const std::filesystem::path& path)
      : path_(path),
        file_(open_descriptor(path, O_RDONLY)),
        size_(std::filesystem::file_size(path)) {}

  /// Empty if the file does not have them all.
  [[nodiscard]] std::vector<std::byte> read(std::uint64_t offset, std::uint64_t size) const {
    if (offset > size_ || size > size_ - offset) {
      return {};
    }
    std::vector<std::byte> bytes(static_cast<std::size_t>(size));
    bytes.resize(read_at(file_.get(), path_, offset, bytes));
    return bytes;
  }

private:
  std::filesystem::path path_;
  Descriptor file_;
  std::uint64_t size_;
};

SalvageFile::SalvageFile(const std::filesystem::path& path)
    : records_(find_records(path)), bytes_(std::make_unique<Bytes>(path)) {}
SalvageFile::SalvageFile(SalvageFile&&) noexcept = default;
SalvageFile& SalvageFile::operator=(SalvageFile&&) noexcept = default;
SalvageFile::~SalvageFile() = default;

bool SalvageFile::read_piece(const StoredPiece& piece, const SeriesInfo& info,
                             std::vector<std::byte>& values) const {
  if (piece.size == 0) {
    return false;
  }
  const std::vector<std::byte> bytes = bytes_->read(piece.address, piece.size);
  values.resize(info.piece_bytes());
  return bytes.size() == piece.size && digest64(bytes) == piece.digest &&
         unfiltered(bytes, piece.filter_mask, info, values.data());
}

SalvageReport salvage_rows(const StoreSetup& setup, const std::vector<SalvageFile>& files,
                           JournalReader* journal,
                           const std::function<void(const SalvagedRow&)>& take) {
  return RowSalvage(setup, files, journal, take).run();
}

}  // namespace gridcast::store
