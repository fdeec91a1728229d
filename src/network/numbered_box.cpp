#include "numbered_box.h"

#include <algorithm>
#include <numeric>

#include "gridcast/base/floor_sums.h"

namespace gridcast::network {

void NumberedBox::add(std::int64_t count, std::int64_t step) noexcept {
  if (step == 0) {
    copies_ *= static_cast<double>(count);
    return;
  }
  if (count == 1) {
    return;
  }
  std::size_t at = used_++;
  for (; at > 0 && dims_[at - 1].step < step; --at) {
    dims_[at] = dims_[at - 1];
  }
  dims_[at] = {count, step};
  members_ *= count;
  row_ = 1;
  for (std::size_t j = used_; j-- > 0 && dims_[j].step == row_;) {
    row_ *= dims_[j].count;
  }
}

std::int64_t NumberedBox::number_of(std::int64_t member) const noexcept {
  std::int64_t number = first_;
  std::int64_t block = members_;
  for (std::size_t j = 0; j < used_; ++j) {
    block /= dims_[j].count;
    number += member / block * dims_[j].step;
    member %= block;
  }
  return number;
}

std::int64_t NumberedBox::below(std::int64_t number) const noexcept {
  std::int64_t rest = number - first_;
  std::int64_t block = members_;
  std::int64_t result = 0;
  for (std::size_t j = 0; j < used_ && rest > 0; ++j) {
    block /= dims_[j].count;
    const std::int64_t x = rest / dims_[j].step;
    if (x >= dims_[j].count) {
      return result + block * dims_[j].count;
    }
    result += x * block;
    rest -= x * dims_[j].step;
  }
  return rest > 0 ? result + 1 : result;
}

std::int64_t NumberedBox::ending_before(const FanPiece& piece, std::int64_t member,
                                        std::int64_t end, double limit) const noexcept {
  const std::int64_t first = member;
  while (member < end) {
    const std::int64_t middle = member + (end - member) / 2;
    if (piece.end(number_of(middle)) < limit) {
      member = middle + 1;
    } else {
      end = middle;
    }
  }
  return member - first;
}

double NumberedBox::ends(const FanPiece& piece, std::int64_t member,
                         std::int64_t end) const noexcept {
  const auto count = static_cast<double>(end - member);
  double result = count * piece.base;
  if (piece.step != 0.0) {
    const double apart = numbers(end) - numbers(member) - count * static_cast<double>(piece.lo);
    result += piece.step * apart;
  }
  return result + waiting(piece, end) - waiting(piece, member);
}

double NumberedBox::numbers(std::int64_t members) const noexcept {
  double inner = 0.0;  // of a block, after its first, on average
  for (std::size_t j = 0; j < used_; ++j) {
    inner += 0.5 * static_cast<double>(dims_[j].step) * static_cast<double>(dims_[j].count - 1);
  }
  double result = 0.0;
  auto number = static_cast<double>(first_);
  std::int64_t block = members_;
  for (std::size_t j = 0; j < used_; ++j) {
    const auto step = static_cast<double>(dims_[j].step);
    inner -= 0.5 * step * static_cast<double>(dims_[j].count - 1);
    block /= dims_[j].count;
    const std::int64_t whole = members / block;
    const auto blocks = static_cast<double>(whole);
    members %= block;
    result += blocks * static_cast<double>(block) * (number + inner + 0.5 * step * (blocks - 1.0));
    number += blocks * step;
  }
  return used_ == 0 && members > 0 ? number : result;
}

double NumberedBox::waiting(const FanPiece& piece, std::int64_t members) const noexcept {
  if (piece.period == 1 || used_ == 0) {
    return members > 0 ? static_cast<double>(members) * piece.wait_of(first_) : 0.0;
  }
  double result = 0.0;
  std::int64_t number = first_;
  std::int64_t block = members_;
  for (std::size_t j = 0; j < used_ && members > 0; ++j) {
    block /= dims_[j].count;
    const std::int64_t blocks = members / block;
    members %= block;
    result += waiting_of_blocks(piece, j, blocks, block, number);
    number += blocks * dims_[j].step;
  }
  return result;
}

double NumberedBox::waiting_of_blocks(const FanPiece& piece, std::size_t dim, std::int64_t count,
                                      std::int64_t block, std::int64_t number) const noexcept {
  const std::int64_t all = count * block;
  if (all <= row_) {
    return all > 0 ? piece.waiting_from(number, all) : 0.0;
  }
  // Blocks begin at few places of a group.
  const std::int64_t period = piece.period / std::gcd(piece.period, dims_[dim].step);
  double result = 0.0;
  for (std::int64_t i = 0; i < std::min(count, period); ++i) {
    const std::int64_t first = number + i * dims_[dim].step;
    const std::int64_t inside = block == 1 ? 1 : dims_[dim + 1].count;
    const double each = block == 1
                            ? piece.wait_of(first)
                            : waiting_of_blocks(piece, dim + 1, inside, block / inside, first);
    result += each * whole_quotient(count - i + period - 1, period);
  }
  return result;
}

}  // namespace gridcast::network
