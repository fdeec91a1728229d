#include "processor_names.h"

namespace gridcast::report {

std::string processor_name(std::size_t processor, const machine::Grid& grid) {
  std::string coordinates;
  std::size_t left = processor;
  for (int dim = grid.rank(); dim-- > 0;) {
    const auto extent = static_cast<std::size_t>(grid.extent(dim));
    coordinates = std::to_string(left % extent) + (coordinates.empty() ? "" : ",") + coordinates;
    left /= extent;
  }
  return "processor " + std::to_string(processor) + " (" + coordinates + ")";
}

}  // namespace gridcast::report
