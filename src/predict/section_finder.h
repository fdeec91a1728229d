#pragma once
/// Internal: copies and remote access by which all that take part get the same section, which lies
/// on one processor, or on one of each row of processors where the array is replicated; arrays that
/// go as a whole to another distribution.

#include <array>
#include <cstdint>
#include <vector>

#include "class_mapping.h"

namespace gridcast::model {

/// Finds spreads and transpositions of a script on the grids of a mapping.
class SectionFinder {
public:
  SectionFinder(const ClassMapping& mapping, CommunicationId communication)
      : mapping_(&mapping), communication_(communication) {}

  /// Placements that find() asks about; none if the communication can be neither.
  [[nodiscard]] std::vector<PlacementId> placements() const;
  /// False if it is not a spread on this grid.
  bool find(Spread& spread) const;
  /// False if it is not a transposition on this grid.
  bool find(Transposition& transposition) const;

private:
  using Needs = std::array<mapping::StridedRange, mapping::max_rank>;

  /// Whether each element of the array goes to the same place of another one.
  [[nodiscard]] bool whole(const CopyPart& part) const;
  bool copy(const CopyPart& part, Spread& spread) const;
  bool remote(const RemotePart& part, Spread& spread) const;
  /// Who receives: those that hold something of `layout`; null: all.
  bool receivers(const ClassLayout* layout, Spread& spread) const;
  bool senders(const ClassLayout& from, const Needs& needs, Spread& spread) const;

  const ClassMapping* mapping_;
  CommunicationId communication_;
};

}  // namespace gridcast::model
