#pragma once
/// The numbers of the predictions of a data set, as its page shows them.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gridcast/report/search_html.h"
#include "gridcast/store/reader.h"

namespace gridcast::cli {

/// Takes rows as they come and keeps at most 20,000, evenly over all of them.
class StoredNumbers {
public:
  explicit StoredNumbers(const store::StoreSetup& setup);

  /// A row with its values of the extra columns; failed ones have no numbers.
  void add(const store::ResultRow& row, std::span<const double> extras);

  /// After the last row of the store at `path`. Results get Sobol' indices if it is of a Saltelli
  /// design.
  [[nodiscard]] report::PredictionNumbers take(const std::string& path) &&;

private:
  void thin_out();

  std::size_t inputs_ = 0;  // extra columns that are inputs
  std::size_t stride_ = 1;  // one row in so many is kept
  report::PredictionNumbers numbers_;
};

}  // namespace gridcast::cli
