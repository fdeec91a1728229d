#pragma once
/// Random machines.

#include <cstdint>
#include <string>

#include "random.h"

namespace gridcast::checker {

/// A .par description with at least `processors` processors: one channel, n channels, links, trees;
/// processors of one or several performances; networks that cost nothing.
[[nodiscard]] std::string random_machine(Random& random, long processors);

/// The same with equal processors in a tree of networks of ports, of one to four levels.
[[nodiscard]] std::string random_port_tree(Random& random, long processors);

/// The same with one network of ports.
[[nodiscard]] std::string random_ports(Random& random, long processors);

/// Which algorithm its allreduces take: of a library, or by number of processes and bytes.
[[nodiscard]] std::string random_allreduce(std::uint64_t seed);

}  // namespace gridcast::checker
