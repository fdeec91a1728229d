/// An exchange over a tree of networks, message after message until rows repeat.
///
/// All messages are ready at the start, and a network's messages follow the order of their senders.
/// So within each level one network at a time is in use, those below the top begin anew with each
/// part of the machine, and what follows a row depends only on when channels become free: those of
/// the top network seen from the first of them, those of the networks under which the row begins.

#include "folded_exchange.h"

#include "row_walk.h"

namespace gridcast::network {

void FoldedExchange::work_out(const ProcessorClasses& classes, const ClassExchange& exchange,
                              std::span<const NetworkLevel> levels) {
  begin(classes);
  RowWalk(*this, exchange, levels).run();
  finish();
}

}  // namespace gridcast::network
