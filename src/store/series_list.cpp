#include "series_list.h"

#include "result_file.h"

namespace gridcast::store {

std::vector<SeriesInfo> series_of(const StoreSetup& setup) {
  std::vector<SeriesInfo> list;
  const std::size_t extras = setup.extra_columns.size();
  for (std::size_t i = 0; i < extras; ++i) {
    const ExtraColumn& extra = setup.extra_columns[i];
    list.push_back({extra.name,
                    SeriesPlace::extra,
                    i,
                    {extras * sizeof(double), i * sizeof(double), sizeof(double)},
                    extra.type == ColumnType::int64,
                    1,
                    setup.chunk_rows,
                    1});
  }
  std::size_t index = 0;
  for (const Column& column : columns()) {
    list.push_back({column.name, SeriesPlace::row, index++, layout_of(column, false), false, 1,
                    setup.chunk_rows, 1});
  }
  if (!setup.interval_results) {
    return list;
  }
  index = 0;
  const std::size_t width = setup.intervals.size();
  const std::int64_t rows = interval_chunk_rows(setup.chunk_rows, width);
  for (const Column& column : columns()) {
    if (column.is_characteristic) {
      list.push_back({column.name + " per interval", SeriesPlace::interval, index++,
                      layout_of(column, true), false, width, rows,
                      static_cast<std::size_t>((setup.chunk_rows + rows - 1) / rows)});
    }
  }
  return list;
}

std::size_t pieces_of(const std::vector<SeriesInfo>& series) noexcept {
  std::size_t count = 0;
  for (const SeriesInfo& info : series) {
    count += info.pieces;
  }
  return count;
}

}  // namespace gridcast::store
