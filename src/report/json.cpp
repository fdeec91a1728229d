#include "gridcast/report/json.h"

#include <ostream>
#include <string>
#include <utility>

#include "gridcast/base/json_writer.h"
#include "gridcast/figures/figures.h"
#include "gridcast/report/prediction_file.h"
#include "json_members.h"

namespace gridcast::report {
namespace {

using model::Characteristics;
using model::Operation;
using model::OperationTimes;
using model::ProcessorTimes;

void put_identity(JsonWriter& json, std::size_t index, const model::IntervalInfo& info) {
  put(json, "id", static_cast<std::int64_t>(index) + 1);
  json.key("parent");
  if (info.parent < 0) {
    json.null();
  } else {
    json.integer(std::int64_t{info.parent} + 1);
  }
  put(json, "level", std::int64_t{info.level});
  put(json, "type", std::string(interval_type_name(info.type)));
  put(json, "count", info.count);
  put(json, "line", info.line);
  put(json, "file", info.file);
  json.key("expression");
  if (info.expression) {
    json.integer(*info.expression);
  } else {
    json.null();
  }
}

void put_sums(JsonWriter& json, const model::IntervalResult& interval) {
  const Characteristics& sums = interval.sums;
  for (const model::Figure& figure : model::figures()) {
    put(json, figure.name, sums.*figure.value);
  }
  if (interval.execution_time_low && interval.execution_time_high) {
    put(json, "execution_time_low", *interval.execution_time_low);
    put(json, "execution_time_high", *interval.execution_time_high);
  }
  for (std::size_t kind = 0; kind < model::operation_count; ++kind) {
    json.key(model::operation_names[kind]);
    json.begin_object(Layout::line);
    put(json, "operations", sums.operation_counts[kind]);
    for (const model::OperationFigure& figure : model::operation_figures) {
      put(json, figure.name, sums.operations[kind].*figure.value);
    }
    put(json, "time_variation", interval.time_variations[kind]);
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
  put(json, "execution_time", times.execution_time);
  put(json, "io_time", times.io_time);
  put(json, "sys_time", times.sys_time);
  put(json, "cpu_time", times.cpu_time);
  put(json, "lost_time", times.lost_time());
  put(json, "communication", times.communication());
  put(json, "insuff_parallelism", times.insufficient_parallelism());
  put(json, "insuff_parallelism_usr", times.insufficient_parallelism_usr);
  put(json, "insuff_parallelism_sys", times.insufficient_parallelism_sys);
  put(json, "synchronization", times.synchronization);
  put(json, "time_variation", times.time_variation);
  put(json, "idle", times.idle);
  put(json, "load_imbalance", times.load_imbalance);
  put(json, "overlap", times.overlap());
  for (const Names& name : names) {
    const OperationTimes& operation = times.operations[static_cast<std::size_t>(name.kind)];
    put(json, name.communication, operation.communication);
    put(json, name.synch, operation.synch);
    put(json, name.overlap, operation.overlap);
  }
  json.end_object();
}

/// Of the times of `shadow`: what loops with dependences cost.
void put_pipelined(JsonWriter& json, const OperationTimes& times) {
  json.key("pipelined");
  json.begin_object(Layout::line);
  put(json, "communication", times.communication);
  put(json, "synch", times.synch);
  put(json, "overlap", times.overlap);
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
  put(json, "file", loss.file);
  put(json, "line", loss.line);
  put(json, "activity", std::string(model::name(loss.activity)));
  put(json, "cause", std::string(model::name(loss.cause)));
  put_or_null(json, "network", loss.network);
  put(json, "seconds", loss.seconds);
  json.key("instead");
  json.begin_array(Layout::line);
  for (const double seconds : loss.instead) {
    json.number(seconds);
  }
  json.end_array();
  json.end_object();
}

void put_losses(JsonWriter& json, const model::Losses& losses) {
  json.key("losses");
  json.begin_object(Layout::lines);
  put_or_null(json, "omitted", losses.omitted);
  put(json, "lost_time", losses.lost_time);
  json.key("alternatives");
  json.begin_array(Layout::lines);
  for (const model::Alternative& alternative : losses.alternatives) {
    json.begin_object(Layout::line);
    put(json, "change", alternative.change);
    put(json, "execution_time", alternative.execution_time);
    put(json, "total_time", alternative.total_time);
    put(json, "lost_time", alternative.lost_time);
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

}  // namespace

void write_json(std::ostream& out, const model::Prediction& prediction) {
  JsonWriter json(out);
  json.begin_object(Layout::lines);
  put(json, "schema", std::string(prediction_schema));
  put_subject(json, prediction);
  put(json, "warnings", prediction.warnings);
  if (prediction.recording.cost > 0.0) {
    json.key("recording");
    json.begin_object(Layout::line);
    put(json, "cost", prediction.recording.cost);
    put(json, "removed", prediction.recording.removed);
    put(json, "share", prediction.recording.share());
    json.end_object();
  }
  put_placement(json, prediction);
  if (prediction.memory_per_processor) {
    put(json, "memory_per_processor", *prediction.memory_per_processor);
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
  json.end_object();
  out.put('\n');
}

}  // namespace gridcast::report
