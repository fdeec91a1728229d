#pragma once
/// Statements over blocks of processes that run free (docs/model.md §11), the naive way.

#include <array>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "free.h"

namespace gridcast::naive {

/// c0 + c1·b1 + c2·b2 + c3·t1.
using BlockSum = std::array<double, 4>;

/// What two dimensions of a grid cut.
struct BlockDomain {
  std::array<long, 2> extents{};
  std::string rule;  ///< ceil, balanced, first, last
  std::array<bool, 2> periodic{};

  /// The first element of coordinate q of P.
  [[nodiscard]] long begin(long n, long P, long q) const;
  [[nodiscard]] long length(long n, long P, long q) const {
    return begin(n, P, q + 1) - begin(n, P, q);
  }
};

struct BlockMessage {
  std::array<int, 2> offset{};
  BlockSum bytes{};
  int count = 1;
};

/// One statement: compute, phase, turns, start, wait, send, receive, or the name of a collective
/// operation.
struct BlockStatement {
  std::string kind;
  BlockSum value{};  ///< seconds or bytes
  std::vector<BlockMessage> messages;
  std::string label;        ///< of a start, of its wait; tag
  std::string algorithm;    ///< empty: auto
  std::vector<int> across;  ///< empty: all
  std::vector<int> root;    ///< of two coordinates, or empty
};

/// Of statements that run one after the other.
class BlockRun {
public:
  BlockRun(Machine& machine, BlockDomain domain)
      : machine_(machine), domain_(std::move(domain)), free_(machine) {}

  void operator()(const BlockStatement& statement);
  [[nodiscard]] std::vector<double> clocks() { return free_.clocks(); }

private:
  using Members = std::vector<int>;

  [[nodiscard]] int at(int p, int dim) const;
  [[nodiscard]] long own(int p, int dim) const;
  [[nodiscard]] double value(const BlockSum& sum, int p, int to = 0) const;
  [[nodiscard]] int neighbour(int p, const std::array<int, 2>& offset, int sign) const;
  [[nodiscard]] int partner(int p, const std::array<int, 2>& offset) const;
  void phase(const BlockStatement& statement);
  void turns(const BlockStatement& statement);
  void one(const BlockStatement& statement, bool receives);
  void collective(const BlockStatement& statement, const Members& members, std::size_t root);
  void all_to_all(const BlockStatement& statement, const Members& members);
  void list(const std::vector<int>& messages);

  Machine& machine_;
  BlockDomain domain_;
  FreeRun free_;
  std::map<std::string, FreeActs> later_;
  /// Messages that are sent and not yet received, by source, destination and tag; or the reverse.
  std::map<std::string, std::deque<int>> sent_, asked_;
};

}  // namespace gridcast::naive
