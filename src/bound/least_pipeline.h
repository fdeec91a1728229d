#pragma once
/// Internal: how long a pipelined loop takes at least (docs/search.md, "Pipelines").

#include "least_machine.h"
#include "least_mapping.h"

namespace gridcast::model {

class LeastPipelines {
public:
  LeastPipelines(LeastMapping& mapping, const LeastMachine& machine, PipelineMode mode)
      : mapping_(&mapping), machine_(&machine), mode_(mode) {}

  /// From the moment on that no processor begins the loop before until the last is through with it.
  /// One processor would take at least so many seconds for all of it.
  [[nodiscard]] double time(const PipelineSpec& spec, double seconds) const;

private:
  using Lines = std::array<bool, machine::max_grid_rank>;
  [[nodiscard]] Lines lines(const PipelineSpec& spec) const;
  /// Three coordinates or more hold something, so that those between the first and the last of them
  /// hold whole blocks.
  [[nodiscard]] static bool on_way(const LeastCut& cut) noexcept {
    return cut.full >= 1.0 && cut.holders >= 3.0;
  }

  LeastMapping* mapping_;
  const LeastMachine* machine_;
  PipelineMode mode_;
};

}  // namespace gridcast::model
