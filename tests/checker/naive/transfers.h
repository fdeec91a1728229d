#pragma once
/// What a communication transfers and what it writes (docs/model.md §5).

#include "holders.h"

namespace gridcast::naive {

/// Elements of one object that each processor writes: for the share of a return time.
struct Written {
  std::vector<std::set<std::size_t>> by;  ///< per processor of the root grid
};

/// A transfer of each element that `needed` names from the nearest holder to those without it.
void fetch(const Machine& machine, Holders have, Holders need, double bytes, Transfers& transfers);

/// An array's shadow edges in a group.
struct Edges {
  std::shared_ptr<Array> array;
  Index low, high;
  long tuple_limit = 1;
  double element_bytes = 0.0;     ///< what of an element travels
  bool first_contiguous = false;  ///< the first dimension lies side by side in memory
  bool wraps = true;              ///< around periodic dimensions
};

/// strtsh_. Transfers of one group.
[[nodiscard]] Transfers edges_of(const std::vector<Edges>& group, const System& current);

/// Only towards processors that come earlier in the order of a loop.
[[nodiscard]] Transfers old_values_of(const std::vector<Edges>& group, const Loop& loop,
                                      const System& current);

/// Whether a loop runs over the same processor system as an array lies on.
[[nodiscard]] bool run_along(const Loop& loop, const Edges& edges);

/// Direction of a loop along dimension j of the system: +1, -1; 0 if it does not run along it.
[[nodiscard]] int direction(const Loop& loop, std::size_t j);

/// Elements from before to after a change of place.
void move(const Machine& machine, const std::vector<Holders>& before,
          const std::vector<Holders>& after, double element_size, Transfers& transfers);

/// One side of a copy.
struct Section {
  std::shared_ptr<Array> array;  ///< none: a buffer on every processor
  Index first, last, step;

  /// The indices it covers, per dimension.
  [[nodiscard]] std::vector<Index> values() const;
};

/// arrcpy_ and aarrcp_: transfers, and what is written.
struct Copy {
  Transfers transfers;
  Written written;
};
[[nodiscard]] Copy copy_of(const Machine& machine, const Section& from, const Section& to,
                           const System& current);

/// A buffer of remote elements: per processor the elements of the array that it keeps.
struct Buffer {
  std::shared_ptr<Array> array;
  std::vector<std::set<std::size_t>> needs;
};
[[nodiscard]] Buffer loop_buffer(const Machine& machine, const std::shared_ptr<Array>& array,
                                 const Loop& loop, const Rule& rule, const System& current);
[[nodiscard]] Buffer point_buffer(const Machine& machine, const std::shared_ptr<Array>& array,
                                  const Index& coordinates, const System& readers);
void load(const Machine& machine, const Buffer& buffer, const System& current,
          Transfers& transfers);

}  // namespace gridcast::naive
