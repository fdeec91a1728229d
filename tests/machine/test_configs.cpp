#include <array>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "machine_text.h"

using namespace gridcast::machine;
using gridcast::machine::test::equal;
using gridcast::machine::test::mvs_text;
using gridcast::machine::test::parse;
using gridcast::machine::test::text_2000;

namespace {

const std::filesystem::path configs = std::filesystem::path(GRIDCAST_SOURCE_DIR) / "configs";

double transfer_time(const ProcessorSystem& system, std::size_t from, std::size_t to,
                     double bytes) {
  const Network& network = system.networks[system.common_network(from, to)];
  return network.start_time + bytes * network.byte_time;
}

}  // namespace

TEST_CASE("The machines of the seeds are the seeds'") {
  CHECK(equal(Cluster::read(configs / "mvs.par"), parse(mvs_text)));
  CHECK(equal(Cluster::read(configs / "example2000.par"), parse(text_2000)));
}

TEST_CASE("mvs15k gives the predictions of tables 1 and 2 of the forecasting paper") {
  const ProcessorSystem system = Cluster::read(configs / "mvs15k.par").expand(4);
  constexpr std::array<double, 6> kilobytes = {0.5, 1.5, 5, 30, 40, 100};
  constexpr std::array<double, 6> inside = {1.5, 2.5, 6, 31, 41, 101};   // µs
  constexpr std::array<double, 6> between = {9, 13, 27, 127, 167, 407};  // µs
  for (std::size_t i = 0; i < kilobytes.size(); ++i) {
    const double bytes = kilobytes[i] * 1000;
    CHECK(transfer_time(system, 0, 1, bytes) * 1e6 == Approx(inside[i]).epsilon(1e-12));
    CHECK(transfer_time(system, 1, 2, bytes) * 1e6 == Approx(between[i]).epsilon(1e-12));
  }
}

TEST_CASE("Every shipped machine is read and has the processors its comment says") {
  const std::map<std::string, std::pair<std::int64_t, int>> expected = {
      {"mvs.par", {1024, 2}},
      {"example2000.par", {4, 1}},
      {"mvs15k.par", {1024, 2}},
      {"workstations.par", {16, 1}},
      {"cluster128x64.par", {8192, 2}},
      {"cluster3level.par", {16384, 3}},
      {"heterogeneous.par", {256, 2}},
      {"hdr128x2x32.par", {8192, 3}},
      {"omnipath256x48.par", {12288, 3}},
  };
  for (const auto& [file, numbers] : expected) {
    CAPTURE(file);
    const Cluster cluster = Cluster::read(configs / file);
    CHECK(cluster.processors() == numbers.first);
    CHECK(cluster.expand(cluster.processors()).levels == numbers.second);
    std::ifstream stream(configs / file);
    CHECK(stream.get() == '/');  // begins with the comment on where its numbers come from
  }
  CHECK_FALSE(Cluster::read(configs / "heterogeneous.par").expand(256).homogeneous);
  CHECK(Cluster::read(configs / "heterogeneous.par").expand(128).homogeneous);
}
