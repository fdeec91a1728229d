#include "search_open.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "embedded_data.h"
#include "gridcast/base/readable.h"
#include "gridcast/report/format.h"
#include "packing.h"

namespace gridcast::report {
namespace {

std::string number_or_null(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? exact(*value) : "null";
}

std::string runs_json(const std::vector<NumberRun>& runs) {
  std::vector<std::string> texts;
  texts.reserve(runs.size());
  for (const NumberRun& run : runs) {
    texts.push_back(fmt::format("[{},{},{}]", run.first, run.last, run.step));
  }
  return fmt::format("[{}]", fmt::join(texts, ","));
}

}  // namespace

std::string proof_json(const SearchReport& report, int rank) {
  // The map of open grids has no room for threads.
  if (!report.proof || report.threads) {
    return "null";
  }
  std::vector<std::string> failed;
  for (const SearchFailure& failure : report.failures) {
    failed.push_back(fmt::format("[{}]", fmt::join(failure.grid.extents(), ",")));
  }
  std::vector<std::string> names;
  for (const char* end : {"first", "last"}) {
    for (int dim = 1; dim <= rank; ++dim) {
      names.push_back(fmt::format("\"{}{}\"", end, dim));
    }
  }
  names.emplace_back("\"bound\"");
  const SearchProof& proof = *report.proof;
  std::vector<std::string> extents;
  for (const std::vector<NumberRun>& runs : proof.extents) {
    extents.push_back(runs_json(runs));
  }
  return fmt::format(
      "{{\"processors\":{},\"complete\":{},\"conditions\":{},\"ofProgram\":{},\"bounds\":{},"
      "\"numbers\":{},\"extents\":[{}],\"excluded\":{},\"open\":{},"
      "\"least\":{},\"gap\":{},\"failed\":[{}],\"count\":{},\"names\":[{}]}}",
      proof.max_processors, report.complete, !proof.conditions.empty(), proof.of_program,
      report.mode == 4, runs_json(proof.numbers), fmt::join(extents, ","), proof.shown.excluded,
      proof.shown.open, number_or_null(proof.shown.least), number_or_null(proof.shown.gap),
      fmt::join(failed, ","), proof.boxes.size(), fmt::join(names, ","));
}

std::string open_data(const SearchReport& report, int rank) {
  if (!report.proof || report.threads) {
    return {};
  }
  // In the order of the grids: neighbours have similar numbers, which pack well.
  std::vector<search::OpenBox> boxes = report.proof->boxes;
  std::ranges::sort(boxes, {}, [](const search::OpenBox& open) { return open.box.first(); });
  std::vector<std::vector<double>> columns(2 * static_cast<std::size_t>(rank) + 1);
  for (const auto& [box, bound] : boxes) {
    auto column = columns.begin();
    for (int dim = 0; dim < rank; ++dim, ++column) {
      column->push_back(static_cast<double>(box.first(dim)));
      (column + rank)->push_back(static_cast<double>(box.last(dim)));
    }
    // Four digits are enough to read; the other bits would not pack.
    columns.back().push_back(static_cast<double>(static_cast<float>(bound)));
  }
  return data_element("search-open", DataKind::packed, packed_text(byte_planes(columns)));
}

}  // namespace gridcast::report
