#pragma once
/// What each processor does while a prediction runs processor by processor: who is told can
/// attribute time to places or draw it (docs/model.md, "Where lost time goes").

#include <cstddef>
#include <cstdint>
#include <span>

#include "gridcast/machine/cluster.h"
#include "gridcast/machine/grid.h"
#include "gridcast/rules/script.h"
#include "gridcast/rules/transfers.h"

namespace gridcast::model {

/// What a processor does when it does not wait.
enum class Work : std::uint8_t {
  computing,  ///< the user's computation
  library,    ///< the run-time library
  io,         ///< input and output, on processor 0
};

/// A message that a free process waits for.
struct Delivery {
  network::Transfer message;
  double other = 0.0;  ///< when its other process was there, seconds
  double begin = 0.0;  ///< when it went
  double end = 0.0;
};

/// Told in the order in which things happen on each processor. Every second of a processor is told
/// once: what it tells of a processor adds up to its clock at the end. Processors are numbers of
/// the root grid, times are seconds.
class Observer {
public:
  Observer() = default;
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;
  virtual ~Observer() = default;

  /// A prediction begins, all clocks are 0. `system` outlives it.
  virtual void started(const machine::ProcessorSystem& system, const machine::Grid& grid) = 0;

  /// What follows belongs to this operation of the script.
  virtual void operation(const Op& op) = 0;

  /// `repeated`: the part that other processors do as well.
  virtual void worked(std::size_t processor, Work work, double seconds, double repeated) = 0;

  /// A processor waits until `last`, which comes latest, is there too: all of them, or of free
  /// processes the partner of a message.
  virtual void waited(std::size_t processor, std::size_t last, double seconds) = 0;

  /// After that, of processes that meet: the clocks of these processors are that of `last` now.
  virtual void met(std::span<const std::uint32_t> processors, std::size_t last) = 0;

  /// A processor pays the run-time library for an operation, or for its sends.
  virtual void paid(std::size_t processor, double seconds) = 0;

  /// A processor waits for, or is kept busy by, a communication that ends for it `end` after its
  /// start; what was hidden by computation is not in `seconds`. `transfers` is the same object each
  /// time the communication is repeated on this grid.
  virtual void transferred(std::size_t processor, double seconds, const Transfers& transfers,
                           double end) = 0;

  /// A free process waits for a message, after it has waited for the other process; `seconds` are
  /// what was not hidden by computation.
  virtual void delivered(std::size_t processor, double seconds, const Delivery& delivery) = 0;

  /// A processor waits in a pipelined loop: for its first portion, then for edges between portions.
  virtual void pipelined(std::size_t processor, double fill, double edges) = 0;

  /// The program ends: clocks of all processors.
  virtual void finished(std::span<const double> clocks) = 0;
};

}  // namespace gridcast::model
