#pragma once
/// Members of JSON objects: a key and its value.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gridcast/base/json_writer.h"
#include "gridcast/predict/assumed.h"
#include "gridcast/predict/prediction.h"

namespace gridcast::report {

inline void put_extents(JsonWriter& json, const char* key, const machine::Grid& grid) {
  json.key(key);
  json.begin_array(Layout::line);
  for (const std::int32_t extent : grid.extents()) {
    json.integer(extent);
  }
  json.end_array();
}

/// Nodes that hold the processors of a grid, and how many of these the first one has; null if that
/// is not known.
inline void put_nodes(JsonWriter& json, const machine::Grid& grid,
                      const std::vector<machine::NodeRun>& nodes) {
  std::int64_t count = 0;
  for (const machine::NodeRun& run : nodes) {
    count += run.count;
  }
  const bool known = count > 0;
  json.member("nodes", known ? std::optional(count) : std::nullopt);
  json.member(
      "processors_per_node",
      known ? std::optional(std::min(nodes.front().size, grid.processors())) : std::nullopt);
}

/// What was predicted: the grid, the machine and the time.
inline void put_subject(JsonWriter& json, const model::Prediction& prediction) {
  put_extents(json, "grid", prediction.grid);
  json.member("processors", prediction.grid.processors());
  json.member("threads", std::int64_t{prediction.threads});
  json.member("machine", prediction.machine);
  json.member("trace", prediction.traces);
  if (!prediction.intervals.empty()) {
    json.member("execution_time", prediction.intervals.front().sums.execution_time);
  }
  json.key("assumed");
  model::write_assumed(json, {prediction.assumed});
}

/// Where on the machine.
inline void put_placement(JsonWriter& json, const model::Prediction& prediction) {
  json.member("placement",
              prediction.placement.value_or(machine::Placement{}).text(prediction.grid.rank()));
  if (!prediction.nodes.empty()) {
    put_nodes(json, prediction.grid, prediction.nodes);
  }
}

}  // namespace gridcast::report
