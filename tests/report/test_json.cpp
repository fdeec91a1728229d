#include <catch2/catch.hpp>
#include <limits>
#include <locale>
#include <sstream>

#include "files.h"
#include "gridcast/report/json.h"
#include "sample.h"

namespace gridcast::report::test {
namespace {

/// Values k + 1, k + 2, ... in the order of the members, so that a mix-up shows.
model::ProcessorTimes numbered(double base) {
  model::ProcessorTimes times;
  times.execution_time = base + 1;
  times.io_time = base + 2;
  times.cpu_time = base + 3;
  times.sys_time = base + 4;
  times.insufficient_parallelism_usr = base + 5;
  times.insufficient_parallelism_sys = base + 6;
  times.idle = base + 7;
  times.load_imbalance = base + 8;
  times.synchronization = base + 9;
  times.time_variation = base + 10;
  double next = base + 11;
  for (model::OperationTimes& operation : times.operations) {
    operation = {next, next + 1, next + 2};
    next += 3;
  }
  return times;
}

model::Prediction awkward_prediction() {
  model::Prediction prediction = sample_prediction();
  model::Characteristics& sums = prediction.intervals[0].sums;
  sums.execution_time = 0.1 + 0.2;
  sums.total_time = 1.0 / 3.0;
  sums.productive_time = std::numeric_limits<double>::denorm_min();
  sums.productive_cpu_time = std::numeric_limits<double>::max();
  sums.lost_time = 123456789012345680.0;
  sums.idle = std::numeric_limits<double>::infinity();
  sums.overlap = -0.0;
  sums.operations[3] = {0.1, 0.2, 0.3};
  prediction.intervals[0].time_variations[3] = 0.4;
  sums.operation_counts[3] = (std::int64_t{1} << 53) + 1;
  prediction.intervals[1].per_processor = {numbered(0), numbered(1000)};
  return prediction;
}

/// A locale that would write 1.234,5 if streams formatted the numbers.
struct CommaPunctuation : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

}  // namespace

TEST_CASE("JSON reads back in Python with the same keys, texts and doubles") {
  const auto path = write_sample("awkward.json",
                                 [](std::ostream& out) { write_json(out, awkward_prediction()); });
  CHECK(python_accepts("check_json.py", path));
}

TEST_CASE("JSON does not depend on the locale of the stream") {
  std::ostringstream plain;
  write_json(plain, awkward_prediction());
  std::ostringstream imbued;
  imbued.imbue(std::locale(std::locale::classic(), new CommaPunctuation));
  write_json(imbued, awkward_prediction());
  CHECK(plain.str() == imbued.str());
  CHECK(plain.str().find("\"productive_time\": 5e-324") != std::string::npos);
}

TEST_CASE("strings are escaped and made valid UTF-8") {
  model::Prediction prediction;
  const auto machine_line = [&prediction](std::string name) {
    prediction.machine = std::move(name);
    std::ostringstream out;
    write_json(out, prediction);
    const std::string text = out.str();
    const std::size_t from = text.find("\"machine\": ") + 11;
    return text.substr(from, text.find(",\n", from) - from);
  };
  CHECK(machine_line("a\"b\\c") == R"("a\"b\\c")");
  CHECK(machine_line("tab\tline\n\x1F") == R"("tab\u0009line\u000a\u001f")");
  CHECK(machine_line(std::string("nul\0", 4)) == R"("nul\u0000")");
  CHECK(machine_line("Якоби €𝛑") == "\"Якоби €𝛑\"");
  // Overlong slash, surrogate, beyond U+10FFFF, cut short: a mark for each byte.
  CHECK(machine_line("\xC0\xAF") == "\"\uFFFD\uFFFD\"");
  CHECK(machine_line("\xED\xA0\x80") == "\"\uFFFD\uFFFD\uFFFD\"");
  CHECK(machine_line("\xF4\x90\x80\x80") == "\"\uFFFD\uFFFD\uFFFD\uFFFD\"");
  CHECK(machine_line("x\xE2\x82") == "\"x\uFFFD\uFFFD\"");
}

TEST_CASE("a prediction without intervals is still well-formed") {
  std::ostringstream out;
  write_json(out, model::Prediction{});
  CHECK(out.str() ==
        "{\n  \"schema\": \"gridcast.prediction/1\",\n  \"grid\": [1],\n  \"processors\": 1,\n"
        "  \"threads\": 1,\n  \"machine\": \"\",\n  \"trace\": [],\n  \"assumed\": {},\n  "
        "\"warnings\": [],\n  \"placement\": \"row\",\n  "
        "\"intervals\": []\n}\n");
}

}  // namespace gridcast::report::test
