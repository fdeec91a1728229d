#pragma once
/// Whether what a store says of its results, /best and /front, is what its rows say.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gridcast/store/description.h"
#include "gridcast/store/front.h"

namespace gridcast::store {

class AnswerCheck {
public:
  AnswerCheck(const std::optional<Best>& best, const std::optional<Front>& front);

  /// Looks at rows of the store.
  void look_at(std::span<const ResultRow> rows);

  /// After all rows: what is no row of the store, one line each.
  [[nodiscard]] std::vector<std::string> findings() const;

private:
  std::optional<Best> best_;
  Front front_;
  bool chosen_ = true;  ///< found, or not to be found
  bool unconstrained_ = true;
  std::vector<bool> entries_;  ///< of the front, found
};

}  // namespace gridcast::store
