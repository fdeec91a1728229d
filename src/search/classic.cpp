#include "classic.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <limits>

#include "gridcast/base/readable.h"

namespace gridcast::search {
namespace {

std::int64_t saturating_product(std::int64_t a, std::int64_t b) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  return a > most || b > most ? std::numeric_limits<std::int64_t>::max() / 2 : a * b;
}

}  // namespace

ClassicSource::ClassicSource(const SearchSpace& space, const Goal& goal)
    : space_(space),
      goal_(goal),
      start_(as_candidate(space.start, space.rank).with_threads(space.threads)) {
  fill_list(space, Selection::not_bad);
  choose_start();
}

/// Where the given grid does not meet the conditions the first candidate takes its place.
void ClassicSource::choose_start() {
  if (space_.conditions.admits(*start_)) {
    return;
  }
  if (list_.empty()) {
    fill_list(space_, Selection::all);
  }
  start_ = list_.empty() ? std::nullopt : std::optional(list_.front().grid);
}

void ClassicSource::fill_list(const SearchSpace& space, Selection selection) {
  CandidateStream stream(space, selection);
  while (const auto grid = stream.next()) {
    list_.push_back(
        {*grid, grid->processors(), mark(*grid, space.reference_extents, space.block_rule)});
  }
  // The stream is in the order of processors and extents already.
  std::stable_sort(list_.begin(), list_.end(),
                   [](const Entry& a, const Entry& b) { return a.mark > b.mark; });
}

std::size_t ClassicSource::prefix_length() const {
  const auto end = std::find_if(list_.begin(), list_.end(), [this](const Entry& entry) {
    return entry.mark != list_.front().mark;
  });
  return static_cast<std::size_t>(end - list_.begin());
}

std::int64_t ClassicSource::neighbour_processors(std::size_t prefix, bool above) const {
  std::int64_t product = 1;
  for (int dim = 0; dim < space_.rank; ++dim) {
    const std::int64_t extent = space_.reference_extents[static_cast<std::size_t>(dim)];
    std::int64_t nearest = above ? (extent == 0 ? space_.max_processors : extent) : 1;
    if (dim < best_->grid.rank()) {
      const std::int32_t own = best_->grid.extent(dim);
      for (std::size_t i = 0; i < prefix; ++i) {
        const std::int32_t other = list_[i].grid.extent(dim);
        if (above && other > own) {
          nearest = std::min<std::int64_t>(nearest, other);
        } else if (!above && other < own) {
          nearest = std::max<std::int64_t>(nearest, other);
        }
      }
    }
    product = saturating_product(product, nearest);
  }
  return product;
}

std::int64_t ClassicSource::choose_processors(std::size_t prefix) const {
  std::vector<std::int64_t> numbers;
  for (std::size_t i = 0; i < prefix; ++i) {
    if (numbers.empty() || numbers.back() != list_[i].processors) {
      numbers.push_back(list_[i].processors);
    }
  }
  if (is_best_ || was_best_) {
    // After an improvement: the neighbours of the best first, to exclude one side or to move on.
    const std::int64_t neighbour = neighbour_processors(prefix, !is_best_);
    if (std::binary_search(numbers.begin(), numbers.end(), neighbour)) {
      return neighbour;
    }
  }
  return numbers[(numbers.size() - 1) / 2];
}

std::vector<machine::Grid> ClassicSource::next_batch() {
  if (!start_) {
    return {};
  }
  if (!best_) {
    return {*start_};
  }
  if (list_.empty()) {
    return {};
  }
  const std::size_t prefix = prefix_length();
  processors_ = choose_processors(prefix);
  std::vector<machine::Grid> batch;
  for (std::size_t i = 0; i < prefix; ++i) {
    if (list_[i].processors == processors_) {
      batch.push_back(list_[i].grid);
    }
  }
  spdlog::debug("search: mark {}: {} of {}; {} candidates left, {} to {} processors",
                list_.front().mark, counted(static_cast<std::int64_t>(batch.size()), "grid"),
                counted(processors_, "processor"), list_.size(), list_.front().processors,
                list_[prefix - 1].processors);
  return batch;
}

void ClassicSource::take_batch(std::span<const Outcome> outcomes) {
  if (!best_) {
    best_ = outcomes.front();
    return;
  }
  for (const Outcome& outcome : outcomes) {
    if (leads(goal_, outcome, *best_)) {
      best_ = outcome;
    }
    if (!outcome.failed) {
      classes_.file(outcome.grid, guiding_cost(goal_, outcome));
    }
  }
  prune_by_classes();
  prune_by_processors();
}

void ClassicSource::prune_by_classes() {
  const auto narrowed = classes_.narrowed(guiding_cost(goal_, *best_));
  if (narrowed.empty()) {
    return;
  }
  const std::size_t removed = std::erase_if(list_, [&](const Entry& entry) {
    for (int dim = 0; dim < space_.rank; ++dim) {
      const auto range = narrowed.find(class_of(entry.grid, dim));
      if (range != narrowed.end() && !range->second.contains(entry.grid.extent(dim))) {
        spdlog::debug("search: {} pruned by its class along dimension {}", entry.grid.text(),
                      dim + 1);
        return true;
      }
    }
    return false;
  });
  spdlog::debug("search: {} candidates pruned by classes", removed);
}

void ClassicSource::prune_by_processors() {
  const std::int64_t best = best_->grid.processors();
  was_best_ = is_best_;
  is_best_ = best == processors_;
  const auto extents = best_->grid.extents();
  const std::int64_t least = *std::min_element(extents.begin(), extents.end());
  const std::int64_t others = best / least;
  const bool twice = is_best_ && was_best_;
  std::int64_t most_allowed = std::numeric_limits<std::int64_t>::max();
  std::int64_t least_allowed = 0;
  if (best < processors_ || (twice && best < last_best_)) {
    most_allowed = std::max({(least + 1) * others, processors_, last_best_});
  }
  if (best > processors_ || (twice && best > last_best_)) {
    least_allowed = std::min({(least - 1) * others, processors_, last_best_});
  }
  const int first_mark = list_.empty() ? 0 : list_.front().mark;
  const std::size_t removed = std::erase_if(list_, [&](const Entry& entry) {
    return entry.processors > most_allowed || entry.processors < least_allowed ||
           (entry.processors == processors_ && entry.mark == first_mark);
  });
  spdlog::debug("search: best {} with {}; {} candidates pruned, left {} to {} processors",
                best_->grid.text(), seconds_text(best_->execution_time), removed, least_allowed,
                most_allowed);
  last_best_ = best;
}

}  // namespace gridcast::search
