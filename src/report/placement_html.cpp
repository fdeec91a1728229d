#include "placement_html.h"

#include <fmt/format.h>

#include <algorithm>

#include "embedded.h"
#include "embedded_data.h"
#include "gridcast/base/readable.h"
#include "gridcast/report/format.h"

namespace gridcast::report {
namespace {

using Kind = machine::Placement::Kind;

/// Beyond so many processors the neighbours that share a node are not counted.
constexpr std::int64_t most_counted = std::int64_t{1} << 22;

machine::Placement shown_placement(const model::Prediction& prediction) {
  return prediction.placement.value_or(machine::Placement{});
}

/// Whether it makes a difference which coordinates share a node.
bool has_nodes(const model::Prediction& prediction) {
  const auto& nodes = prediction.nodes;
  const bool several = nodes.size() > 1 || (!nodes.empty() && nodes.front().count > 1);
  return several &&
         std::ranges::any_of(nodes, [](const machine::NodeRun& run) { return run.size > 1; });
}

std::string block_title(const model::Prediction& prediction) {
  const machine::Placement placement = shown_placement(prediction);
  std::string text;
  for (int dim = 0; dim < prediction.grid.rank(); ++dim) {
    text += (dim == 0 ? "" : "×") + std::to_string(placement.block[static_cast<std::size_t>(dim)]);
  }
  return text;
}

std::string placement_words(const model::Prediction& prediction) {
  switch (shown_placement(prediction).kind) {
    case Kind::column:
      return "by column";
    case Kind::blocked:
      return "by blocks of " + block_title(prediction);
    case Kind::row:
    case Kind::search:
      break;
  }
  return "by row";
}

/// In which order the coordinates fill the nodes.
std::string order_words(const model::Prediction& prediction) {
  switch (shown_placement(prediction).kind) {
    case Kind::column:
      return "by column, the first coordinate runs fastest";
    case Kind::blocked:
      return fmt::format("by blocks of {}, block by block", block_title(prediction));
    case Kind::row:
    case Kind::search:
      break;
  }
  return "by row, the last coordinate runs fastest";
}

std::string nodes_words(const std::vector<machine::NodeRun>& nodes) {
  constexpr std::size_t shown = 6;
  std::string text;
  for (std::size_t i = 0; i < std::min(nodes.size(), shown); ++i) {
    text += fmt::format("{}{} of {}", i == 0 ? "" : ", ", counted(nodes[i].count, "node"),
                        counted(nodes[i].size, "processor"));
  }
  return nodes.size() > shown ? text + ", …" : text;
}

/// The number of the node of every processor of the machine that is used.
std::vector<std::uint32_t> node_of_processors(const model::Prediction& prediction) {
  std::vector<std::uint32_t> result;
  const auto processors = static_cast<std::size_t>(prediction.grid.processors());
  result.reserve(processors);
  std::uint32_t node = 0;
  for (const machine::NodeRun& run : prediction.nodes) {
    for (std::int64_t k = 0; k < run.count && result.size() < processors; ++k, ++node) {
      result.insert(result.end(),
                    std::min(static_cast<std::size_t>(run.size), processors - result.size()), node);
    }
  }
  return result;
}

/// How many of the pairs of neighbours in a dimension share a node, and how many pairs there are.
std::pair<std::int64_t, std::int64_t> shared_neighbours(const machine::Grid& grid,
                                                        std::span<const std::uint32_t> node,
                                                        int dim) {
  std::int64_t stride = 1;
  for (int inner = dim + 1; inner < grid.rank(); ++inner) {
    stride *= grid.extent(inner);
  }
  std::int64_t shared = 0;
  std::int64_t pairs = 0;
  for (std::int64_t p = 0; p + stride < grid.processors(); ++p) {
    if (p / stride % grid.extent(dim) + 1 < grid.extent(dim)) {
      ++pairs;
      shared += node[static_cast<std::size_t>(p)] == node[static_cast<std::size_t>(p + stride)];
    }
  }
  return {shared, pairs};
}

std::string neighbours_table(const model::Prediction& prediction) {
  const machine::Grid& grid = prediction.grid;
  if (grid.processors() > most_counted) {
    return {};
  }
  const std::vector<std::uint32_t> of_leaf = node_of_processors(prediction);
  const std::vector<std::uint32_t> order = machine::order_of(grid, shown_placement(prediction));
  std::vector<std::uint32_t> node(order.size());
  std::ranges::transform(order, node.begin(), [&](std::uint32_t leaf) { return of_leaf[leaf]; });
  std::string text =
      "<div class=\"scroll\" tabindex=\"0\"><table class=\"narrow\"><thead><tr><th>Dimension</th>"
      "<th>Extent</th><th>Neighbours on the same node</th><th>Of all pairs</th></tr></thead>"
      "<tbody>\n";
  for (int dim = 0; dim < grid.rank(); ++dim) {
    const auto [shared, pairs] = shared_neighbours(grid, node, dim);
    text += fmt::format("<tr><th>P{}</th><td>{}</td><td>{}</td><td>{}</td></tr>\n", dim + 1,
                        grid.extent(dim), grouped(shared),
                        format_share(static_cast<double>(shared), static_cast<double>(pairs)));
  }
  return text + "</tbody></table></div>\n";
}

std::string map_data(const model::Prediction& prediction) {
  const machine::Placement placement = shown_placement(prediction);
  std::vector<std::string> nodes;
  for (const machine::NodeRun& run : prediction.nodes) {
    nodes.push_back(fmt::format("[{},{}]", run.count, run.size));
  }
  const auto extents = prediction.grid.extents();
  const bool blocked = placement.kind == Kind::blocked;
  std::vector<std::int32_t> block(extents.size(), 1);
  if (blocked) {
    std::copy_n(placement.block.begin(), block.size(), block.begin());
  }
  return fmt::format("{{\"kind\":\"{}\",\"grid\":[{}],\"block\":[{}],\"nodes\":[{}]}}",
                     blocked                          ? "blocked"
                     : placement.kind == Kind::column ? "column"
                                                      : "row",
                     fmt::join(extents, ","), fmt::join(block, ","), fmt::join(nodes, ","));
}

}  // namespace

std::string placement_note(const model::Prediction& prediction) {
  return has_nodes(prediction) ? ", placed " + placement_words(prediction) : std::string();
}

std::string placement_html(const model::Prediction& prediction) {
  if (!has_nodes(prediction)) {
    return {};
  }
  return fmt::format(
      "<section class=\"box\" id=\"placement\">\n<h2>Placement</h2>\n<p>The coordinates of the "
      "grid "
      "fill {} {}.</p>\n{}<canvas id=\"placement-map\" width=\"640\" height=\"40\" tabindex=\"0\" "
      "role=\"img\" aria-label=\"Map of the nodes of the grid\" "
      "aria-describedby=\"placement-text\">"
      "</canvas>\n<p id=\"placement-text\" class=\"mute\" aria-live=\"polite\"></p>\n{}"
      "<script>{}</script>\n</section>\n",
      nodes_words(prediction.nodes), order_words(prediction), neighbours_table(prediction),
      data_element("placement-data", DataKind::json, map_data(prediction)),
      embedded::placement_script);
}

}  // namespace gridcast::report
