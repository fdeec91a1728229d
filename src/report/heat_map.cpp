#include "heat_map.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "gridcast/base/readable.h"
#include "gridcast/report/format.h"
#include "heat_map_script.h"

namespace gridcast::report {
namespace {

constexpr double step = 1e-3;                   // relative, of one level
constexpr std::int64_t most_cells = 4'000'000;  // of a page that opens at once

std::int64_t cells_of(std::int64_t processors) {
  std::int64_t cells = 0;
  for (std::int64_t p1 = 1; p1 <= processors; ++p1) {
    cells += processors / p1;
  }
  return cells;
}

std::uint16_t level_of(double seconds, double least) {
  constexpr double highest = 65535.0;
  if (!(least > 0.0)) {
    return 1;
  }
  return static_cast<std::uint16_t>(
      std::min(highest, 1.0 + std::round(std::log(seconds / least) / std::log1p(step))));
}

std::string base64(std::span<const unsigned char> bytes) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
    unsigned group = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      group = group << 8U | (i < count ? bytes[at + i] : 0U);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      text += i <= count ? digits[group >> (18U - 6U * i) & 63U] : '=';
    }
  }
  return text;
}

std::vector<unsigned char> deflated(std::span<const unsigned char> bytes) {
  uLongf size = compressBound(bytes.size());
  std::vector<unsigned char> result(size);
  if (compress2(result.data(), &size, bytes.data(), bytes.size(), Z_BEST_COMPRESSION) != Z_OK) {
    throw std::runtime_error("the picture of the search cannot be packed: out of memory");
  }
  result.resize(size);
  return result;
}

}  // namespace

HeatMap heat_map(std::span<const SearchPoint> points) {
  HeatMap map;
  for (const SearchPoint& point : points) {
    map.processors =
        std::max(map.processors, std::int64_t{point.grid.extent(0)} * point.grid.extent(1));
    map.least = map.least == 0.0 ? point.execution_time : std::min(map.least, point.execution_time);
  }
  std::vector<std::size_t> starts{0};
  for (std::int64_t p1 = 1; p1 <= map.processors; ++p1) {
    starts.push_back(starts.back() + static_cast<std::size_t>(map.processors / p1));
  }
  map.levels.assign(starts.back(), 0);
  for (const SearchPoint& point : points) {
    const auto row = static_cast<std::size_t>(point.grid.extent(0)) - 1;
    const auto column = static_cast<std::size_t>(point.grid.extent(1)) - 1;
    std::uint16_t& cell = map.levels[starts[row] + column];
    const std::uint16_t level = level_of(point.execution_time, map.least);
    cell = cell == 0 ? level : std::min(cell, level);
  }
  return map;
}

std::string packed_levels(const HeatMap& map) {
  const std::size_t count = map.levels.size();
  std::vector<unsigned char> bytes(2 * count);
  std::uint16_t before = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto difference = static_cast<std::uint16_t>(map.levels[i] - before);
    before = map.levels[i];
    bytes[i] = static_cast<unsigned char>(difference & 0xFFU);
    bytes[count + i] = static_cast<unsigned char>(difference >> 8U);
  }
  return base64(deflated(bytes));
}

std::string heat_map_figure(const SearchReport& report) {
  int rank = 0;
  std::int64_t processors = 0;
  for (const SearchPoint& point : report.points) {
    rank = std::max(rank, point.grid.rank());
    processors = std::max(processors, std::int64_t{point.grid.extent(0)} * point.grid.extent(1));
  }
  if (rank < 2 || cells_of(processors) > most_cells) {
    return {};
  }
  const HeatMap map = heat_map(report.points);
  const std::string chosen =
      report.best ? fmt::format("{},{}", report.best->grid.extent(0), report.best->grid.extent(1))
                  : "0,0";
  return fmt::format(
      "<section class=\"box\" id=\"heat-map\"><h2>Execution time over P1 × P2</h2>\n"
      "<p class=\"mute\">Both extents on scales of powers of two{}. Dark: the fastest; each shade "
      "twice as slow. Point at a grid, or move with the arrow keys.</p>\n"
      "<canvas id=\"heat\" width=\"720\" height=\"720\" tabindex=\"0\" role=\"img\" "
      "aria-label=\"Execution time of all grids P1 × P2, fastest dark\" data-processors=\"{}\" "
      "data-least=\"{}\" data-step=\"{}\" data-best=\"{}\"></canvas>\n"
      "<p id=\"heat-text\" role=\"status\">&nbsp;</p>\n"
      "<script type=\"text/plain\" id=\"heat-data\">{}</script>\n<script>{}</script></section>\n",
      rank > 2 ? "; of grids with the same P1 and P2 the fastest" : "", map.processors,
      exact(map.least), exact(step), chosen, packed_levels(map), heat_map_script());
}

}  // namespace gridcast::report
