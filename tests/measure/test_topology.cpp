// Cores and processors of this host, beside what the kernel of the system tells of them.
#include <sched.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <set>
#include <thread>

#include "gridcast/base/error.h"
#include "gridcast/measure/kernels.h"
#include "gridcast/measure/topology.h"

namespace gridcast::measure::test {
namespace {

/// What the calling thread may run on.
std::vector<int> affinity() {
  cpu_set_t set;
  REQUIRE(sched_getaffinity(0, sizeof set, &set) == 0);
  std::vector<int> numbers;
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(i, &set)) {
      numbers.push_back(i);
    }
  }
  return numbers;
}

/// Socket and core of a processor.
std::pair<int, int> place_of(int processor) {
  const std::string folder =
      "/sys/devices/system/cpu/cpu" + std::to_string(processor) + "/topology/";
  std::pair<int, int> place{-1, -1};
  std::ifstream(folder + "physical_package_id") >> place.first;
  std::ifstream(folder + "core_id") >> place.second;
  REQUIRE(place.second >= 0);
  return place;
}

}  // namespace

TEST_CASE("the cores of a socket are those that the system allows, one processor of each") {
  const std::vector<int> allowed = allowed_processors();
  CHECK(allowed == affinity());
  const SocketCores cores = cores_of_socket(allowed);
  REQUIRE_FALSE(cores.processors.empty());
  const int socket = place_of(cores.processors.front()).first;
  std::set<std::pair<int, int>> expected;
  for (const int processor : allowed) {
    if (place_of(processor).first == socket) {
      expected.insert(place_of(processor));
    }
  }
  std::set<std::pair<int, int>> found;
  for (const int processor : cores.processors) {
    CHECK(std::ranges::count(allowed, processor) == 1);
    found.insert(place_of(processor));
  }
  CHECK(found == expected);
  CHECK(cores.processors.size() == expected.size());
  CHECK(cores.of_socket >= static_cast<int>(expected.size()));
}

TEST_CASE("one processor that may be used is one core, on its socket") {
  for (const int processor : affinity()) {
    const SocketCores cores = cores_of_socket(std::vector{processor});
    CHECK(cores.processors == std::vector{processor});
  }
  CHECK_THROWS_AS(cores_of_socket({}), RunError);
}

TEST_CASE("a bound thread runs on its processor only, and others stay where they are") {
  const std::vector<int> before = affinity();
  std::vector<int> bound;
  std::thread([&] {
    bind_thread(before.back());
    bound = affinity();
  }).join();
  CHECK(bound == std::vector{before.back()});
  CHECK(affinity() == before);
  CHECK(allowed_processors() == before);
}

TEST_CASE("loops on a processor that cannot be had end with an error, not with a wait") {
  const std::vector<int> processors{affinity().front(), 100000};
  CHECK_THROWS_WITH(time_kernels(true, processors), Catch::Contains("processor 100000"));
}

}  // namespace gridcast::measure::test
