#include "gridcast/measure/json.h"

#include <ostream>
#include <span>

#include "gridcast/base/json_writer.h"

namespace gridcast::measure {
namespace {

void put_estimate(JsonWriter& json, const char* name, const Estimate& estimate) {
  json.key(name);
  json.begin_object(Layout::line);
  json.member("value", estimate.value);
  json.member("low", estimate.low);
  json.member("high", estimate.high);
  json.end_object();
}

void put_segments(JsonWriter& json, const std::vector<Segment>& segments) {
  json.key("segments");
  json.begin_array(Layout::lines);
  for (const Segment& segment : segments) {
    json.begin_object(Layout::line);
    json.member("first_bytes", segment.first);
    json.member("last_bytes", segment.last);
    json.member("start", segment.start);
    json.member("per_byte", segment.per_byte);
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
    json.member(count, sample.messages);
    json.member("delay", sample.delay);
    json.member("bytes", sample.bytes);
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
  json.member("name", measured.level.name);
  json.member("part", measured.level.part);
  json.member("parts", measured.level.parts);
  put_estimate(json, "latency", fit.latency);
  put_estimate(json, "send", fit.send);
  put_estimate(json, "receive", fit.receive);
  put_estimate(json, "gap", fit.gap);
  put_estimate(json, "per_byte", fit.per_byte);
  put_estimate(json, "start", fit.start);
  json.member("worst_error", fit.worst);
  json.member("channels", fit.channels);
  json.member("more_channels_possible", fit.all_at_once);
  json.member("waiting", std::string(waiting_word(fit.waiting)));
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
    json.member("name", kernels[i].name);
    json.member("seconds", kernels[i].seconds);
    json.member("low", kernels[i].low);
    json.member("high", kernels[i].high);
    if (!ratios.empty()) {
      json.member("ratio", ratios[i].ratio);
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
  json.member("cores", times->cores);
  json.member("cores_of_socket", times->of_socket);
  json.member("ratio_in_memory", ratios.in_memory);
  json.member("ratio", ratios.all);
  put_kernels(json, times->busy, ratios.loops);
  json.end_object();
}

}  // namespace

void write_machine_json(std::ostream& out, const MeasuredMachine& machine) {
  JsonWriter json(out);
  json.begin_object(Layout::lines);
  json.member("schema", "gridcast.measurement/1");
  json.member("description", machine.description);
  json.member("ranks", machine.ranks);
  json.member("uneven", machine.uneven);
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
  json.member("schema", "gridcast.ratio/1");
  json.member("first", comparison.first);
  json.member("second", comparison.second);
  json.key("speeds");
  json.begin_array(Layout::lines);
  for (const Speed& speed : comparison.speeds) {
    json.begin_object(Layout::line);
    json.member("name", speed.name);
    json.member("ratio", speed.ratio);
    json.end_object();
  }
  json.end_array();
  json.member("mean", comparison.mean);
  json.end_object();
  out << '\n';
}

}  // namespace gridcast::measure
