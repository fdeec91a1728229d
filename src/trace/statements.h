#pragma once
/// Statements over blocks (docs/programs.md): what each process of a message-passing program does,
/// said over its own block. No trace has them; descriptions do.

#include <cstdint>
#include <string>
#include <vector>

#include "gridcast/trace/formula.h"
#include "gridcast/trace/slots.h"

namespace gridcast::trace {

/// How a domain is cut into blocks.
enum class DomainRule : std::uint8_t {
  usual,     ///< as arrays are (--block-rule)
  ceil,      ///< ⌈n/P⌉ elements, the last ones fewer
  balanced,  ///< block q begins at ⌊q·n/P⌋
  first,     ///< ⌊n/P⌋ elements, the first ones one more
  last,      ///< the last ones one more
};

/// What blocks are cut from.
struct Domain {
  std::string name;
  Extents extents;
  Extents cuts;  ///< per dimension: the dimension of the grid (from 1) that cuts it; 0: whole
  DomainRule rule = DomainRule::usual;
  Extents ghost;                  ///< per dimension: elements of neighbours that messages bring
  std::vector<bool> periodic;     ///< per dimension: its ends are neighbours
  std::int64_t element_size = 0;  ///< bytes that a point takes in memory; 0: none
};

/// A message to, or from, the neighbour at an offset.
struct NeighbourMessage {
  Extents offset;  ///< per dimension of the grid
  Formula bytes;   ///< of each, as its sender has it; of a receive empty
  Formula count;   ///< how many
  bool operator==(const NeighbourMessage&) const = default;
};

/// Operations of all processes that differ in some coordinates only.
enum class Collective : std::uint8_t {
  allreduce,
  broadcast,
  reduce,
  barrier,
  gather,
  scatter,
  allgather,
  alltoall,
  alltoallv,
  scan,
};

/// How a collective operation sends (docs/model.md §10); each knows some of them.
enum class CollectiveAlgorithm : std::uint8_t {
  automatic,
  doubling,
  tree,
  linear,
  rabenseifner,
  ring,
  binomial,
  scatter_ring,
  dissemination,
  pairwise,
};

/// One statement.
struct BlockStatement {
  /// What it does.
  enum class Kind : std::uint8_t {
    compute,     ///< `formula` seconds, or by `table`
    phase,       ///< receives what neighbours send, sends `messages`, waits
    turns,       ///< each of `messages` is a send-receive of its own
    start,       ///< a phase that `operation` waits for
    wait,        ///< for `operation`
    send,        ///< the one of `messages`, which a `receive` elsewhere takes
    receive,     ///< the same
    collective,  ///< `collective` of `formula` bytes
    repeat,      ///< begins what is done `formula` times
    end_repeat,
  };
  static constexpr std::uint32_t no_domain = 0xffffffffU;

  Kind kind = Kind::compute;
  std::uint32_t line = 0;  ///< in the description
  std::uint32_t domain = no_domain;
  Formula formula;
  std::vector<double> table;  ///< points of a block and seconds, ascending
  std::vector<NeighbourMessage> messages;
  std::uint32_t operation = 0;
  std::string tag;
  Collective collective = Collective::barrier;
  CollectiveAlgorithm algorithm = CollectiveAlgorithm::automatic;
  Extents across;  ///< dimensions of the grid (from 1); empty: all
  Extents root;    ///< its coordinates along these; empty: 0
  bool operator==(const BlockStatement&) const = default;
};

/// All that a program says over blocks; calls name statements by their number.
struct BlockProgram {
  std::vector<Domain> domains;
  std::vector<BlockStatement> statements;
  std::uint32_t operations = 0;  ///< that are started
};

}  // namespace gridcast::trace
