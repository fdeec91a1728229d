#include "gridcast/mapping/processor_classes.h"

#include <algorithm>
#include <utility>

namespace gridcast::mapping {

void ProcessorClasses::assign(
    const machine::Grid& grid,
    std::array<std::vector<std::int64_t>, machine::max_grid_rank>& borders,
    std::span<const Kinds> kinds) {
  rank_ = grid.rank();
  processors_ = grid.processors();
  kinds_ = {};
  for (std::size_t dim = 0; dim < kinds.size(); ++dim) {
    kinds_[dim] = kinds[dim].period() > 1 ? &kinds[dim] : nullptr;
  }
  std::int64_t stride = 1;
  for (int dim = rank_; dim-- > 0;) {
    extents_[index(dim)] = grid.extent(dim);
    strides_[index(dim)] = stride;
    stride *= grid.extent(dim);
  }
  cut(borders);
}

void ProcessorClasses::assign_finer(
    const ProcessorClasses& other,
    std::array<std::vector<std::int64_t>, machine::max_grid_rank>& borders) {
  copy_grid(other);
  cut(borders);
}

void ProcessorClasses::assign_whole(const ProcessorClasses& other) {
  copy_grid(other);
  kinds_ = {};
  std::array<std::vector<std::int64_t>, machine::max_grid_rank> none;
  cut(none);
}

void ProcessorClasses::copy_grid(const ProcessorClasses& other) {
  rank_ = other.rank_;
  processors_ = other.processors_;
  extents_ = other.extents_;
  strides_ = other.strides_;
  kinds_ = other.kinds_;
}

void ProcessorClasses::cut(std::array<std::vector<std::int64_t>, machine::max_grid_rank>& borders) {
  std::size_t class_stride = 1;
  for (int dim = rank_; dim-- > 0;) {
    class_strides_[index(dim)] = class_stride;
    std::vector<std::int64_t>& cuts = borders[index(dim)];
    std::sort(cuts.begin(), cuts.end());
    std::vector<std::int64_t>& starts = starts_[index(dim)];
    starts.assign(1, 0);
    for (const std::int64_t cut : cuts) {
      if (cut > starts.back() && cut < extent(dim)) {
        starts.push_back(cut);
      }
    }
    starts.push_back(extent(dim));
    find_runs(dim);
    class_stride *= runs(dim);
  }
  members_.assign(class_stride, 1.0);
  std::size_t filled = 1;
  for (int dim = 0; dim < rank_; ++dim) {
    multiply_out(members_, filled, runs(dim), [&](std::size_t run) {
      return static_cast<double>(runs_[index(dim)][run].count);
    });
    filled *= runs(dim);
  }
  runs_of_.resize(class_stride);
  std::array<std::uint32_t, machine::max_grid_rank> at{};
  for (auto& own : runs_of_) {
    own = at;
    for (std::size_t dim = index(rank_); dim-- > 0;) {
      if (++at[dim] < runs_[dim].size()) {
        break;
      }
      at[dim] = 0;
    }
  }
}

std::int64_t ProcessorClasses::same_until(int dim, std::int64_t coordinate,
                                          std::int64_t border) const noexcept {
  if (kinds_[index(dim)] == nullptr) {
    return border;
  }
  const std::vector<std::uint32_t>& kinds = kinds_[index(dim)]->of;
  auto turn = static_cast<std::size_t>(coordinate % std::ssize(kinds));
  const std::uint32_t own = kinds[turn];
  while (++coordinate < border) {
    turn = turn + 1 < kinds.size() ? turn + 1 : 0;
    if (kinds[turn] != own) {
      break;
    }
  }
  return coordinate;
}

std::int64_t ProcessorClasses::Run::before(std::int64_t coordinate) const noexcept {
  if (coordinate <= first) {
    return 0;
  }
  if (coordinate > last) {
    return count;
  }
  if (step != 0) {
    return (coordinate - first + step - 1) / step;
  }
  const std::int64_t times = (coordinate - first) / period;
  const auto turn = std::ranges::lower_bound(turns, coordinate - times * period);
  return times * std::ssize(turns) + (turn - turns.begin());
}

double ProcessorClasses::Run::distances(std::int64_t places) const noexcept {
  const auto sum = [this](std::int64_t so_many) {
    std::int64_t result = 0;
    for (const std::int64_t turn : turns.first(static_cast<std::size_t>(so_many))) {
      result += turn - first;
    }
    return static_cast<double>(result);
  };
  const std::int64_t all = std::ssize(turns);
  const std::int64_t rest = places % all;
  const std::int64_t whole = places / all;
  const auto times = static_cast<double>(whole);
  const double repeated =
      whole > 0 ? times * (sum(all) + 0.5 * static_cast<double>(all * period) * (times - 1.0))
                : 0.0;
  return repeated + sum(rest) + static_cast<double>(rest * whole * period);
}

void ProcessorClasses::find_runs(int dim) {
  const std::vector<std::int64_t>& starts = starts_[index(dim)];
  std::vector<Run>& runs = runs_[index(dim)];
  runs.clear();
  if (period(dim) == 1) {
    for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
      Run& run = runs.emplace_back();
      run.first = starts[i];
      run.last = starts[i + 1] - 1;
      run.count = starts[i + 1] - starts[i];
      run.below = i > 0 ? i - 1 : nowhere;
      run.above = i + 2 < starts.size() ? i + 1 : nowhere;
    }
    return;
  }
  run_of_kind_[index(dim)].assign((starts.size() - 1) * kinds_[index(dim)]->count, nowhere);
  std::size_t turns = 0;
  for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
    turns += static_cast<std::size_t>(std::min(period(dim), starts[i + 1] - starts[i]));
  }
  turns_[index(dim)].resize(turns);
  std::span<std::int64_t> free(turns_[index(dim)]);
  for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
    add_runs(dim, i, free);
  }
  for (Run& run : runs) {
    run.below = run.first > 0 ? run_of(dim, run.first - 1) : nowhere;
    run.above = run.first + 1 < extent(dim) ? run_of(dim, run.first + 1) : nowhere;
  }
}

void ProcessorClasses::add_runs(int dim, std::size_t start, std::span<std::int64_t>& free) {
  std::vector<Run>& runs = runs_[index(dim)];
  const std::size_t first_run = runs.size();
  const std::int64_t begin = starts_[index(dim)][start];
  const std::int64_t length = starts_[index(dim)][start + 1] - begin;
  const Kinds& kinds = *kinds_[index(dim)];
  const auto run_of_kind =
      std::span(run_of_kind_[index(dim)]).subspan(start * kinds.count, kinds.count);
  const auto for_each_turn = [&](auto&& f) {
    auto turn = static_cast<std::size_t>(begin % kinds.period());
    for (std::int64_t x = begin; x < begin + std::min(length, kinds.period()); ++x) {
      f(x, run_of_kind[kinds.of[turn]]);
      turn = turn + 1 < kinds.of.size() ? turn + 1 : 0;
    }
  };
  for_each_turn([&](std::int64_t x, std::size_t& run) {
    if (run == nowhere) {
      run = runs.size();
      Run& added = runs.emplace_back();
      added.first = x;
      added.count = 0;
      added.period = kinds.period();
    }
    ++runs[run].count;
  });
  for (Run& run : std::span(runs).subspan(first_run)) {
    const auto count = static_cast<std::size_t>(std::exchange(run.count, 0));
    run.turns = free.first(count);
    free = free.subspan(count);
  }
  std::int64_t* const all = turns_[index(dim)].data();
  for_each_turn([&](std::int64_t x, std::size_t which) {
    Run& run = runs[which];
    all[run.turns.data() - all + run.count++] = x;
  });
  for (Run& run : std::span(runs).subspan(first_run)) {
    const std::int64_t turns = run.count;
    if (turns == std::min(length, kinds.period())) {  // one kind
      run.count = length;
      run.last = begin + length - 1;
      continue;
    }
    run.step = turns == 1 ? run.period : 0;
    const auto rest =
        std::ranges::lower_bound(run.turns, begin + length % run.period) - run.turns.begin();
    run.count = length / run.period * turns + rest;
    run.last = run.at(run.count - 1);
  }
}

}  // namespace gridcast::mapping
