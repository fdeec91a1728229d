#include "gridcast/farm/shared_bytes.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <boost/mpi/request.hpp>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

#include "exchange.h"
#include "gridcast/base/error.h"
#include "gridcast/farm/idle.h"
#include "nodes.h"

namespace gridcast::sweep {
namespace {

/// Bytes that go from node to node in one message: so that all nodes pass them on at the same time.
constexpr std::size_t piece_bytes = std::size_t{1} << 24U;

[[noreturn]] void refuse_memory(const std::string& what, int error) {
  throw RunError("the memory of the inputs",
                 what + ": " + std::error_code(error, std::generic_category()).message(),
                 "expected room for one copy per node, and /proc");
}

/// Who gets the bytes from where. The first ranks of the nodes form a tree, rank 0 its root.
struct Role {
  int source = 0;               ///< the rank that has the bytes before this one
  bool leads = false;           ///< whether this is the first rank of its node
  std::vector<int> next;        ///< first ranks of other nodes that get them from here
  std::vector<int> neighbours;  ///< other ranks of this node
};

std::vector<Role> roles_of(const std::vector<int>& node_of) {
  std::vector<Role> roles(node_of.size());
  std::vector<int> leaders;
  for (int rank = 0; rank < static_cast<int>(node_of.size()); ++rank) {
    const int first = node_of[static_cast<std::size_t>(rank)];
    Role& role = roles[static_cast<std::size_t>(rank)];
    role.leads = first == rank;
    role.source = first;
    if (!role.leads) {
      roles[static_cast<std::size_t>(first)].neighbours.push_back(rank);
      continue;
    }
    if (rank > 0) {
      role.source = leaders[(leaders.size() - 1) / 2];
      roles[static_cast<std::size_t>(role.source)].next.push_back(rank);
    }
    leaders.push_back(rank);
  }
  return roles;
}

void put_ranks(Message& message, const std::vector<int>& ranks) {
  const auto* const bytes = reinterpret_cast<const char*>(ranks.data());
  message.insert(message.end(), bytes, bytes + ranks.size() * sizeof(int));
}

/// A role as a message: three numbers and two lists.
Message packed(const Role& role) {
  Message message;
  put_ranks(message, {role.source, role.leads ? 1 : 0, static_cast<int>(role.next.size())});
  put_ranks(message, role.next);
  put_ranks(message, role.neighbours);
  return message;
}

Role unpacked(const Message& message) {
  std::vector<int> numbers(message.size() / sizeof(int));
  std::memcpy(numbers.data(), message.data(), numbers.size() * sizeof(int));
  const auto lists = numbers.begin() + 3;
  return {numbers[0],
          numbers[1] != 0,
          {lists, lists + numbers[2]},
          {lists + numbers[2], numbers.end()}};
}

/// The role of this rank, given out by rank 0.
Role own_role(const boost::mpi::communicator& world) {
  const std::vector<int> node_of = find_nodes(world);
  if (world.rank() != 0) {
    return unpacked(take_handed(world, 0));
  }
  const std::vector<Role> roles = roles_of(node_of);
  for (int rank = 1; rank < world.size(); ++rank) {
    hand(world, {rank}, packed(roles[static_cast<std::size_t>(rank)]));
  }
  return roles.front();
}

/// Memory that other processes of this node can open.
int make_file(std::size_t size) {
  const int file = ::memfd_create("gridcast-inputs", MFD_CLOEXEC);
  if (file < 0) {
    refuse_memory("memfd_create failed", errno);
  }
  // Taken now: what is missing later would be a SIGBUS.
  if (const int error = ::posix_fallocate(file, 0, static_cast<off_t>(size)); error != 0) {
    ::close(file);
    refuse_memory("there are no " + std::to_string(size) + " bytes", error);
  }
  return file;
}

std::span<std::byte> map_file(int file, std::size_t size, int protection) {
  void* const begin = ::mmap(nullptr, size, protection, MAP_SHARED, file, 0);
  if (begin == MAP_FAILED) {
    refuse_memory("mmap failed", errno);
  }
  return {static_cast<std::byte*>(begin), size};
}

/// Passes pieces on as they come; rank 0 has them all.
void pass_on(const boost::mpi::communicator& world, const Role& role, std::span<std::byte> bytes) {
  std::vector<boost::mpi::request> requests;
  const auto wait = [&](std::vector<boost::mpi::request>& waiting) {
    Idle idle;
    while (!std::ranges::all_of(waiting, [](boost::mpi::request& request) {
      return !request.active() || request.test().has_value();
    })) {
      idle.wait();
    }
    get_on_with_start();
  };
  for (std::size_t begin = 0; begin < bytes.size(); begin += piece_bytes) {
    auto* const piece = reinterpret_cast<char*>(bytes.data()) + begin;
    const auto size = static_cast<int>(std::min(piece_bytes, bytes.size() - begin));
    if (world.rank() != 0) {
      std::vector<boost::mpi::request> come{world.irecv(role.source, tag_exchange, piece, size)};
      wait(come);
    }
    wait(requests);
    requests.clear();
    for (const int rank : role.next) {
      requests.push_back(world.isend(rank, tag_exchange, piece, size));
    }
  }
  wait(requests);
}

/// What a neighbour needs to open the memory.
struct Place {
  pid_t pid = 0;
  int file = -1;
};

void tell_neighbours(const boost::mpi::communicator& world, const Role& role, int file) {
  const Place place{::getpid(), file};
  const auto* const bytes = reinterpret_cast<const char*>(&place);
  hand(world, role.neighbours, Message(bytes, bytes + sizeof(place)));
}

std::span<std::byte> map_of_neighbour(const boost::mpi::communicator& world, int rank,
                                      std::size_t size) {
  const Message message = take_handed(world, rank);
  Place place;
  std::memcpy(&place, message.data(), std::min(message.size(), sizeof(place)));
  const std::string path =
      "/proc/" + std::to_string(place.pid) + "/fd/" + std::to_string(place.file);
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    refuse_memory(path + " of rank " + std::to_string(rank), errno);
  }
  const std::span<std::byte> memory = map_file(file, size, PROT_READ);
  ::close(file);
  return memory;
}

std::size_t padded(std::size_t size) { return (size + 7) / 8 * 8; }

}  // namespace

SharedBytes::SharedBytes(const boost::mpi::communicator& world,
                         const std::vector<std::span<const std::byte>>& blocks) {
  const Role role = own_role(world);
  std::vector<std::uint64_t> sizes(blocks.size());
  std::ranges::transform(blocks, sizes.begin(), [](const auto& block) { return block.size(); });
  const auto* const bytes = reinterpret_cast<const char*>(sizes.data());
  const Message table =
      hand_out(world, Message(bytes, bytes + sizes.size() * sizeof(std::uint64_t)));
  sizes.resize(table.size() / sizeof(std::uint64_t));
  std::memcpy(sizes.data(), table.data(), table.size());
  std::size_t all = 8;  // nothing cannot be mapped
  for (const std::uint64_t size : sizes) {
    all += padded(size);
  }
  if (role.leads) {
    file_ = make_file(all);
    memory_ = map_file(file_, all, PROT_READ | PROT_WRITE);
  }
  std::size_t at = 0;
  for (std::size_t i = 0; world.rank() == 0 && i < blocks.size(); at += padded(sizes[i++])) {
    std::ranges::copy(blocks[i], memory_.begin() + static_cast<std::ptrdiff_t>(at));
  }
  if (role.leads) {
    pass_on(world, role, memory_);
    tell_neighbours(world, role, file_);
    ::mprotect(memory_.data(), memory_.size(), PROT_READ);
  } else {
    memory_ = map_of_neighbour(world, role.source, all);
  }
  at = 0;
  for (const std::uint64_t size : sizes) {
    blocks_.emplace_back(memory_.subspan(at, size));
    at += padded(size);
  }
}

SharedBytes::~SharedBytes() {
  ::munmap(memory_.data(), memory_.size());
  if (file_ >= 0) {
    ::close(file_);
  }
}

}  // namespace gridcast::sweep
