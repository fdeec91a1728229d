#pragma once
/// Members of JSON objects: a key and its value.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "gridcast/base/json_writer.h"
#include "gridcast/predict/assumed.h"
#include "gridcast/predict/prediction.h"

namespace gridcast::report {

inline void put(JsonWriter& json, const char* key, double value) {
  json.key(key);
  json.number(value);
}

inline void put(JsonWriter& json, const char* key, std::int64_t value) {
  json.key(key);
  json.integer(value);
}

inline void put(JsonWriter& json, const char* key, const std::string& text) {
  json.key(key);
  json.string(text);
}

inline void put(JsonWriter& json, const char* key, const std::vector<std::string>& texts) {
  json.key(key);
  json.begin_array(Layout::line);
  for (const std::string& text : texts) {
    json.string(text);
  }
  json.end_array();
}

/// Null if the text is empty.
inline void put_or_null(JsonWriter& json, const char* key, const std::string& text) {
  json.key(key);
  if (text.empty()) {
    json.null();
  } else {
    json.string(text);
  }
}

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
  json.key("nodes");
  if (count > 0) {
    json.integer(count);
    put(json, "processors_per_node", std::min(nodes.front().size, grid.processors()));
    return;
  }
  json.null();
  json.key("processors_per_node");
  json.null();
}

/// What was predicted: the grid, the machine and the time.
inline void put_subject(JsonWriter& json, const model::Prediction& prediction) {
  put_extents(json, "grid", prediction.grid);
  put(json, "processors", prediction.grid.processors());
  put(json, "threads", std::int64_t{prediction.threads});
  put(json, "machine", prediction.machine);
  put(json, "trace", prediction.traces);
  if (!prediction.intervals.empty()) {
    put(json, "execution_time", prediction.intervals.front().sums.execution_time);
  }
  json.key("assumed");
  model::write_assumed(json, {prediction.assumed});
}

/// Where on the machine.
inline void put_placement(JsonWriter& json, const model::Prediction& prediction) {
  put(json, "placement",
      prediction.placement.value_or(machine::Placement{}).text(prediction.grid.rank()));
  if (!prediction.nodes.empty()) {
    put_nodes(json, prediction.grid, prediction.nodes);
  }
}

}  // namespace gridcast::report
