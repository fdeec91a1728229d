#include "answers.h"

#include <algorithm>
#include <cstddef>

namespace gridcast::store {
namespace {

/// Bit for bit, but for the placement, which /best does not have.
bool is_same_row(ResultRow a, ResultRow b) noexcept {
  a.set_run(a.threads(), 0);
  b.set_run(b.threads(), 0);
  const std::span<const std::byte> bytes = std::as_bytes(std::span(&a, 1));
  return std::equal(bytes.begin(), bytes.end(), std::as_bytes(std::span(&b, 1)).begin());
}

bool is_entry_of(const FrontEntry& entry, const ResultRow& row) noexcept {
  return row.status == Status::done && row.extents == entry.extents &&
         row.threads() == entry.threads &&
         row.characteristics.execution_time == entry.execution_time;
}

std::string no_row(const std::string& what, const machine::Grid& grid) {
  return what + " " + grid.text() + " is no row of the store with these numbers";
}

}  // namespace

AnswerCheck::AnswerCheck(const std::optional<Best>& best, const std::optional<Front>& front)
    : best_(best),
      front_(front.value_or(Front{})),
      chosen_(!best),
      unconstrained_(!best),
      entries_(front_.size(), false) {}

void AnswerCheck::look_at(std::span<const ResultRow> rows) {
  for (const ResultRow& row : rows) {
    chosen_ = chosen_ || is_same_row(row, best_->chosen);
    unconstrained_ = unconstrained_ || is_same_row(row, best_->unconstrained);
    for (std::size_t i = 0; i < front_.size(); ++i) {
      entries_[i] = entries_[i] || is_entry_of(front_[i], row);
    }
  }
}

std::vector<std::string> AnswerCheck::findings() const {
  std::vector<std::string> lines;
  if (!chosen_) {
    lines.push_back(no_row("/best: the chosen grid", best_->chosen.grid()));
  }
  if (!unconstrained_) {
    lines.push_back(no_row("/best: the unconstrained grid", best_->unconstrained.grid()));
  }
  for (std::size_t i = 0; i < front_.size(); ++i) {
    if (!entries_[i]) {
      const std::vector<std::int64_t> extents(front_[i].extents.begin(), front_[i].extents.end());
      lines.push_back(
          no_row("/front: the grid", machine::Grid(extents).with_threads(front_[i].threads)));
    }
  }
  return lines;
}

}  // namespace gridcast::store
