/// Tables of measured times, as calibrate, compare and gridcast-measure read them: every one must
/// be read or refused with an error of one line. What is read is compared with itself and with
/// itself the other way round: no error, and an order error only where there is one. The first
/// character says whether it is a table of times or of kernels.

#include <cmath>

#include "fuzz.h"
#include "gridcast/calibrate/comparison.h"
#include "gridcast/calibrate/measured.h"
#include "gridcast/measure/kernels.h"

namespace {

using namespace gridcast;

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

void compare_with_itself(const std::vector<calibrate::MeasuredRun>& runs) {
  for (const auto subject : {calibrate::Subject::grids, calibrate::Subject::variants}) {
    std::vector<calibrate::Compared> rows;
    for (const calibrate::MeasuredRun& run : runs) {
      rows.push_back({run.trace, run.grid, run.seconds, run.seconds});
    }
    const calibrate::Comparison same = calibrate::compare_times(rows, subject);
    require(same.errors.count == same.rows.size() && same.rows.size() <= runs.size());
    std::vector<double> up;
    std::vector<double> down;
    for (const calibrate::MeasuredRun& run : runs) {
      up.push_back(run.seconds);
      down.push_back(1.0 / run.seconds);
    }
    require(calibrate::order_error(up, up).size() == 0.0);
    const auto opposed = calibrate::kendall_tau(up, down);
    require(!opposed || (*opposed < 0.0 && *opposed >= -1.0 - 1e-9));
    const calibrate::OrderError wrong = calibrate::order_error(up, down);
    require(wrong.size() == 0.0 || (up[wrong.first] < up[wrong.second]));
  }
}

}  // namespace

namespace gridcast::fuzz {

const bool of_lines = true;

bool use_input(const std::string& input) {
  return accepted(input, [](const std::string& text) {
    if (text.starts_with('k')) {
      const std::filesystem::path file = scratch_file("kernels.csv");
      write_file(file, std::string_view(text).substr(1));
      const std::vector<measure::KernelTime> kernels = measure::read_kernels(file);
      require(std::abs(std::log(measure::mean_speed(measure::speeds_of(kernels, kernels)))) < 1e-9);
      return;
    }
    const std::string_view table = std::string_view(text).substr(text.empty() ? 0 : 1);
    const calibrate::Measured measured = calibrate::parse_measured(table, "fuzz.csv");
    require(!measured.runs.empty() || !measured.messages.empty());
    if (!measured.runs.empty()) {
      compare_with_itself(measured.runs);
    }
  });
}

}  // namespace gridcast::fuzz
