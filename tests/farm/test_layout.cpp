#include <array>
#include <catch2/catch.hpp>
#include <vector>

#include "gridcast/farm/layout.h"

namespace {

using gridcast::sweep::Layout;
using Ranks = std::vector<int>;

}  // namespace

TEST_CASE("one master serves all other ranks") {
  const Layout layout = Layout::one_master(4);
  CHECK(layout.workers_of(0) == Ranks{1, 2, 3});
  CHECK_FALSE(layout.is_group_master(1));
  CHECK(layout.workers_of(1).empty());
}

TEST_CASE("groups are neighbouring ranks, as equal as possible, the first is the master") {
  const Layout layout = Layout::groups(9, 3);
  CHECK(layout.workers_of(0) == Ranks{1, 4, 7});
  CHECK(layout.workers_of(1) == Ranks{2, 3});
  CHECK(layout.workers_of(4) == Ranks{5, 6});
  CHECK(layout.workers_of(7) == Ranks{8});
  CHECK(layout.master_of(6) == 4);
  CHECK(layout.is_group_master(7));
  CHECK_FALSE(layout.is_group_master(8));
  CHECK_FALSE(layout.is_group_master(0));
}

TEST_CASE("a group of one rank is a worker, and a single group is none") {
  const Layout layout = Layout::groups(6, 2);
  CHECK(layout.workers_of(0) == Ranks{1, 3, 5});
  CHECK(layout.is_group_master(3));
  CHECK_FALSE(layout.is_group_master(5));
  CHECK(Layout::groups(5, 4).workers_of(0) == Ranks{1, 2, 3, 4});
  CHECK(Layout::groups(5, 1).workers_of(0) == Ranks{1, 2, 3, 4});
  CHECK(Layout::groups(5, 0).workers_of(0) == Ranks{1, 2, 3, 4});
}

TEST_CASE("every rank has its place whatever the sizes") {
  for (int ranks = 2; ranks < 60; ++ranks) {
    for (int size = 2; size < 12; ++size) {
      const Layout layout = Layout::groups(ranks, size);
      int found = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        for (const int worker : layout.workers_of(rank)) {
          ++found;
          REQUIRE(layout.master_of(worker) == rank);
          // Two levels at most.
          REQUIRE((rank == 0 || layout.master_of(rank) == 0));
        }
        const bool one_master = ranks - 1 <= size;
        REQUIRE((rank == 0 || one_master ||
                 layout.workers_of(rank).size() < static_cast<std::size_t>(size)));
      }
      REQUIRE(found == ranks - 1);
    }
  }
}

TEST_CASE("groups by node do not need neighbouring ranks") {
  // Ranks dealt out to three nodes in turn; rank 0 leaves its node's group to rank 3.
  const std::array<int, 8> node_of{0, 1, 2, 0, 1, 2, 0, 1};
  const Layout layout = Layout::nodes(node_of);
  CHECK(layout.workers_of(0) == Ranks{1, 2, 3});
  CHECK(layout.workers_of(1) == Ranks{4, 7});
  CHECK(layout.workers_of(2) == Ranks{5});
  CHECK(layout.workers_of(3) == Ranks{6});
}
