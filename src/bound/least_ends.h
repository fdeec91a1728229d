#pragma once
/// Internal: when the processors are through with a communication, at the earliest (docs/search.md,
/// "Messages").

#include "least_machine.h"
#include "least_mapping.h"

namespace gridcast::model {

/// Who waits last for messages and runs iterations of a loop afterwards.
struct LeastReader {
  std::uint32_t loop = none;  ///< placement; none: not known of anybody
  double last = 0.0;          ///< is through with waiting then, at least; seconds after the start
};

/// Seconds after the start of a communication.
struct LeastEnds {
  double each = 0.0;  ///< every processor of the current system
  double last = 0.0;  ///< the last of them
  LeastReader reader{};
  double middle = 0.0;  ///< LeastMapping::middle()
  double first = 0.0;   ///< processor 0
};

/// Works out the least ends of communications on the grids of a box.
class LeastCommunications {
public:
  LeastCommunications(LeastMapping& mapping, const LeastMachine& machine,
                      const ModelOptions& options)
      : mapping_(&mapping), machine_(&machine), options_(options) {}

  /// Of free processes: after the moment from which on all of them may send. Copies count nothing
  /// over ports and links.
  [[nodiscard]] LeastEnds ends(const CommunicationSpec& spec) const;
  /// True if a reduction surely sends messages, on grids of more than one processor.
  [[nodiscard]] bool reduces(const CommunicationSpec& spec) const;
  /// By which algorithm; `automatic`: doubling or Rabenseifner's; nothing: by any.
  [[nodiscard]] std::optional<ReductionKind> reduction_kind(const CommunicationSpec& spec) const;
  /// Of a pipelined loop, from the moment on that no processor begins it before until the last is
  /// through with it. One processor would take at least so many seconds for all of it.
  [[nodiscard]] double pipeline(const PipelineSpec& spec, double seconds) const;

private:
  [[nodiscard]] static bool is_within(std::uint32_t system, std::uint32_t current);
  [[nodiscard]] double exchange(const CommunicationSpec& spec, PlacementId placement) const;
  void exchange_on_grid(const CommunicationSpec& spec, LeastEnds& ends) const;
  struct Edges;
  [[nodiscard]] Edges edges(const CommunicationSpec& spec, PlacementId placement,
                            std::size_t array_dim) const;
  [[nodiscard]] LeastEnds reduction(const CommunicationSpec& spec) const;
  [[nodiscard]] LeastEnds remote(const CommunicationSpec& spec) const;
  [[nodiscard]] double move(const CopyPart& part, ViewId view) const;
  void move_on_grid(const CommunicationSpec& spec, LeastEnds& ends) const;
  [[nodiscard]] double moved_into(const CommunicationSpec& spec, std::int64_t processor,
                                  std::int64_t part) const;
  [[nodiscard]] double along_line(const LeastLayout& from, const LeastLayout& to, int along,
                                  double others, double element) const;
  [[nodiscard]] double numbers_of(const LeastLayout& from, const LeastLayout& to) const;
  struct Section;
  [[nodiscard]] bool look_at(const RemotePart& part, Section& section) const;

  [[nodiscard]] bool free() const noexcept { return options_.processes == ProcessKind::free; }

  LeastMapping* mapping_;
  const LeastMachine* machine_;
  ModelOptions options_;
};

}  // namespace gridcast::model
