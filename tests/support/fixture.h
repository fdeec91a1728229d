#pragma once
/// What the tests of the model share: machines as text, programs written call by call.

#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "gridcast/compile/compile.h"
#include "gridcast/machine/cluster.h"
#include "gridcast/predict/predictor.h"
#include "gridcast/trace/program.h"

namespace gridcast::model::test {

using trace::Slot;

/// A flat machine: `type` as in a .par file, times in microseconds.
inline machine::Cluster flat(const std::string& type, double start, double byte) {
  return machine::Cluster::parse("cluster = c; c = {65536 x p}; c.CommType = " + type +
                                     "; c.TStart = " + std::to_string(start) +
                                     "; c.TByte = " + std::to_string(byte) + "; p = 1;",
                                 "flat.par");
}

/// A machine on which neither starting nor sending costs anything.
inline machine::Cluster free_of_charge() { return flat("myrinet (1)", 0.0, 0.0); }

inline machine::Cluster two_level() {
  return machine::Cluster::parse(
      "cluster = c; c = {32768 x n}; c.CommType = myrinet (1); c.TStart = 7; c.TByte = 0.004;"
      "n = {2 x p}; n.CommType = myrinet (1); n.TStart = 1; n.TByte = 0.001; p = 1;",
      "two_level.par");
}

inline machine::Cluster three_level() {
  return machine::Cluster::parse(
      "cluster = c; c = {4096 x n}; c.CommType = myrinet (4); c.TStart = 7; c.TByte = 0.004;"
      "n = {4 x m}; n.CommType = transputer; n.TStart = 1; n.TByte = 0.001;"
      "m = {4 x p}; m.CommType = ethernet; m.TStart = 0.5; m.TByte = 0.0001; p = 1;",
      "three_level.par");
}

inline machine::Cluster heterogeneous() {
  return machine::Cluster::parse(
      "cluster = c; c = {16 x a, 4096 x n}; c.CommType = myrinet (2); c.TStart = 7;"
      "c.TByte = 0.004; n = {3 x p, 2 x q}; n.CommType = ethernet; n.TStart = 1; n.TByte = 0.001;"
      "a = {2 x q}; a.CommType = transputer; a.TStart = 1; a.TByte = 0.001; p = 1; q = 2.5;",
      "heterogeneous.par");
}

/// Nodes of three processors with ports, costs of the run-time library and trees of overheads.
inline machine::Cluster port_nodes() {
  return machine::Cluster::parse(
      "cluster = c; c = {4096 x n}; c.CommType = loggp; c.L = 3; c.o_s = 0.5; c.o_r = 0.75;"
      "c.g = 1; c.G = 0.004; c.TCollective = 15; c.TLoad = 0.9; c.TPortion = 2.9; c.TCopy = 0.001;"
      "n = {3 x p}; n.CommType = ports; n.TStart = 1; n.TByte = 0.001; n.TSend = 0.25; p = 1;",
      "port_nodes.par");
}

inline std::filesystem::path data(const std::string& name) {
  return std::filesystem::path(GRIDCAST_SOURCE_DIR) / "tests" / "data" / name;
}

inline machine::Grid grid(const std::string& text) { return machine::Grid::parse(text); }

/// A program written call by call. Slots of each kind: 0...31.
class Run {
public:
  explicit Run(std::vector<std::int64_t> traced = {1}) {
    program_.trace_file = "written.ptr";
    program_.functions = {"function_"};
    program_.files = {"a.c"};
    program_.traced_grid = std::move(traced);
    constexpr Slot most = 32;
    program_.slots = {most, most, most, most, most, most, most, most, most, most, most};
  }

  /// One call; times in seconds. `line` is that of the program's source.
  Run& operator()(trace::Call call, double call_time = 0.0, double ret_time = 0.0,
                  std::uint32_t line = 1) {
    std::uint32_t place = 0;
    while (place < program_.places.size() && program_.places[place].line != line) {
      ++place;
    }
    if (place == program_.places.size()) {
      program_.places.push_back({0, 0, line});
    }
    trace::Record record;
    record.call = static_cast<std::uint32_t>(program_.calls.size());
    record.place = place;
    record.trace_line = record.call + 1;
    record.call_time = call_time;
    record.ret_time = ret_time;
    program_.calls.push_back(std::move(call));
    program_.records.push_back(record);
    program_.duration += call_time + ret_time;
    return *this;
  }

  /// Template 0 of these extents, its dimension i cut by dimension i of the processor system.
  Run& target(trace::Extents extents, Slot slot = 0, Slot system = trace::no_object) {
    std::vector<std::int64_t> axes;
    for (std::size_t i = 1; i <= extents.size(); ++i) {
      axes.push_back(static_cast<std::int64_t>(i));
    }
    (*this)(trace::CreateTemplate{slot, std::move(extents)});
    return (*this)(trace::Distribute{slot, system, std::move(axes)});
  }

  /// Array `slot`, element i over element i of template `target`.
  Run& array(Slot slot, trace::Extents extents, std::int64_t element_size, trace::Extents low = {},
             trace::Extents high = {}, Slot target = 0) {
    const std::size_t rank = extents.size();
    (*this)(trace::CreateArray{slot, std::move(extents), element_size, std::move(low),
                               std::move(high)});
    return (*this)(trace::Align{slot, identity(rank, target)});
  }

  /// Loop `slot` over 0...extent-1 in each dimension, iteration i on element i of template
  /// `target`.
  Run& loop(Slot slot, const trace::Extents& extents, Slot target = 0) {
    trace::Extents first(extents.size(), 0);
    trace::Extents last;
    for (const std::int64_t extent : extents) {
      last.push_back(extent - 1);
    }
    (*this)(trace::CreateLoop{slot, static_cast<std::int64_t>(extents.size())});
    return (*this)(trace::MapLoop{slot, identity(extents.size(), target), first, last,
                                  trace::Extents(extents.size(), 1)});
  }

  static trace::AlignmentRule identity(std::size_t rank, Slot target) {
    trace::AlignmentRule rule;
    rule.kind = trace::PatternKind::target;
    rule.pattern = target;
    for (std::size_t i = 1; i <= rank; ++i) {
      rule.axes.push_back(static_cast<std::int64_t>(i));
      rule.coefficients.push_back(1);
      rule.constants.push_back(0);
    }
    return rule;
  }

  [[nodiscard]] const trace::Program& program() const { return program_; }

  [[nodiscard]] Prediction predict(const machine::Cluster& cluster, const std::string& on,
                                   const ModelOptions& options = {}) const {
    const Compiled compiled = compile(program_);
    return Predictor(compiled.script, cluster, options).predict(grid(on), true);
  }

private:
  trace::Program program_;
};

/// Equal to 1e-12 of the larger (or of `scale`, if that is larger).
inline bool close(double a, double b, double tolerance = 1e-12, double scale = 0.0) {
  return std::abs(a - b) <= tolerance * std::max({std::abs(a), std::abs(b), scale});
}

}  // namespace gridcast::model::test
