#include "gridcast/report/json.h"

#include <map>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "gridcast/base/json_writer.h"
#include "gridcast/figures/figures.h"
#include "gridcast/report/prediction_file.h"
#include "json_members.h"
#include "tracks.h"

namespace gridcast::report {
namespace {

using model::Characteristics;
using model::Operation;
using model::OperationTimes;
using model::ProcessorTimes;

void put_identity(JsonWriter& json, std::size_t index, const model::IntervalInfo& info) {
  json.member("id", static_cast<std::int64_t>(index) + 1);
  json.key("parent");
  if (info.parent < 0) {
    json.null();
  } else {
    json.integer(std::int64_t{info.parent} + 1);
  }
  json.member("level", std::int64_t{info.level});
  json.member("type", std::string(interval_type_name(info.type)));
  json.member("count", info.count);
  json.member("line", info.line);
  json.member("file", info.file);
  json.member("expression", info.expression);
}

void put_sums(JsonWriter& json, const model::IntervalResult& interval) {
  const Characteristics& sums = interval.sums;
  for (const model::Figure& figure : model::figures()) {
    json.member(figure.name, sums.*figure.value);
  }
  if (interval.execution_time_low && interval.execution_time_high) {
    json.member("execution_time_low", *interval.execution_time_low);
    json.member("execution_time_high", *interval.execution_time_high);
  }
  for (std::size_t kind = 0; kind < model::operation_count; ++kind) {
    json.key(model::operation_names[kind]);
    json.begin_object(Layout::line);
    json.member("operations", sums.operation_counts[kind]);
    for (const model::OperationFigure& figure : model::operation_figures) {
      json.member(figure.name, sums.operations[kind].*figure.value);
    }
    json.member("time_variation", interval.time_variations[kind]);
    json.end_object();
  }
}

/// The 29 characteristics under the names of [Predictor2010 §2.2], in its order.
void put_processor(JsonWriter& json, const ProcessorTimes& times) {
  struct Names {
    Operation kind;
    const char* communication;
    const char* synch;
    const char* overlap;
  };
  constexpr std::array<Names, model::operation_count> names{{
      {Operation::io, "io_comm", "io_synch", "io_overlap"},
      {Operation::reduction, "wait_reduction", "reduction_synch", "reduction_overlap"},
      {Operation::shadow, "wait_shadow", "shadow_synch", "shadow_overlap"},
      {Operation::remote_access, "remote_access", "remote_synch", "remote_overlap"},
      {Operation::redistribution, "redistribution", "redistribution_synch",
       "redistribution_overlap"},
  }};
  json.begin_object(Layout::line);
  json.member("execution_time", times.execution_time);
  json.member("io_time", times.io_time);
  json.member("sys_time", times.sys_time);
  json.member("cpu_time", times.cpu_time);
  json.member("lost_time", times.lost_time());
  json.member("communication", times.communication());
  json.member("insuff_parallelism", times.insufficient_parallelism());
  json.member("insuff_parallelism_usr", times.insufficient_parallelism_usr);
  json.member("insuff_parallelism_sys", times.insufficient_parallelism_sys);
  json.member("synchronization", times.synchronization);
  json.member("time_variation", times.time_variation);
  json.member("idle", times.idle);
  json.member("load_imbalance", times.load_imbalance);
  json.member("overlap", times.overlap());
  for (const Names& name : names) {
    const OperationTimes& operation = times.operations[static_cast<std::size_t>(name.kind)];
    json.member(name.communication, operation.communication);
    json.member(name.synch, operation.synch);
    json.member(name.overlap, operation.overlap);
  }
  json.end_object();
}

/// Of the times of `shadow`: what loops with dependences cost.
void put_pipelined(JsonWriter& json, const OperationTimes& times) {
  json.key("pipelined");
  json.begin_object(Layout::line);
  json.member("communication", times.communication);
  json.member("synch", times.synch);
  json.member("overlap", times.overlap);
  json.end_object();
}

void put_interval(JsonWriter& json, std::size_t index, const model::IntervalResult& interval) {
  json.begin_object(Layout::lines);
  put_identity(json, index, interval.info);
  put_sums(json, interval);
  put_pipelined(json, interval.pipelined);
  if (!interval.per_processor.empty()) {
    json.key("per_processor");
    json.begin_array(Layout::lines);
    for (const ProcessorTimes& times : interval.per_processor) {
      put_processor(json, times);
    }
    json.end_array();
  }
  json.end_object();
}

void put_loss(JsonWriter& json, const model::Loss& loss) {
  json.begin_object(Layout::line);
  json.member("file", loss.file);
  json.member("line", loss.line);
  json.member("activity", std::string(model::name(loss.activity)));
  json.member("cause", std::string(model::name(loss.cause)));
  json.text_or_null("network", loss.network);
  json.member("seconds", loss.seconds);
  json.key("instead");
  json.begin_array(Layout::line);
  for (const double seconds : loss.instead) {
    json.number(seconds);
  }
  json.end_array();
  if (!loss.neighbours.empty()) {
    json.key("neighbours");
    json.begin_array(Layout::line);
    for (const model::NeighbourLoss& each : loss.neighbours) {
      json.begin_object(Layout::line);
      json.member("from", each.from);
      json.member("seconds", each.seconds);
      json.end_object();
    }
    json.end_array();
  }
  json.end_object();
}

void put_losses(JsonWriter& json, const model::Losses& losses) {
  json.key("losses");
  json.begin_object(Layout::lines);
  json.text_or_null("omitted", losses.omitted);
  json.member("lost_time", losses.lost_time);
  json.key("alternatives");
  json.begin_array(Layout::lines);
  for (const model::Alternative& alternative : losses.alternatives) {
    json.begin_object(Layout::line);
    json.member("change", alternative.change);
    json.member("execution_time", alternative.execution_time);
    json.member("total_time", alternative.total_time);
    json.member("lost_time", alternative.lost_time);
    json.end_object();
  }
  json.end_array();
  json.key("places");
  json.begin_array(Layout::lines);
  for (const model::Loss& loss : losses.losses) {
    put_loss(json, loss);
  }
  json.end_array();
  json.end_object();
}

void put_critical_path(JsonWriter& json, const model::CriticalPath& path) {
  json.key("critical_path");
  json.begin_object(Layout::lines);
  json.text_or_null("omitted", path.omitted);
  json.member("execution_time", path.execution_time);
  json.member("last_process", path.last_process);
  json.member("messages", path.messages);
  json.key("parts");
  json.begin_array(Layout::lines);
  for (const model::PathPart& part : path.parts) {
    json.begin_object(Layout::line);
    json.member("file", part.file);
    json.member("line", part.line);
    json.member("activity", std::string(name(part.activity)));
    json.member("kind", std::string(name(part.kind)));
    json.text_or_null("network", part.network);
    json.member("seconds", part.seconds);
    json.member("process", part.process);
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

void put_timeline(JsonWriter& json, const Run& run, const machine::Grid& grid) {
  std::map<std::size_t, std::vector<const model::Phase*>> phases;
  for (const model::Phase& phase : run.timeline.phases) {
    phases[phase.processor].push_back(&phase);
  }
  json.key("timeline");
  json.begin_array(Layout::lines);
  for (const Track& track : run.tracks) {
    json.begin_object(Layout::lines);
    json.member("track", track_name(track, grid));
    json.member("processors", static_cast<std::int64_t>(track.processors));
    json.key("phases");
    json.begin_array(Layout::lines);
    for (const model::Phase* phase : phases[track.processor]) {
      json.begin_object(Layout::line);
      json.member("doing", std::string(name(phase->doing)));
      json.member("activity", std::string(name(phase->activity)));
      json.member("place", run.timeline.places[phase->place]);
      json.member("begin", phase->begin);
      json.member("end", phase->end);
      json.end_object();
    }
    json.end_array();
    json.end_object();
  }
  json.end_array();
}

}  // namespace

void write_json(std::ostream& out, const model::Prediction& prediction, const Run* run) {
  JsonWriter json(out);
  json.begin_object(Layout::lines);
  json.member("schema", std::string(prediction_schema));
  put_subject(json, prediction);
  json.member("warnings", prediction.warnings);
  if (prediction.recording.cost > 0.0) {
    json.key("recording");
    json.begin_object(Layout::line);
    json.member("cost", prediction.recording.cost);
    json.member("removed", prediction.recording.removed);
    json.member("share", prediction.recording.share());
    json.end_object();
  }
  put_placement(json, prediction);
  if (prediction.memory_per_processor) {
    json.member("memory_per_processor", *prediction.memory_per_processor);
  }
  json.key("intervals");
  json.begin_array(Layout::lines);
  for (std::size_t index = 0; index < prediction.intervals.size(); ++index) {
    put_interval(json, index, prediction.intervals[index]);
  }
  json.end_array();
  if (prediction.losses) {
    put_losses(json, *prediction.losses);
  }
  if (prediction.critical_path) {
    put_critical_path(json, *prediction.critical_path);
  }
  if (run != nullptr) {
    put_timeline(json, *run, prediction.grid);
  }
  json.end_object();
  out.put('\n');
}

}  // namespace gridcast::report
