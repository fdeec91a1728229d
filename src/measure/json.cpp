#include "gridcast/measure/json.h"

#include <ostream>
#include <span>

#include "gridcast/base/json_writer.h"

namespace gridcast::measure {
namespace {

void put_number(JsonWriter& json, const char* name, double value) {
  json.key(name);
  json.number(value);
}

void put_estimate(JsonWriter& json, const char* name, const Estimate& estimate) {
  json.key(name);
  json.begin_object(Layout::line);
  put_number(json, "value", estimate.value);
  put_number(json, "low", estimate.low);
  put_number(json, "high", estimate.high);
  json.end_object();
}

void put_segments(JsonWriter& json, const std::vector<Segment>& segments) {
  json.key("segments");
  json.begin_array(Layout::lines);
  for (const Segment& segment : segments) {
    json.begin_object(Layout::line);
    json.key("first_bytes");
    json.integer(segment.first);
    json.key("last_bytes");
    json.integer(segment.last);
    put_number(json, "start", segment.start);
    put_number(json, "per_byte", segment.per_byte);
    json.end_object();
  }
  json.end_array();
}

/// `count`: what Sample::messages means here.
void put_samples(JsonWriter& json, const char* name, const char* count,
                 std::span<const Sample> samples) {
  json.key(name);
  json.begin_array(Layout::lines);
  for (const Sample& sample : samples) {
    json.begin_object(Layout::line);
    json.key(count);
    json.integer(sample.messages);
    put_number(json, "delay", sample.delay);
    json.key("bytes");
    json.integer(sample.bytes);
    json.key("seconds");
    json.begin_array(Layout::line);
    for (const double seconds : sample.seconds) {
      json.number(seconds);
    }
    json.end_array();
    json.end_object();
  }
  json.end_array();
}

void put_network(JsonWriter& json, const MeasuredLevel& measured) {
  const LinkFit& fit = measured.fit;
  json.begin_object(Layout::lines);
  json.key("name");
  json.string(measured.level.name);
  json.key("part");
  json.string(measured.level.part);
  json.key("parts");
  json.integer(measured.level.parts);
  put_estimate(json, "latency", fit.latency);
  put_estimate(json, "send", fit.send);
  put_estimate(json, "receive", fit.receive);
  put_estimate(json, "gap", fit.gap);
  put_estimate(json, "per_byte", fit.per_byte);
  put_estimate(json, "start", fit.start);
  put_number(json, "worst_error", fit.worst);
  json.key("channels");
  json.integer(fit.channels);
  json.key("more_channels_possible");
  json.boolean(fit.all_at_once);
  json.key("waiting");
  json.string(std::string(waiting_word(fit.waiting)));
  put_segments(json, fit.segments);
  json.key("samples");
  json.begin_object(Layout::lines);
  put_samples(json, "single", "messages", measured.samples.single);
  put_samples(json, "trains", "messages", measured.samples.trains);
  put_samples(json, "delayed", "messages", measured.samples.delayed);
  put_samples(json, "late", "messages", measured.samples.late);
  put_samples(json, "together", "pairs", measured.samples.together);
  put_samples(json, "mean", "pairs", measured.samples.mean);
  json.end_object();
  json.end_object();
}

/// With `ratios`, one for each kernel, those stand behind the times.
void put_kernels(JsonWriter& json, const std::vector<KernelTime>& kernels,
                 std::span<const Speed> ratios = {}) {
  json.key("kernels");
  json.begin_array(Layout::lines);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    json.begin_object(Layout::line);
    json.key("name");
    json.string(kernels[i].name);
    put_number(json, "seconds", kernels[i].seconds);
    put_number(json, "low", kernels[i].low);
    put_number(json, "high", kernels[i].high);
    if (!ratios.empty()) {
      put_number(json, "ratio", ratios[i].ratio);
    }
    json.end_object();
  }
  json.end_array();
}

void put_socket(JsonWriter& json, const std::optional<SocketTimes>& times) {
  json.key("socket");
  if (!times) {
    json.null();
    return;
  }
  const SocketRatios ratios = ratios_of(*times);
  json.begin_object(Layout::lines);
  json.key("cores");
  json.integer(times->cores);
  json.key("cores_of_socket");
  json.integer(times->of_socket);
  put_number(json, "ratio_in_memory", ratios.in_memory);
  put_number(json, "ratio", ratios.all);
  put_kernels(json, times->busy, ratios.loops);
  json.end_object();
}

}  // namespace

void write_machine_json(std::ostream& out, const MeasuredMachine& machine) {
  JsonWriter json(out);
  json.begin_object(Layout::lines);
  json.key("schema");
  json.string("gridcast.measurement/1");
  json.key("description");
  json.string(machine.description);
  json.key("ranks");
  json.integer(machine.ranks);
  json.key("uneven");
  json.boolean(machine.uneven);
  json.key("networks");
  json.begin_array(Layout::lines);
  for (const MeasuredLevel& measured : machine.levels) {
    put_network(json, measured);
  }
  json.end_array();
  put_kernels(json, machine.kernels);
  put_socket(json, machine.socket);
  json.end_object();
  out << '\n';
}

void write_comparison_json(std::ostream& out, const Comparison& comparison) {
  JsonWriter json(out);
  json.begin_object(Layout::lines);
  json.key("schema");
  json.string("gridcast.ratio/1");
  json.key("first");
  json.string(comparison.first);
  json.key("second");
  json.string(comparison.second);
  json.key("speeds");
  json.begin_array(Layout::lines);
  for (const Speed& speed : comparison.speeds) {
    json.begin_object(Layout::line);
    json.key("name");
    json.string(speed.name);
    put_number(json, "ratio", speed.ratio);
    json.end_object();
  }
  json.end_array();
  json.key("mean");
  if (comparison.mean) {
    json.number(*comparison.mean);
  } else {
    json.null();
  }
  json.end_object();
  out << '\n';
}

}  // namespace gridcast::measure
