#pragma once
/// Coordinates of one dimension of a grid that are alike.

#include <cstdint>
#include <span>

#include "gridcast/mapping/axis_cut.h"
#include "gridcast/mapping/processor_classes.h"

namespace gridcast::mapping {

/// The kinds of coordinates by the sizes of the parts at and beside them, of all these cuts, whose
/// sizes repeat; the ends of the cuts apart. False if there are too many to be of use.
bool find_kinds(std::span<const AxisCut* const> cuts, std::int64_t extent,
                ProcessorClasses::Kinds& kinds);

}  // namespace gridcast::mapping
