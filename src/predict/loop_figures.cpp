#include "loop_figures.h"

#include <cmath>

namespace gridcast::model {
namespace {

std::string iterations_of(std::size_t count, const char* rest) {
  return std::to_string(count) + (count == 1 ? " iteration" : " iterations") + rest;
}

}  // namespace

std::vector<std::string> LoopFigures::notes(std::size_t ops) const {
  std::vector<std::string> notes;
  if (left_out > 0) {
    const auto percent =
        std::lround(100.0 * static_cast<double>(left_out_ops) / static_cast<double>(ops));
    notes.push_back("extrapolated " + iterations_of(left_out, " of ") + std::to_string(loops) +
                    (loops == 1 ? " sequential loop (" : " sequential loops (") +
                    std::to_string(percent) + " % of the operations were not simulated)");
  }
  if (few > 0) {
    notes.push_back(iterations_of(
        few, " of equal calls simulated in full: too few for the differences of their times"));
  }
  if (unsynchronized > 0) {
    notes.push_back(iterations_of(
        unsynchronized, " of equal calls simulated in full: no call waits for all processors"));
  }
  if (uneven > 0) {
    notes.push_back(iterations_of(
        uneven, " of equal calls simulated in full: a sample might be more than 0.5 % off"));
  }
  return notes;
}

}  // namespace gridcast::model
