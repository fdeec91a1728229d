#pragma once
/// What operations of MPI are in the terms of descriptions.

#include <cstdint>
#include <string>
#include <vector>

#include "gridcast/record/recording.h"

namespace gridcast::infer {

/// A collective operation as descriptions call it, also of its nonblocking form: "Iallreduce" is
/// "allreduce". Empty: they have none.
[[nodiscard]] std::string collective_word(const std::string& name);

/// The partners of a neighbour collective in the order of its buffers, ranks in the communicator.
[[nodiscard]] std::vector<std::int32_t> neighbour_partners(const record::Communicator& on);

}  // namespace gridcast::infer
