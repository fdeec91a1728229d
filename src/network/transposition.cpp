#include "gridcast/network/transposition.h"

#include <algorithm>

namespace gridcast::network {

using mapping::AxisCut;
using mapping::ClassLayout;

double Transposition::size(const ClassLayout& layout, int dim, std::int64_t x) noexcept {
  const AxisCut& cut = layout.cuts[static_cast<std::size_t>(dim)];
  return cut.active() ? static_cast<double>(cut.range(x).size()) : 1.0;
}

namespace {

/// Whether each coordinate has before what it needs afterwards, as far as this dimension decides.
bool stays(const ProcessorClasses& classes, int dim, const AxisCut& before, const AxisCut& after) {
  if (!before.active()) {
    return true;
  }
  if (!after.active() || before.dim() != after.dim()) {
    return false;
  }
  // Between two borders parts of one size follow each other: the first two stand for all.
  std::vector<std::int64_t> borders{0};
  before.append_borders(borders);
  after.append_borders(borders);
  return std::all_of(borders.begin(), borders.end(), [&](std::int64_t border) {
    bool same = true;
    for (std::int64_t x = border; x < std::min(border + 2, classes.extent(dim)); ++x) {
      const mapping::IndexRange held = before.range(x);
      const mapping::IndexRange needed = after.range(x);
      same = same && (held == needed || (held.empty() && needed.empty()));
    }
    return same;
  });
}

bool cuts_elsewhere(const ClassLayout& layout, int array_dim, int grid_dim) {
  bool cuts = false;
  for (int dim = 0; dim < static_cast<int>(layout.dims.size()); ++dim) {
    cuts = cuts || (dim != grid_dim && layout.dims[static_cast<std::size_t>(dim)] == array_dim);
  }
  return cuts;
}

}  // namespace

bool Transposition::Part::find(const ProcessorClasses& classes, int& along) const {
  along = -1;
  for (int dim = 0; dim < classes.rank(); ++dim) {
    const auto at = static_cast<std::size_t>(dim);
    const AxisCut& before = from->cuts[at];
    // What is cut here only now must have been whole everywhere.
    const bool whole = to->dims[at] < 0 || !cuts_elsewhere(*from, to->dims[at], dim);
    if (stays(classes, dim, before, to->cuts[at])) {
      if (!before.active() && !whole) {
        return false;
      }
      continue;
    }
    const int array_dim = from->dims[at];
    if (along >= 0 || array_dim < 0 || to->dims[at] == array_dim || !whole ||
        cuts_elsewhere(*to, array_dim, dim)) {
      return false;
    }
    along = dim;
  }
  return true;
}

bool Transposition::add(const ProcessorClasses& classes, const ClassLayout& from,
                        const ClassLayout& to, double element_size) {
  const Part part{&from, &to, element_size};
  int along = -1;
  if (!part.find(classes, along)) {
    return false;
  }
  if (along < 0) {
    return true;
  }
  bool alike = along_ < 0 || along_ == along;
  along_ = along;
  parts_.push_back(part);
  for (std::int64_t x = 0; parts_.size() > 1 && x < classes.extent(along) && alike; ++x) {
    alike = size(from, along, x) == sent(x) && size(to, along, x) == received(x);
  }
  return alike;
}

std::int64_t Transposition::end(const ProcessorClasses& classes) const noexcept {
  std::int64_t end = 0;
  for (const ClassLayout* const layout : {parts_.front().from, parts_.front().to}) {
    const AxisCut& cut = layout->cuts[static_cast<std::size_t>(along_)];
    end = std::max(end, cut.active() ? cut.end() : classes.extent(along_));
  }
  return end;
}

double Transposition::bytes(const ProcessorClasses& classes, std::size_t which) const noexcept {
  double all = 0.0;
  for (const Part& part : parts_) {
    double elements = part.element_size;
    std::uint32_t cut = 0;  // dimensions of the array
    const auto mark = [&cut](int dim) { cut |= dim >= 0 ? 1U << dim : 0; };
    for (int dim = 0; dim < classes.rank(); ++dim) {
      const auto at = static_cast<std::size_t>(dim);
      mark(part.from->dims[at]);
      mark(part.to->dims[at]);
      if (dim != along_) {
        elements *= size(*part.to, dim, classes.coordinates(which, dim).first);
      }
    }
    for (std::size_t dim = 0; dim < part.from->extents.size(); ++dim) {
      elements *= (cut >> dim & 1U) != 0 ? 1.0 : static_cast<double>(part.from->extents[dim]);
    }
    all += elements;
  }
  return all;
}

}  // namespace gridcast::network
