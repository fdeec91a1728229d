#pragma once
/// Stores that `gridcast sweep` and `gridcast dataset` have written (docs/store.md).

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gridcast/grid.h"

namespace gridcast {
inline namespace v1 {

/// One row of a store.
struct StoreRow {
  Grid grid;
  bool failed = false;  ///< no prediction: the times below mean nothing
  double evenness = 1.0;
  double execution_time = 0.0;  ///< seconds
  double efficiency = 0.0;      ///< 0 to 1
  std::vector<double> inputs;   ///< of a data set, as Store::inputs() names them
};

/// A store, complete or not, opened for reading. Reading changes nothing.
class Store {
public:
  /// Throws std::runtime_error if there is no such file, or it is no store or damaged.
  explicit Store(const std::filesystem::path& file);
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  ~Store();

  /// "complete", "running", "stopped" or "killed".
  [[nodiscard]] std::string state() const;
  /// Text of the .par file of the machine.
  [[nodiscard]] std::string machine() const;
  /// Names of the input columns of a data set.
  [[nodiscard]] std::vector<std::string> inputs() const;
  /// The grid that a complete search chose.
  [[nodiscard]] std::optional<StoreRow> best() const;

  /// Calls `take` with every row, in the order of the store, a part of them in memory at a time;
  /// may be called once.
  void read(const std::function<void(const StoreRow&)>& take);

private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace v1
}  // namespace gridcast
