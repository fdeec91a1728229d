#pragma once
/// Internal: messages between neighbours of the grid as streams: every processor of a box sends to
/// the processor a fixed step away. What a stream puts on a network is a closed form, because each
/// network serves a range of consecutive processors.

#include <cstdint>
#include <deque>
#include <span>
#include <utility>
#include <vector>

#include "bound_run.h"
#include "bound_shape.h"

namespace gridcast::model {

/// Least begin of a transfer on `channels` idle channels behind transfers of `load` seconds in all
/// that take at most `longest` each: channels filled in turn differ by at most one transfer.
[[nodiscard]] double begin_behind(double load, double longest, std::int32_t channels) noexcept;

class NeighbourStreams {
public:
  explicit NeighbourStreams(const BoundMapping& mapping) : mapping_(&mapping), run_(mapping) {}

  void clear();

  /// A function that lives until clear().
  StepFunction& function();

  /// Every processor sends `bytes` (its figure) to the one at the given step, if its figure is
  /// positive. Streams with equal steps are one message per pair.
  void add(std::span<const int> step, double scale,
           const std::array<const StepFunction*, machine::max_grid_rank>& bytes,
           const std::array<const StepFunction*, machine::max_grid_rank>& counts);

  /// Messages and bytes that networks of this number carry.
  struct Load {
    double messages = 0.0;
    double bytes = 0.0;
  };
  [[nodiscard]] Load load(std::uint32_t network) {
    return load_before(network, shape().processors);
  }

  /// Ends of the messages on idle networks, in the order of docs/model.md §4.
  void times(std::span<const std::int64_t> candidates, BoundTimes& result);

private:
  struct Stream {
    std::int64_t shift = 0;
    int key = 0;          // of the step: three values per dimension
    int distance = 0;     // links
    bool counted = true;  // the other streams of the same step have no messages of their own
    ProductForm bytes;
    ProductForm count;
    double largest = 0.0;
  };
  struct Message {
    std::int64_t from = 0;
    std::int64_t to = 0;
    double bytes = 0.0;
    std::uint32_t network = 0;
  };
  struct Inner {  // what the networks right below one carry among themselves
    std::uint32_t network = 0;
    std::vector<Load> before;
  };

  [[nodiscard]] const GridShape& shape() const noexcept { return mapping_->shape(); }
  void settle();
  [[nodiscard]] Load within(std::int64_t begin, std::int64_t end, std::int64_t limit,
                            std::int64_t reach) const noexcept;
  [[nodiscard]] Load load_before(std::uint32_t network, std::int64_t sender);
  const std::vector<Load>& inner(std::uint32_t network);
  void collect(std::int64_t processor);
  /// If that is more exact than formulas and not too many messages.
  void run_all(std::span<const std::int64_t> candidates, BoundTimes& result);
  void links(std::span<const std::int64_t> candidates, BoundTimes& result);

  const BoundMapping* mapping_;
  BoundRun run_;
  std::deque<StepFunction> functions_;
  std::size_t used_ = 0;
  std::vector<Stream> streams_;
  std::vector<Inner> inner_;
  std::size_t inner_used_ = 0;
  std::vector<Message> messages_;
  double largest_ = 0.0;  // bytes of the largest message at most
  int farthest_ = 0;
};

}  // namespace gridcast::model
