#pragma once
/// Internal: what a pipelined loop adds to the computation of its processors, at least
/// (docs/search.md, "Pipelines").

#include "gridcast/rules/pipeline_formulas.h"
#include "least_machine.h"
#include "least_mapping.h"

namespace gridcast::model {

/// Seconds from the latest moment on that no processor begins the loop before.
struct LeastPipeline {
  PerCandidate fill{};  ///< until the first portion of a candidate begins
  double last = 0.0;    ///< until the last edge has arrived
};

class LeastPipelines {
public:
  LeastPipelines(LeastMapping& mapping, const LeastMachine& machine, PipelineMode mode)
      : mapping_(&mapping), machine_(&machine), mode_(mode) {}

  /// The loop takes `call` seconds on the tracing machine; in blocks of other shapes `shaped` times
  /// as long, at least.
  [[nodiscard]] LeastPipeline times(const PipelineSpec& spec, double call, double shaped) const;

private:
  struct Lines;
  [[nodiscard]] Lines lines(const PipelineSpec& spec) const;
  [[nodiscard]] PipelineShape shape(const Lines& lines, double call, bool most) const;
  [[nodiscard]] double fill(const Lines& lines, const Candidate& candidate, double portion) const;
  [[nodiscard]] double load(const Lines& lines, std::int64_t quanta) const;

  LeastMapping* mapping_;
  const LeastMachine* machine_;
  PipelineMode mode_;
};

}  // namespace gridcast::model
