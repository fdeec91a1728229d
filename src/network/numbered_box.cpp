#include "numbered_box.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "gridcast/mapping/index_range.h"

namespace gridcast::network {

void NumberedBox::add(const mapping::ProcessorClasses::Run& run, std::int64_t step) noexcept {
  if (step == 0) {
    copies_ *= static_cast<double>(run.count);
    return;
  }
  if (run.count == 1) {
    return;
  }
  std::size_t at = used_++;
  for (; at > 0 && dims_[at - 1].step < step; --at) {
    dims_[at] = dims_[at - 1];
  }
  dims_[at] = {run.count, run.step != 0 ? run.step * step : step, run.step != 0 ? nullptr : &run};
  members_ *= run.count;
  last_ += dims_[at].apart(run.count - 1);
  row_ = 1;
  for (std::size_t j = used_; j-- > 0 && dims_[j].run == nullptr && dims_[j].step == row_;) {
    row_ *= dims_[j].count;
  }
}

std::int64_t NumberedBox::number_of(std::int64_t member) const noexcept {
  if (member == members_ - 1) {
    return last_;
  }
  std::int64_t number = first_;
  std::int64_t block = members_;
  for (std::size_t j = 0; j < used_ && member > 0; ++j) {
    block /= dims_[j].count;
    number += dims_[j].apart(member / block);
    member %= block;
  }
  return number;
}

std::int64_t NumberedBox::below(std::int64_t number) const noexcept {
  if (number > last_) {
    return members_;
  }
  std::int64_t rest = number - first_;
  std::int64_t block = members_;
  std::int64_t result = 0;
  for (std::size_t j = 0; j < used_ && rest > 0; ++j) {
    block /= dims_[j].count;
    const Dimension& dim = dims_[j];
    std::int64_t x = rest / dim.step;
    if (dim.run != nullptr) {
      x = dim.run->before(dim.run->first + x);
    }
    if (x >= dim.count) {
      return result + block * dim.count;
    }
    result += x * block;
    rest -= dim.apart(x);
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
  // Σ of how far the first so many members of a dimension are from its first one.
  const auto all_apart = [](const Dimension& dim, std::int64_t count) {
    return static_cast<double>(dim.step) *
           (dim.run != nullptr ? dim.run->distances(count)
                               : 0.5 * static_cast<double>(count) * static_cast<double>(count - 1));
  };
  std::array<double, machine::max_grid_rank + 1>
      inner{};  // of a block, after its first, on average
  for (std::size_t j = used_; j-- > 0;) {
    inner[j] =
        inner[j + 1] + all_apart(dims_[j], dims_[j].count) / static_cast<double>(dims_[j].count);
  }
  double result = 0.0;
  auto number = static_cast<double>(first_);
  std::int64_t block = members_;
  for (std::size_t j = 0; j < used_; ++j) {
    block /= dims_[j].count;
    const std::int64_t blocks = members / block;
    members %= block;
    result += static_cast<double>(block) *
              (static_cast<double>(blocks) * (number + inner[j + 1]) + all_apart(dims_[j], blocks));
    number += blocks < dims_[j].count ? static_cast<double>(dims_[j].apart(blocks)) : 0.0;
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
    number += members > 0 ? dims_[j].apart(blocks) : 0;
  }
  return result;
}

double NumberedBox::waiting_of_blocks(const FanPiece& piece, std::size_t dim, std::int64_t count,
                                      std::int64_t block, std::int64_t number) const noexcept {
  const std::int64_t all = count * block;
  if (all <= row_) {
    return all > 0 ? piece.waiting_from(number, all) : 0.0;
  }
  const auto waits = [&](std::int64_t first) {
    const std::int64_t inside = block == 1 ? 1 : dims_[dim + 1].count;
    return block == 1 ? piece.wait_of(first)
                      : waiting_of_blocks(piece, dim + 1, inside, block / inside, first);
  };
  double result = 0.0;
  if (dims_[dim].run != nullptr && block == 1) {
    for (std::int64_t i = 0; i < count; ++i) {
      result += piece.wait_of(number + dims_[dim].apart(i));
    }
    return result;
  }
  // Blocks begin at few places of a group.
  if (dims_[dim].run != nullptr) {
    std::vector<double> begin_at(static_cast<std::size_t>(piece.period), 0.0);
    for (std::int64_t i = 0; i < count; ++i) {
      begin_at[static_cast<std::size_t>(piece.place_of(number + dims_[dim].apart(i)))] += 1.0;
    }
    for (std::int64_t place = 0; place < piece.period; ++place) {
      if (const double times = begin_at[static_cast<std::size_t>(place)]; times > 0.0) {
        result += times * waits(piece.lo - piece.phase + place);
      }
    }
    return result;
  }
  const std::int64_t period = piece.period / std::gcd(piece.period, dims_[dim].step);
  for (std::int64_t i = 0; i < std::min(count, period); ++i) {
    result += waits(number + dims_[dim].apart(i)) *
              mapping::whole_quotient(count - i + period - 1, period);
  }
  return result;
}

}  // namespace gridcast::network
