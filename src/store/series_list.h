#pragma once
/// The datasets of a store that hold rows, in the order in which records of /recovery list their
/// chunks: input columns, columns of /results, columns of /interval_results.

#include <cstdint>
#include <string>
#include <vector>

#include "columns.h"
#include "gridcast/store/description.h"

namespace gridcast::store {

enum class SeriesPlace : std::uint8_t { extra, row, interval };

struct SeriesInfo {
  std::string name;
  SeriesPlace place = SeriesPlace::row;
  std::size_t index = 0;        ///< among those of the same place
  MemoryLayout layout;          ///< of the values in memory
  bool whole_numbers = false;   ///< an input column whose values are int64
  std::size_t width = 1;        ///< values per row
  std::int64_t piece_rows = 0;  ///< rows per chunk of the dataset
  std::size_t pieces = 1;       ///< such chunks per chunk of /results

  /// Bytes of one chunk before the filters.
  [[nodiscard]] std::size_t piece_bytes() const noexcept {
    return static_cast<std::size_t>(piece_rows) * width * layout.size;
  }
};

[[nodiscard]] std::vector<SeriesInfo> series_of(const StoreSetup& setup);

/// Pieces of all series together.
[[nodiscard]] std::size_t pieces_of(const std::vector<SeriesInfo>& series) noexcept;

}  // namespace gridcast::store
