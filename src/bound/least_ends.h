#pragma once
/// Internal: when the processors are through with a communication, at the earliest (docs/search.md,
/// "Messages").

#include "least_machine.h"
#include "least_mapping.h"

namespace gridcast::model {

/// Seconds after the start of a communication.
struct LeastEnds {
  double each = 0.0;    ///< every processor of the current system
  double last = 0.0;    ///< the last of them
  PerCandidate own{};   ///< each candidate
  PerCandidate idle{};  ///< ... if the networks are idle at the start

  void raise_all(double time) noexcept;
};

/// Works out the least ends of communications on the grids of a box.
class LeastCommunications {
public:
  LeastCommunications(LeastMapping& mapping, const LeastMachine& machine, ReductionKind reduction)
      : mapping_(&mapping), machine_(&machine), tree_(reduction == ReductionKind::tree) {}

  [[nodiscard]] LeastEnds ends(const CommunicationSpec& spec) const;
  /// What processor 0 hands to all others of a view.
  [[nodiscard]] LeastEnds broadcast(std::uint32_t view, double bytes) const;

private:
  /// `apart`: 0, or the bytes that each message has at least, where messages that go farther than
  /// others decide how long all of them take.
  [[nodiscard]] LeastEnds exchange(const ShadowPart& part, const LeastLayout* before,
                                   double apart) const;
  [[nodiscard]] double least_apart(const CommunicationSpec& spec) const;
  [[nodiscard]] LeastEnds reduction(const CommunicationSpec& spec) const;
  /// `alone`: the communication loads nothing else.
  [[nodiscard]] LeastEnds remote(const RemotePart& part, bool alone) const;
  [[nodiscard]] LeastEnds move(const MovePart& part) const;
  struct Moved;
  [[nodiscard]] bool look_at(const MovePart& part, Moved& moved) const;
  [[nodiscard]] double along_line(const Moved& moved) const;
  struct Section;
  [[nodiscard]] bool look_at(const RemotePart& part, Section& section) const;
  [[nodiscard]] double from_one(const Section& section) const;
  [[nodiscard]] double from_line(const Section& section, int dim) const;
  [[nodiscard]] double over_links(const Section& section, bool alone) const;
  [[nodiscard]] static double longest(const Section& section, int but);
  void compare_places(const RemotePart& part, Section& section) const;
  struct Edges;
  void take_turns(const Edges& edges, const LeastLayout* before, LeastEnds& ends) const;

  LeastMapping* mapping_;
  const LeastMachine* machine_;
  bool tree_;
};

}  // namespace gridcast::model
