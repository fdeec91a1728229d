// Cuts of one dimension against element-by-element counting (docs/model.md §3).

#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <random>

#include "gridcast/mapping/blocks.h"

namespace gridcast::mapping {
namespace {

void check_is_cut(const Boundaries& cut, std::int64_t n, std::int64_t coordinates) {
  REQUIRE(cut.size() == static_cast<std::size_t>(coordinates) + 1);
  REQUIRE(cut.front() == 0);
  REQUIRE(cut.back() == n);
  REQUIRE(std::is_sorted(cut.begin(), cut.end()));
}

/// Deals elements out one by one: each coordinate takes `block` of them until none are left.
Boundaries dealt(std::int64_t n, std::int64_t coordinates, std::int64_t block) {
  Boundaries cut{0};
  std::int64_t next = 0;
  for (std::int64_t q = 0; q < coordinates; ++q) {
    for (std::int64_t k = 0; k < block && next < n; ++k) {
      ++next;
    }
    cut.push_back(next);
  }
  return cut;
}

}  // namespace

TEST_CASE("blocks of ceil(n/P) elements") {
  for (std::int64_t n = 0; n <= 40; ++n) {
    for (std::int64_t coordinates = 1; coordinates <= 12; ++coordinates) {
      for (std::int64_t multiplier = 1; multiplier <= 5; ++multiplier) {
        CAPTURE(n, coordinates, multiplier);
        std::int64_t block = 0;  // the smallest multiple with which everything is dealt out
        while (block * coordinates < n || block % multiplier != 0) {
          ++block;
        }
        Boundaries cut;
        block_boundaries(n, coordinates, BlockRule::ceil, multiplier, cut);
        CHECK(cut == dealt(n, coordinates, block));
        check_is_cut(cut, n, coordinates);
      }
    }
  }
}

TEST_CASE("balanced blocks differ by at most one element") {
  for (std::int64_t n = 0; n <= 40; ++n) {
    for (std::int64_t coordinates = 1; coordinates <= 12; ++coordinates) {
      CAPTURE(n, coordinates);
      Boundaries cut;
      block_boundaries(n, coordinates, BlockRule::balanced, 1, cut);
      check_is_cut(cut, n, coordinates);
      Boundaries ceil_cut;
      block_boundaries(n, coordinates, BlockRule::ceil, 1, ceil_cut);
      std::int64_t least = n;
      std::int64_t most = 0;
      for (std::size_t q = 0; q < static_cast<std::size_t>(coordinates); ++q) {
        CHECK(cut[q] == static_cast<std::int64_t>(q) * n / coordinates);
        least = std::min(least, cut[q + 1] - cut[q]);
        most = std::max(most, cut[q + 1] - cut[q]);
      }
      CHECK(most - least <= 1);
      CHECK(most == ceil_cut[1]);  // the largest block is the same as with the other rule
    }
  }
}

TEST_CASE("weighted blocks") {
  Boundaries cut;
  // 10 elements, weights 1:2:1: floor(0, 2.5, 7.5, 10).
  weighted_boundaries(10, std::vector<double>{1, 2, 1}, 1, cut);
  CHECK(cut == Boundaries{0, 2, 7, 10});
  // Shares that meet a boundary exactly in real numbers: 0.1 + 0.2 = 0.3 of 10 elements.
  weighted_boundaries(10, std::vector<double>{0.1, 0.2, 0.7}, 1, cut);
  CHECK(cut == Boundaries{0, 1, 3, 10});
  weighted_boundaries(10, std::vector<double>{0, 1, 0}, 1, cut);
  CHECK(cut == Boundaries{0, 0, 10, 10});
  // Whole-number weights: integer arithmetic knows the floors.
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    const auto n = static_cast<std::int64_t>(random() % 200);
    std::vector<double> weights(1 + random() % 9);
    std::vector<std::int64_t> whole;
    std::int64_t total = 0;
    for (double& weight : weights) {
      whole.push_back(static_cast<std::int64_t>(random() % 6));
      weight = static_cast<double>(whole.back()) * 0.1;
      total += whole.back();
    }
    if (total == 0) {
      continue;
    }
    weighted_boundaries(n, weights, 1, cut);
    check_is_cut(cut, n, static_cast<std::int64_t>(weights.size()));
    std::int64_t sum = 0;
    for (std::size_t q = 0; q < whole.size(); ++q) {
      CHECK(cut[q] == n * sum / total);
      sum += whole[q];
    }
  }
}

TEST_CASE("block lengths of genblk_") {
  Boundaries cut;
  CHECK_FALSE(length_boundaries(10, std::vector<double>{2, 5, 3}, 3, cut));
  CHECK(cut == Boundaries{0, 2, 7, 10});
  // Six processors: half of each block; 3.5 and 8.5 are rounded up, so 0 1 2 4.5->5 7 8.5->9 10.
  CHECK(length_boundaries(10, std::vector<double>{2, 5, 3}, 6, cut));
  CHECK(cut == Boundaries{0, 1, 2, 5, 7, 9, 10});
  // Two processors: boundary 1 lies at 1.5 of the blocks: 2 + 0.5 * 5 = 4.5 -> 5.
  CHECK(length_boundaries(10, std::vector<double>{2, 5, 3}, 2, cut));
  CHECK(cut == Boundaries{0, 5, 10});
  // One block of the traced run on four processors: quarters of 10 are 2.5, 5, 7.5.
  CHECK(length_boundaries(10, std::vector<double>{10}, 4, cut));
  CHECK(cut == Boundaries{0, 3, 5, 8, 10});
}

TEST_CASE("element weights of setelw_") {
  std::mt19937 random(2);
  for (int round = 0; round < 3000; ++round) {
    const auto n = static_cast<std::int64_t>(1 + random() % 40);
    std::vector<double> weights(1 + random() % 6);
    for (double& weight : weights) {
      weight = static_cast<double>(random() % 4);
    }
    weights[random() % weights.size()] = 1.0;
    std::vector<double> shares(1 + random() % 6);
    for (double& share : shares) {
      share = static_cast<double>(1 + random() % 3);
    }
    // Weight of every element, and then for each boundary the largest prefix within the share.
    const auto count = static_cast<std::int64_t>(weights.size());
    std::vector<double> element(static_cast<std::size_t>(n), -1.0);
    for (std::int64_t k = 0; k < count; ++k) {
      const auto from = static_cast<std::int64_t>(
          std::ceil(static_cast<double>(k * n) / static_cast<double>(count) - 1e-9));
      const auto to = static_cast<std::int64_t>(
          std::ceil(static_cast<double>((k + 1) * n) / static_cast<double>(count) - 1e-9));
      for (std::int64_t i = from; i < to; ++i) {
        element[static_cast<std::size_t>(i)] = weights[static_cast<std::size_t>(k)];
      }
    }
    REQUIRE(std::find(element.begin(), element.end(), -1.0) == element.end());
    const double total = std::accumulate(element.begin(), element.end(), 0.0);
    if (total == 0.0) {
      continue;  // no element has a weight: the reader refuses lists of zeros
    }
    const double all_shares = std::accumulate(shares.begin(), shares.end(), 0.0);
    Boundaries cut;
    element_weight_boundaries(n, weights, shares, cut);
    check_is_cut(cut, n, static_cast<std::int64_t>(shares.size()));
    double share = 0.0;
    for (std::size_t q = 1; q < shares.size(); ++q) {
      share += shares[q - 1];
      std::int64_t largest = 0;
      double sum = 0.0;
      for (std::int64_t i = 1; i <= n; ++i) {
        sum += element[static_cast<std::size_t>(i - 1)];
        if (sum <= total * share / all_shares + 1e-9) {
          largest = i;
        }
      }
      CAPTURE(n, weights, shares, q);
      CHECK(cut[q] == largest);
    }
  }
}

}  // namespace gridcast::mapping
