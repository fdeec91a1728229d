#pragma once
/// Internal: copies and remote access by which all that take part get the same section, which lies
/// on one processor, or on one of each row of processors where the array is replicated.

#include <array>
#include <cstdint>
#include <vector>

#include "class_mapping.h"

namespace gridcast::model {

/// Finds spreads of a script on the grids of a mapping.
class SpreadFinder {
public:
  SpreadFinder(const ClassMapping& mapping, CommunicationId communication)
      : mapping_(&mapping), communication_(communication) {}

  /// Placements that find() asks about; none if the communication cannot be a spread.
  [[nodiscard]] std::vector<PlacementId> placements() const;
  /// False if it is not a spread on this grid.
  bool find(Spread& spread) const;

private:
  using Needs = std::array<mapping::StridedRange, mapping::max_rank>;

  bool copy(const CopyPart& part, Spread& spread) const;
  bool remote(const RemotePart& part, Spread& spread) const;
  /// Who receives: those that hold something of `layout`; null: all.
  bool receivers(const ClassLayout* layout, Spread& spread) const;
  bool senders(const ClassLayout& from, const Needs& needs, Spread& spread) const;

  const ClassMapping* mapping_;
  CommunicationId communication_;
};

}  // namespace gridcast::model
