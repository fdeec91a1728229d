// Subsystems and new shapes of processor systems (docs/model.md §3).

#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "gridcast/mapping/view.h"

namespace gridcast::mapping {
namespace {

using Index = std::vector<std::int64_t>;
using Numbers = std::vector<std::uint32_t>;

ProcessorView root(const char* text) { return ProcessorView::root(machine::Grid::parse(text)); }

Numbers numbers(const ProcessorView& view) {
  return {view.processors().begin(), view.processors().end()};
}

Index shape(const ProcessorView& view) { return {view.extents().begin(), view.extents().end()}; }

}  // namespace

TEST_CASE("bounds of a subsystem scale to the predicted run") {
  const Index traced{4};
  // 4 traced, 8 predicted: 2...3 becomes floor(2*8/4) ... floor(4*8/4) - 1.
  CHECK(numbers(ProcessorView::part(root("8"), traced, Index{2}, Index{3})) == Numbers{4, 5, 6, 7});
  // 4 traced, 6 predicted: 1...1 becomes floor(1.5) ... floor(3) - 1 = 1...2.
  CHECK(numbers(ProcessorView::part(root("6"), traced, Index{1}, Index{1})) == Numbers{1, 2});
  // 4 traced, 2 predicted: 1...1 becomes floor(0.5)=0 ... max(0, floor(1)-1) = 0.
  CHECK(numbers(ProcessorView::part(root("2"), traced, Index{1}, Index{1})) == Numbers{0});
  CHECK(numbers(ProcessorView::part(root("2"), traced, Index{2}, Index{2})) == Numbers{1});
  // One processor: everybody is on it.
  CHECK(numbers(ProcessorView::part(root("1"), traced, Index{3}, Index{3})) == Numbers{0});
}

TEST_CASE("missing bounds mean the whole dimension") {
  const ProcessorView part = ProcessorView::part(root("4x6"), Index{2, 3}, Index{1}, Index{1});
  CHECK(shape(part) == Index{2, 6});
  CHECK(numbers(part).front() == 12);
  CHECK(part.size() == 12);
  CHECK_FALSE(part.is_root());
  // A grid of lower rank: bounds beyond it do not count.
  const ProcessorView line = ProcessorView::part(root("4"), Index{2, 2}, Index{1, 0}, Index{1, 0});
  CHECK(numbers(line) == Numbers{2, 3});
}

TEST_CASE("subsystems of all bounds against the formula") {
  for (std::int64_t there = 1; there <= 6; ++there) {
    for (std::int64_t here = 1; here <= 9; ++here) {
      const ProcessorView parent = ProcessorView::root(machine::Grid(Index{2, here}));
      for (std::int64_t lo = 0; lo < there; ++lo) {
        for (std::int64_t hi = lo; hi < there; ++hi) {
          const double first =
              std::floor(static_cast<double>(lo * here) / static_cast<double>(there));
          const double last = std::max(
              first,
              std::floor(static_cast<double>((hi + 1) * here) / static_cast<double>(there)) - 1);
          Numbers expected;
          for (std::int64_t i = 0; i < 2; ++i) {
            for (auto q = static_cast<std::int64_t>(first); q <= static_cast<std::int64_t>(last);
                 ++q) {
              expected.push_back(static_cast<std::uint32_t>(i * here + q));
            }
          }
          const ProcessorView part =
              ProcessorView::part(parent, Index{2, there}, Index{0, lo}, Index{1, hi});
          CAPTURE(there, here, lo, hi);
          CHECK(numbers(part) == expected);
          for (std::uint32_t p = 0; p < parent.size(); ++p) {
            const auto at = std::find(expected.begin(), expected.end(), p);
            CHECK(part.local(p) == (at == expected.end() ? -1 : at - expected.begin()));
          }
        }
      }
    }
  }
}

TEST_CASE("subsystems of subsystems") {
  const ProcessorView half = ProcessorView::part(root("8"), Index{8}, Index{4}, Index{7});
  const ProcessorView quarter = ProcessorView::part(half, Index{4}, Index{2}, Index{3});
  CHECK(numbers(quarter) == Numbers{6, 7});
}

TEST_CASE("new shapes keep the order of processors") {
  // Rank 1: all processors.
  const ProcessorView line = ProcessorView::reshaped(root("3x4"), Index{2, 2}, Index{4});
  CHECK(shape(line) == Index{12});
  CHECK(numbers(line) == numbers(root("3x4")));
  CHECK_FALSE(line.is_root());
  // The shape of the traced system: the predicted system's own.
  CHECK(shape(ProcessorView::reshaped(root("3x4"), Index{2, 2}, Index{2, 2})) == Index{3, 4});
  // 4 -> 2x2 traced; 16 processors: 4x4; 12: 4x3 (|ln| of 4/3.46 and 3/3.46 as far as 3x4, which
  // loses the tie).
  CHECK(shape(ProcessorView::reshaped(root("16"), Index{4}, Index{2, 2})) == Index{4, 4});
  CHECK(shape(ProcessorView::reshaped(root("12"), Index{4}, Index{2, 2})) == Index{4, 3});
  CHECK(shape(ProcessorView::reshaped(root("7"), Index{4}, Index{2, 2})) == Index{7, 1});
  // 8 -> 2x4 traced on 32: 4x8.
  CHECK(shape(ProcessorView::reshaped(root("32"), Index{8}, Index{2, 4})) == Index{4, 8});
}

TEST_CASE("the nearest factorisation against a search over all of them") {
  const std::vector<Index> shapes{{2, 2}, {1, 4}, {3, 2}, {2, 2, 2}, {1, 2, 5}, {4, 1, 1}};
  for (const Index& traced : shapes) {
    double product = 1.0;
    for (const std::int64_t extent : traced) {
      product *= static_cast<double>(extent);
    }
    for (std::int64_t n = 1; n <= 64; ++n) {
      const double scale =
          std::pow(static_cast<double>(n) / product, 1.0 / static_cast<double>(traced.size()));
      Index best;
      double least = 1e300;
      const auto consider = [&](const Index& f) {
        double sum = 0.0;
        for (std::size_t i = 0; i < f.size(); ++i) {
          sum += std::abs(
              std::log(static_cast<double>(f[i]) / (static_cast<double>(traced[i]) * scale)));
        }
        if (sum < least - 1e-9 || (sum < least + 1e-9 && f > best)) {
          best = f;
          least = std::min(sum, least);
        }
      };
      for (std::int64_t a = 1; a <= n; ++a) {
        for (std::int64_t b = 1; a * b <= n; ++b) {
          if (traced.size() == 2 && a * b == n) {
            consider({a, b});
          } else if (traced.size() == 3 && n % (a * b) == 0) {
            consider({a, b, n / (a * b)});
          }
        }
      }
      CAPTURE(traced, n);
      CHECK(nearest_shape(n, traced) == best);
    }
  }
}

}  // namespace gridcast::mapping
