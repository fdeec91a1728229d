#include "gridcast/measure/topology.h"

#include <fmt/format.h>
#include <hwloc.h>

#include <memory>

#include "gridcast/base/error.h"

namespace gridcast::measure {
namespace {

/// What hwloc knows of this host; nothing if it cannot tell.
class Host {
public:
  Host() {
    if (hwloc_topology_init(&topology_) != 0) {
      topology_ = nullptr;
    } else if (hwloc_topology_set_flags(topology_, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) != 0 ||
               hwloc_topology_load(topology_) != 0) {
      hwloc_topology_destroy(topology_);
      topology_ = nullptr;
    }
  }
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;
  ~Host() {
    if (topology_ != nullptr) {
      hwloc_topology_destroy(topology_);
    }
  }

  [[nodiscard]] hwloc_topology_t get() const noexcept { return topology_; }

private:
  hwloc_topology_t topology_ = nullptr;
};

/// Loaded once: that takes a while on hosts with many cores.
hwloc_topology_t topology_of_host() {
  static const Host host;
  return host.get();
}

/// A set of processors.
class Processors {
public:
  [[nodiscard]] hwloc_bitmap_t get() const noexcept { return bits_.get(); }

private:
  struct Free {
    void operator()(hwloc_bitmap_t bits) const { hwloc_bitmap_free(bits); }
  };
  std::unique_ptr<hwloc_bitmap_s, Free> bits_{hwloc_bitmap_alloc()};
};

/// The processor where the calling thread was seen last.
Processors location(hwloc_topology_t topology, hwloc_cpubind_flags_t whose) {
  Processors here;
  if (hwloc_get_last_cpu_location(topology, here.get(), whose) != 0) {
    hwloc_bitmap_zero(here.get());
  }
  return here;
}

hwloc_obj_t socket_around(hwloc_topology_t topology, const Processors& processors) {
  return hwloc_bitmap_iszero(processors.get()) != 0
             ? nullptr
             : hwloc_get_next_obj_covering_cpuset_by_type(topology, processors.get(),
                                                          HWLOC_OBJ_PACKAGE, nullptr);
}

/// Of the processors that may be used, those on the socket of the thread.
hwloc_const_cpuset_t socket_of_thread(hwloc_topology_t topology, const Processors& usable) {
  Processors here = location(topology, HWLOC_CPUBIND_THREAD);
  if (hwloc_bitmap_isincluded(here.get(), usable.get()) == 0 ||
      hwloc_bitmap_iszero(here.get()) != 0) {
    hwloc_bitmap_only(here.get(), static_cast<unsigned>(hwloc_bitmap_first(usable.get())));
  }
  const hwloc_obj_t socket = socket_around(topology, here);
  return socket == nullptr ? hwloc_topology_get_topology_cpuset(topology) : socket->cpuset;
}

}  // namespace

void require_topology() {}

int socket_of_this_process() {
  const hwloc_topology_t topology = topology_of_host();
  if (topology == nullptr) {
    return 0;
  }
  const hwloc_obj_t socket = socket_around(topology, location(topology, HWLOC_CPUBIND_PROCESS));
  return socket == nullptr ? 0 : static_cast<int>(socket->logical_index);
}

std::vector<int> allowed_processors() {
  std::vector<int> numbers;
  const hwloc_topology_t topology = topology_of_host();
  const Processors bound;
  if (topology == nullptr || hwloc_get_cpubind(topology, bound.get(), HWLOC_CPUBIND_THREAD) != 0) {
    return numbers;
  }
  hwloc_bitmap_and(bound.get(), bound.get(), hwloc_topology_get_allowed_cpuset(topology));
  for (int i = hwloc_bitmap_first(bound.get()); i >= 0; i = hwloc_bitmap_next(bound.get(), i)) {
    numbers.push_back(i);
  }
  return numbers;
}

SocketCores cores_of_socket(std::span<const int> allowed) {
  const hwloc_topology_t topology = topology_of_host();
  const Processors usable;
  for (const int processor : allowed) {
    hwloc_bitmap_set(usable.get(), static_cast<unsigned>(processor));
  }
  if (topology == nullptr || allowed.empty()) {
    throw RunError("this host", "does not tell which of its cores may be used",
                   "hwloc-info shows what it tells");
  }
  const hwloc_const_cpuset_t socket = socket_of_thread(topology, usable);
  // A host may not tell its cores: each of its processors is one then.
  const hwloc_obj_type_t type =
      hwloc_get_nbobjs_inside_cpuset_by_type(topology, socket, HWLOC_OBJ_CORE) > 0 ? HWLOC_OBJ_CORE
                                                                                   : HWLOC_OBJ_PU;
  SocketCores cores;
  hwloc_obj_t core = nullptr;
  while ((core = hwloc_get_next_obj_inside_cpuset_by_type(topology, socket, type, core)) !=
         nullptr) {
    ++cores.of_socket;
    const Processors usable_here;
    hwloc_bitmap_and(usable_here.get(), core->cpuset, usable.get());
    if (hwloc_bitmap_iszero(usable_here.get()) == 0) {
      cores.processors.push_back(hwloc_bitmap_first(usable_here.get()));
    }
  }
  if (cores.processors.empty()) {
    throw RunError("this host", "has no core with the processors that may be used",
                   "hwloc-info shows what it has");
  }
  return cores;
}

void bind_thread(int processor) {
  const hwloc_topology_t topology = topology_of_host();
  const Processors one;
  hwloc_bitmap_only(one.get(), static_cast<unsigned>(processor));
  if (topology == nullptr || hwloc_set_cpubind(topology, one.get(), HWLOC_CPUBIND_THREAD) != 0) {
    throw RunError(fmt::format("processor {}", processor), "no thread can be bound to it",
                   "taskset -p shows what a process may use");
  }
}

}  // namespace gridcast::measure
