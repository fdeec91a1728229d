#pragma once
/// Internal: when the processors are through with a communication, at the earliest (docs/search.md,
/// "Messages").

#include "least_machine.h"
#include "least_mapping.h"

namespace gridcast::model {

/// Who waits for messages and runs iterations of a loop afterwards. Seconds after the start.
struct LeastReaders {
  std::uint32_t loop = none;  ///< placement; none: not known of anybody
  double last = 0.0;          ///< one of them is through then, at least
  double each = 0.0;          ///< ... and all who get messages then
  double longest = 0.0;       ///< fraction of the loop that one of those runs, at least

  [[nodiscard]] bool later_than(const LeastReaders& other) const noexcept {
    return loop != none && (other.loop == none || last > other.last);
  }
};

/// Seconds after the start of a communication.
struct LeastEnds {
  double each = 0.0;    ///< every processor of the current system
  double last = 0.0;    ///< the last of them
  PerCandidate own{};   ///< each candidate
  PerCandidate idle{};  ///< ... if the networks are idle at the start
  LeastReaders readers{};

  void raise_all(double time) noexcept;
};

/// Works out the least ends of communications on the grids of a box.
class LeastCommunications {
public:
  LeastCommunications(LeastMapping& mapping, const LeastMachine& machine, ReductionKind reduction)
      : mapping_(&mapping), machine_(&machine), tree_(reduction == ReductionKind::tree) {}

  [[nodiscard]] LeastEnds ends(const CommunicationSpec& spec) const;
  /// What processor 0 hands to all others of a view.
  [[nodiscard]] LeastEnds broadcast(ViewId view, double bytes) const;

private:
  /// `apart`: 0, or the bytes that each message has at least, where messages that go farther than
  /// others decide how long all of them take.
  [[nodiscard]] LeastEnds exchange(const ShadowPart& part, const LeastLayout* before,
                                   double apart) const;
  [[nodiscard]] double least_apart(const CommunicationSpec& spec) const;
  [[nodiscard]] LeastEnds reduction(const CommunicationSpec& spec) const;
  [[nodiscard]] LeastEnds remote(const CommunicationSpec& spec) const;
  [[nodiscard]] LeastEnds move(const MovePart& part) const;
  struct Moved;
  [[nodiscard]] bool look_at(const MovePart& part, Moved& moved) const;
  [[nodiscard]] double along_line(const Moved& moved) const;
  struct Section;
  /// What goes farthest over links: so far at least, with so many bytes.
  struct Way {
    double distance = 0.0;
    double bytes = 0.0;
  };
  [[nodiscard]] bool look_at(const RemotePart& part, Section& section) const;
  void compare_places(const RemotePart& part, Section& section) const;
  [[nodiscard]] double from_holders(const Section& section) const;
  [[nodiscard]] double from_one(const Section& section) const;
  [[nodiscard]] double from_line(const Section& section, int dim) const;
  [[nodiscard]] LeastReaders readers(const RemotePart& part, const Section& section) const;
  [[nodiscard]] static Way over_links(const Section& section);
  [[nodiscard]] static double longest(const Section& section, int but);
  [[nodiscard]] static double longest_of_others(const Section& section, int but);
  struct Edges;
  void take_turns(const Edges& edges, const LeastLayout* before, LeastEnds& ends) const;

  LeastMapping* mapping_;
  const LeastMachine* machine_;
  bool tree_;
};

}  // namespace gridcast::model
