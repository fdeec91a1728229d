/// Laws and times of made-up programs are found again.

#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <random>

#include "gridcast/infer/computation.h"
#include "gridcast/infer/laws.h"

namespace gridcast::infer::test {
namespace {

using Block = std::vector<std::int64_t>;

/// The law of bytes over some blocks of three extents.
std::optional<Law> law_of(const std::function<double(const Block&)>& bytes,
                          double tolerance = 0.0) {
  Samples samples{.names = {"b1", "b2", "b3"}, .variables = {}, .bytes = {}};
  for (const std::int64_t b1 : {17, 33, 34, 50}) {
    for (const std::int64_t b2 : {20, 23, 35}) {
      for (const std::int64_t b3 : {9, 70}) {
        samples.variables.push_back({b1, b2, b3});
        samples.bytes.push_back(bytes(samples.variables.back()));
      }
    }
  }
  return find_law(samples, tolerance);
}

std::vector<TimeSample> times(const std::vector<Block>& blocks,
                              const std::function<double(const Block&)>& seconds) {
  std::vector<TimeSample> samples;
  for (const Block& block : blocks) {
    samples.push_back({block, seconds(block)});
  }
  return samples;
}

const std::vector<Block> four_blocks{{240, 240}, {120, 240}, {60, 120}, {180, 60}};

}  // namespace

TEST_CASE("Bytes: constants, faces, ghosts, sums of fields", "[laws]") {
  CHECK(law_of([](const Block&) { return 8.0; })->text == "8");
  CHECK(law_of([](const Block& b) { return 8.0 * double(b[1] * b[2]); })->text == "8*b2*b3");
  CHECK(law_of([](const Block& b) { return 24.0 * double((b[0] + 2) * (b[2] + 2)); })->text ==
        "24*(b1 + 2)*(b3 + 2)");
  CHECK(law_of([](const Block& b) { return 4.0 * double((b[0] + 1) * (b[2] + 4)); })->text ==
        "4*(b1 + 1)*(b3 + 4)");
  CHECK(law_of([](const Block& b) { return 48.0 * (double(b[0]) + 3.5) * double(b[2]); })->text ==
        "48*(b1 + 3.5)*b3");
  const std::optional<Law> sum =
      law_of([](const Block& b) { return 16.0 * double(b[0]) + 8.0 * double(b[1]); });
  REQUIRE(sum);
  CHECK(sum->value({100, 1000, 1}) == 1600.0 + 8000.0);
  CHECK_FALSE(law_of([](const Block& b) { return double(b[0] * b[0] % 97); }));
  // Any two sizes are sums of two products.
  CHECK_FALSE(find_law({.names = {"b1"}, .variables = {{10}, {30}}, .bytes = {107.0, 201.0}}));
}

TEST_CASE("Bytes that scatter by 3 % have a law within the tolerance", "[laws]") {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> noise(0.97, 1.03);
  const auto particles = [&](const Block& b) { return noise(random) * 40.0 * double(b[1] * b[2]); };
  CHECK_FALSE(law_of(particles));
  const std::optional<Law> law = law_of(particles, 0.05);
  REQUIRE(law);
  CHECK(law->used == std::vector<std::size_t>{1, 2});
  CHECK(law->residual < 0.05);
  CHECK(law->value({1, 10, 10}) == Approx(4000.0).epsilon(0.05));
}

TEST_CASE("Block rules: lengths as they are defined", "[laws]") {
  for (const std::int64_t n : {1, 7, 71, 100}) {
    for (const std::int64_t parts : {1, 2, 3, 5, 8}) {
      for (const Rule rule : {Rule::balanced, Rule::ceil, Rule::first, Rule::last}) {
        std::int64_t sum = 0;
        for (std::int64_t q = 0; q < parts; ++q) {
          sum += block_length(rule, n, parts, q);
        }
        CHECK(sum == n);
      }
    }
  }
  CHECK(block_length(Rule::ceil, 9, 4, 3) == 0);
  CHECK(block_length(Rule::first, 71, 3, 1) == 24);
  CHECK(block_length(Rule::last, 71, 3, 0) == 23);
  CHECK(block_length(Rule::balanced, 71, 3, 0) == 23);
}

TEST_CASE("Times: constants and surfaces within a microsecond, none invented", "[times]") {
  const double point = 1.3e-9;
  const auto value = [](const Computation& found, const Block& b) {
    // "A*b1*b2 + B" and the like, evaluated term by term.
    double sum = 0.0;
    for (std::size_t at = 0; at < found.expression.size();) {
      const std::size_t end = std::min(found.expression.find(" + ", at), found.expression.size());
      const std::string term = found.expression.substr(at, end - at);
      double product = std::stod(term);
      product *= term.find("*b1") != std::string::npos ? double(b[0]) : 1.0;
      product *= term.find("*b2") != std::string::npos ? double(b[1]) : 1.0;
      sum += product;
      at = end + 3;
    }
    return sum;
  };
  const auto volume = [&](const Block& b) { return point * double(b[0] * b[1]); };
  const std::vector<std::function<double(const Block&)>> truths{
      volume, [&](const Block& b) { return volume(b) + 20e-6; },
      [&](const Block& b) { return volume(b) + 50e-9 * double(b[1]); },
      [](const Block&) { return 30e-6; }, [](const Block& b) { return 40e-9 * double(b[0]); }};
  for (const auto& truth : truths) {
    const std::optional<Computation> found = fit_computation(times(four_blocks, truth), false);
    REQUIRE(found);
    INFO(found->expression);
    CHECK(found->table.empty());
    for (const Block& other : {Block{10, 10}, Block{500, 400}, Block{77, 300}}) {
      CHECK(std::abs(value(*found, other) - truth(other)) < 1e-6 + 1e-3 * truth(other));
    }
  }
  // A plane of a block at a time.
  const auto plane = [](const Block& b) { return 1e-6 + 5e-9 * double(b[0] * b[1]); };
  const auto planes = fit_computation(
      times({{24, 36, 10}, {48, 36, 20}, {48, 96, 30}, {96, 96, 20}}, plane), false);
  REQUIRE(planes);
  INFO(planes->expression);
  CHECK(value(*planes, {50, 70, 90}) == Approx(plane({50, 70, 90})).epsilon(1e-3));
  // Noise of 2 % makes no terms, whatever it is.
  int invented = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> noise(1.0, 1.04);
    const auto found = fit_computation(
        times(four_blocks, [&](const Block& b) { return noise(random) * volume(b); }), false);
    invented += found->expression.find(" + ") != std::string::npos ? 1 : 0;
  }
  CHECK(invented < 40);
}

TEST_CASE("Times: portions of a block take parts of its time, whatever caches do", "[times]") {
  struct Run {
    Block block;
    double portions;
  };
  const std::vector<Run> runs{
      {{120, 100, 80}, 8}, {{60, 100, 80}, 8}, {{30, 50, 40}, 4}, {{90, 25, 40}, 4}};
  const auto fitted = [&runs](const std::function<double(const Run&)>& truth) {
    std::vector<TimeSample> samples;
    for (const Run& run : runs) {
      samples.push_back({run.block, truth(run), run.portions});
    }
    const std::optional<Computation> found = fit_computation(samples, false, "ceil(nz/10)");
    REQUIRE(found);
    CHECK(found->table.empty());
    return found->expression;
  };
  const auto volume = [](const Run& run) {
    return double(run.block[0] * run.block[1] * run.block[2]);
  };
  CHECK(fitted([&](const Run& run) { return 2e-9 * volume(run) / run.portions; }) ==
        "2e-09*b1*b2*b3/ceil(nz/10)");
  CHECK(fitted([&](const Run& run) { return 2e-9 * volume(run) / run.portions + 2e-6; }) ==
        "2e-09*b1*b2*b3/ceil(nz/10) + 2e-06");
  // Twice the time per element of large blocks looks like the time of a block in each portion.
  const std::string cached = fitted([&](const Run& run) {
    return (run.portions == 8 ? 2.1e-9 : 1e-9) * volume(run) / run.portions;
  });
  CHECK(cached.find("*b1*b2*b3/ceil(nz/10)") != std::string::npos);
}

TEST_CASE("Times: tables where caches show, nothing from blocks of one volume", "[times]") {
  const auto cached = [](const Block& b) {
    const double volume = double(b[0] * b[1]);
    return volume * (volume < 10000.0 ? 1.1e-9 : volume < 20000 ? 1.9e-9 : 1.2e-9);
  };
  const std::optional<Computation> found = fit_computation(times(four_blocks, cached), false);
  REQUIRE(found);
  REQUIRE(found->table.size() == 4);
  CHECK(found->table.front().block == Block{60, 120});
  CHECK(found->table.front().seconds == Approx(cached({60, 120})));
  CHECK_FALSE(fit_computation(times({{10, 20}, {20, 10}, {5, 40}}, cached), false));
}

}  // namespace gridcast::infer::test
