#pragma once
/// Which ranks share a node, and with it memory.

#include <boost/mpi/communicator.hpp>
#include <vector>

namespace gridcast::sweep {

/// On rank 0 the lowest rank of the node of each rank, elsewhere nothing. All ranks call it. A node
/// is one kernel, one host name and one space of process numbers: what ranks need to open each
/// other's memory.
[[nodiscard]] std::vector<int> find_nodes(const boost::mpi::communicator& world);

}  // namespace gridcast::sweep
