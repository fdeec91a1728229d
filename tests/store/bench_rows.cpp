#include <sys/resource.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cstdio>
#include <random>

#include "gridcast/store/writer.h"
#include "sample.h"

using namespace gridcast;
using namespace gridcast::store;
using namespace gridcast::store::testing;

namespace {

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

long peak_kibibytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

/// A row whose doubles have random bits, so that compression gains as little as it can.
ResultRow random_row(std::int64_t i, std::mt19937_64& random) {
  ResultRow row = sample_row(i);
  std::uniform_real_distribution<double> value(0.0, 1.0);
  model::Characteristics& sums = row.characteristics;
  for (double* number = &sums.execution_time; number <= &sums.overlap; ++number) {
    *number = value(random);
  }
  return row;
}

template <typename MakeRow>
void measure(const std::string& what, std::int64_t rows, Durability durability,
             MakeRow&& make_row) {
  const TemporaryDirectory directory;
  const auto path = directory / "S.h5";
  std::vector<ResultRow> made;
  for (std::int64_t i = 0; i < rows; ++i) {
    made.push_back(make_row(i));
  }
  const long before = peak_kibibytes();
  const auto begin = std::chrono::steady_clock::now();
  StoreWriter writer = StoreWriter::create(path, sample_setup(), {durability});
  for (const ResultRow& row : made) {
    writer.append(row);
  }
  writer.finish(std::nullopt);
  const double time = seconds_since(begin);
  std::printf("%s, %lld rows: %.3f s, %.0f rows/s, %.1f MB, memory +%ld KiB\n", what.c_str(),
              static_cast<long long>(rows), time, static_cast<double>(rows) / time,
              static_cast<double>(std::filesystem::file_size(path)) * 1e-6,
              peak_kibibytes() - before);
}

}  // namespace

// Not a test: prints the figures of docs/store.md. Run with the argument "[.bench]".
TEST_CASE("rows per second", "[.bench]") {
  for (const auto& [name, durability] :
       {std::pair("none", Durability::none), std::pair("process", Durability::process),
        std::pair("second", Durability::second)}) {
    for (const std::int64_t rows : {100'000, 400'000}) {
      measure("smooth, " + std::string(name), rows, durability,
              [](std::int64_t i) { return sample_row(i); });
      std::mt19937_64 random(1);
      measure("random, " + std::string(name), rows, durability,
              [&](std::int64_t i) { return random_row(i, random); });
    }
  }
}
