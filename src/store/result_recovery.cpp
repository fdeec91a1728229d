/// The group /recovery of a store: see recovery_record.h.

#include <algorithm>
#include <array>

#include "digest.h"
#include "files.h"
#include "recovery_record.h"
#include "result_file.h"
#include "series_list.h"

namespace gridcast::store {
namespace {

constexpr const char* recovery_group = "recovery";
constexpr std::size_t recovery_word = sizeof(std::int64_t);

/// A record as a dataset in one piece.
void write_record(const hdf5::Group& group, const char* name, std::span<const std::byte> record) {
  const std::array<hsize_t, 1> words{record.size() / recovery_word};
  const hdf5::Dataset dataset = hdf5::create_dataset(group, name, hdf5::Type::int64,
                                                     {{words[0]}, {}, {}, hdf5::Filters::none});
  hdf5::write(dataset, hdf5::Type::int64, std::array<hsize_t, 1>{0}, words, record.data());
}

StoredPiece piece_of(const hdf5::Dataset& dataset, std::int64_t row, bool wide) {
  const std::array<hsize_t, 2> start{static_cast<hsize_t>(row), 0};
  const hdf5::StoredChunk chunk =
      hdf5::read_stored_chunk(dataset, std::span(start).first(wide ? 2 : 1));
  return {chunk.address, static_cast<std::uint32_t>(chunk.bytes.size()), chunk.filter_mask,
          digest64(chunk.bytes)};
}

}  // namespace

void ResultFile::create_recovery() {
  const hdf5::Group group = hdf5::create_group(file_, recovery_group);
  hdf5::write_attribute(group, "sequence", std::int64_t{0});
  write_record(group, "description", description_record({store_id_, created_, setup_}));
  const hsize_t words = chunk_record_bytes(pieces_of(series_of(setup_))) / recovery_word;
  static_cast<void>(
      hdf5::create_dataset(group, "chunks", hdf5::Type::int64,
                           {{0, words}, {1, words}, {true, false}, hdf5::Filters::none}));
}

/// Says where HDF5 has put the chunks that the rows `first` to `first + count` are in.
void ResultFile::write_chunk_records(std::int64_t first, std::int64_t count) {
  const std::vector<SeriesInfo> list = series_of(setup_);
  const hdf5::Dataset records =
      hdf5::open_dataset(hdf5::open_group(file_, recovery_group), "chunks", 0);
  const hsize_t words = chunk_record_bytes(pieces_of(list)) / recovery_word;
  const std::int64_t chunk = setup_.chunk_rows;
  for (std::int64_t begin = first / chunk * chunk; begin < first + count; begin += chunk) {
    ChunkRecord record{begin, std::min(chunk, rows_ - begin), {}};
    for (const SeriesInfo& info : list) {
      const hdf5::Dataset& dataset =
          info.place == SeriesPlace::extra ? extras_.at(info.index).dataset()
          : info.place == SeriesPlace::row ? results_.front().at(info.index).dataset()
                                           : interval_results_.front().at(info.index).dataset();
      for (std::size_t piece = 0; piece < info.pieces; ++piece) {
        const std::int64_t row = begin + static_cast<std::int64_t>(piece) * info.piece_rows;
        record.pieces.push_back(row < rows_
                                    ? piece_of(dataset, row, info.place == SeriesPlace::interval)
                                    : StoredPiece{});
      }
    }
    const auto index = static_cast<hsize_t>(begin / chunk);
    const std::array<hsize_t, 2> shape{std::max(hdf5::shape(records)[0], index + 1), words};
    hdf5::set_shape(records, shape);
    hdf5::write(records, hdf5::Type::int64, std::array<hsize_t, 2>{index, 0},
                std::array<hsize_t, 2>{1, words}, chunk_record(record).data());
  }
}

void ResultFile::write_summary(const Outcome& outcome, std::span<const Failure> failures,
                               const std::optional<Best>& best) {
  const hdf5::Group group = hdf5::open_group(file_, recovery_group);
  SummaryRecord summary{{store_id_, created_, setup_},      outcome, rows_,
                        {failures.begin(), failures.end()}, best,    {}};
  const hdf5::Dataset records = hdf5::open_dataset(group, "chunks", 0);
  const std::vector<hsize_t> shape = hdf5::shape(records);
  std::vector<std::byte> bytes(static_cast<std::size_t>(shape.at(1)) * recovery_word);
  for (hsize_t index = 0; index < shape[0]; ++index) {
    hdf5::read(records, hdf5::Type::int64, std::array<hsize_t, 2>{index, 0},
               std::array<hsize_t, 2>{1, shape[1]}, bytes.data());
    if (std::optional<ChunkRecord> chunk = parse_chunk_record(bytes)) {
      summary.chunks.push_back(std::move(*chunk));
    }
  }
  const std::int64_t sequence = hdf5::read_integer_attribute(group, "sequence") + 1;
  const std::vector<std::byte> record =
      summary_record(summary, static_cast<std::uint64_t>(sequence));
  constexpr std::size_t structure = std::size_t{1} << 14U;
  reserve_space(path_, record.size() + structure);
  if (hdf5::exists(group, "summary")) {
    hdf5::remove(group, "summary");
  }
  write_record(group, "summary", record);
  hdf5::write_attribute(group, "sequence", sequence);
}

}  // namespace gridcast::store
