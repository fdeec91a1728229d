#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "gridcast/base/error.h"
#include "gridcast/machine/cluster.h"
#include "gridcast/measure/measured_machine.h"
#include "process.h"

namespace gridcast::measure::test {
namespace {

std::vector<Place> places(int hosts, int sockets, int cores) {
  std::vector<Place> result;
  for (int host = 0; host < hosts; ++host) {
    for (int socket = 0; socket < sockets; ++socket) {
      for (int core = 0; core < cores; ++core) {
        result.push_back({"host" + std::to_string(host), socket});
      }
    }
  }
  return result;
}

LinkFit fit_of(double scale) {
  LinkFit fit;
  fit.latency = {5e-6 * scale, 4e-6 * scale, 6e-6 * scale};
  fit.send = {1e-6, 1e-6, 1e-6};
  fit.receive = {2e-6, 2e-6, 2e-6};
  fit.gap = {0.0, 0.0, 0.0};
  fit.per_byte = {1e-9 * scale, 1e-9 * scale, 1e-9 * scale};
  fit.start = {8e-6 * scale, 8e-6, 8e-6};
  fit.channels = 3;
  return fit;
}

MeasuredMachine machine_of(const std::vector<Place>& ranks) {
  MeasuredMachine machine;
  machine.description = "test";
  double scale = 1.0;
  for (const Level& level : levels_of(ranks).levels) {
    machine.levels.push_back({level, {}, fit_of(scale)});
    scale *= 0.1;
  }
  machine.kernels = {{"triad in memory", 2e-9, 1e-9, 3e-9}};
  return machine;
}

}  // namespace

TEST_CASE("hosts, sockets and cores are levels where there are several") {
  const Levels all = levels_of(places(3, 2, 4));
  REQUIRE(all.levels.size() == 3);
  CHECK_FALSE(all.uneven);
  CHECK(all.levels[0].name == "system");
  CHECK(all.levels[0].part == "node");
  CHECK(all.levels[0].parts == 3);
  CHECK(all.levels[0].pairs.size() == 8);
  CHECK(all.levels[0].pairs.front() == std::pair(0, 8));
  CHECK(all.levels[1].name == "node");
  CHECK(all.levels[1].part == "socket");
  CHECK(all.levels[1].parts == 2);
  CHECK(all.levels[1].pairs.front() == std::pair(0, 4));
  CHECK(all.levels[2].name == "socket");
  CHECK(all.levels[2].part == "core");
  CHECK(all.levels[2].parts == 4);
  CHECK(all.levels[2].pairs == std::vector<std::pair<int, int>>{{0, 1}, {2, 3}});
  const Levels one_host = levels_of(places(1, 1, 2));
  REQUIRE(one_host.levels.size() == 1);
  CHECK(one_host.levels[0].name == "node");
  CHECK(one_host.levels[0].part == "core");
  const Levels single_cores = levels_of(places(4, 1, 1));
  REQUIRE(single_cores.levels.size() == 1);
  CHECK(single_cores.levels[0].name == "system");
  CHECK(single_cores.levels[0].part == "core");
  CHECK(levels_of(places(1, 1, 1)).levels.empty());
}

TEST_CASE("uneven nodes are said to be so") {
  std::vector<Place> ranks = places(2, 1, 4);
  ranks.pop_back();
  const Levels levels = levels_of(ranks);
  CHECK(levels.uneven);
  REQUIRE(levels.levels.size() == 2);
  CHECK(levels.levels[1].parts == 3);
}

TEST_CASE("a measured machine is one that predictions take") {
  const MeasuredMachine measured = machine_of(places(3, 2, 4));
  const machine::Cluster ports =
      machine::Cluster::parse(machine_file(measured, NetworkModel::ports), "new.par");
  CHECK(ports.processors() == 24);
  const machine::ClusterNode& top = ports.nodes()[ports.root()];
  CHECK(top.network.type == machine::NetworkType::ports);
  CHECK(top.network.start_time == Approx(5e-6));
  CHECK(top.network.byte_time == Approx(1e-9));
  const machine::Cluster channels =
      machine::Cluster::parse(machine_file(measured, NetworkModel::myrinet), "new.par");
  const machine::ClusterNode& root = channels.nodes()[channels.root()];
  CHECK(root.network.type == machine::NetworkType::myrinet);
  CHECK(root.network.channels == 3);
  CHECK(root.network.start_time == Approx(8e-6));
  CHECK_THROWS_AS(machine_file({}, NetworkModel::ports), InputError);
  std::ostringstream page;
  write_machine_html(page, measured);
  CHECK(page.str().find("triad in memory") != std::string::npos);
  CHECK(machine_text(measured).find("network of socket: 4 x core") != std::string::npos);
}

TEST_CASE("where one line is not enough the machine has a line per range of lengths") {
  MeasuredMachine measured = machine_of(places(2, 1, 1));
  LinkFit& fit = measured.levels.front().fit;
  fit.segments = {{1, 4096, 4e-6, 2e-9}, {8192, 1 << 20, 2.5e-6, 1e-9}};
  const machine::Cluster ports =
      machine::Cluster::parse(machine_file(measured, NetworkModel::ports), "new.par");
  const machine::Network& network = ports.nodes()[ports.root()].network;
  // Sender and receiver take 3 of the 4 microseconds; what is below 0 is 0.
  CHECK(network.start_of(1.0) == Approx(1e-6));
  CHECK(network.time_of(8191.0) == Approx(8191 * 2e-9));
  CHECK(network.start_of(8192.0) == 0.0);
  CHECK(network.time_of(8192.0) == Approx(8192 * 1e-9));
  const machine::Cluster channels =
      machine::Cluster::parse(machine_file(measured, NetworkModel::myrinet), "new.par");
  CHECK(channels.nodes()[channels.root()].network.start_of(8192.0) == Approx(2.5e-6));
}

TEST_CASE("tables of kernels are compared loop by loop") {
  const std::vector<KernelTime> slow{{"a", 4.0, 4.0, 4.0}, {"b", 9.0, 9.0, 9.0}, {"c", 1, 1, 1}};
  const std::vector<KernelTime> fast{{"b", 1.0, 1.0, 1.0}, {"a", 1.0, 1.0, 1.0}};
  const std::vector<Speed> speeds = speeds_of(slow, fast);
  REQUIRE(speeds.size() == 2);
  CHECK(speeds[0].ratio == 4.0);
  CHECK(speeds[1].ratio == 9.0);
  CHECK(mean_speed(speeds) == Approx(6.0));
  CHECK_THROWS_AS(speeds_of(slow, {}), InputError);
}

TEST_CASE("core of a machine file is the mean of the loops through memory on a full socket") {
  MeasuredMachine measured = machine_of(places(1, 1, 2));
  SocketTimes socket{4, 4, {}, {}};
  socket.alone = {{"arithmetic 1", 1e-9, 1e-9, 1e-9},
                  {"stencil in cache", 1e-9, 1e-9, 1e-9},
                  {"copy in memory", 2e-9, 2e-9, 2e-9},
                  {"triad in memory", 3e-9, 3e-9, 3e-9}};
  socket.busy = socket.alone;
  socket.busy[2].seconds = 4e-9;   // 1/2
  socket.busy[3].seconds = 24e-9;  // 1/8
  measured.socket = socket;
  const std::string file = machine_file(measured, NetworkModel::ports);
  const machine::Cluster cluster = machine::Cluster::parse(file, "new.par");
  CHECK(cluster.expand(2).performance == std::vector<double>{0.25, 0.25});
  CHECK(file.find("all 4 cores of the socket") != std::string::npos);
  CHECK(file.find("all loops 0.5.") != std::string::npos);
  CHECK(file.find("triad in memory              0.125\n") != std::string::npos);
  CHECK(file.find("with all cores busy it is core = 1.0.") != std::string::npos);
  CHECK_FALSE(is_partial(socket));
  std::ostringstream page;
  write_machine_html(page, measured);
  CHECK(page.str().find("through memory: 0.250, of all loops: 0.500") != std::string::npos);
  measured.socket->of_socket = 64;
  CHECK(is_partial(*measured.socket));
  CHECK(machine_file(measured, NetworkModel::ports).find("only 4 of the 64 cores") !=
        std::string::npos);
  CHECK(machine_text(measured).find("4 of the 64 cores of the socket") != std::string::npos);
}

TEST_CASE("a table with the times of a full socket is read like one without") {
  const support::ScratchDirectory scratch;
  const std::filesystem::path file = scratch / "kernels.csv";
  const std::vector<KernelTime> alone{{"a", 1e-9, 1e-9, 2e-9}, {"b", 3e-9, 2e-9, 4e-9}};
  const std::vector<KernelTime> busy{{"a", 2e-9, 2e-9, 2e-9}, {"b", 12e-9, 12e-9, 12e-9}};
  {
    std::ofstream stream(file);
    write_kernels(stream, alone, busy);
  }
  CHECK(support::read_text(file) ==
        "kernel,seconds,low,high,busy,ratio\na,1e-09,1e-09,2e-09,2e-09,0.5\n"
        "b,3e-09,2e-09,4e-09,1.2e-08,0.25\n");
  const std::vector<KernelTime> kernels = read_kernels(file);
  REQUIRE(kernels.size() == 2);
  CHECK(kernels[1].name == "b");
  CHECK(kernels[1].seconds == 3e-9);
  CHECK(kernels[1].high == 4e-9);
  std::ofstream(file) << "kernel,seconds,low,high,busy,ratio\na,1e-9,1e-9,1e-9\n";
  CHECK_THROWS_WITH(read_kernels(file), Catch::Contains(":2"));
}

TEST_CASE("a table of kernels is read as it was written") {
  const support::ScratchDirectory scratch;
  const std::filesystem::path file = scratch / "kernels.csv";
  {
    std::ofstream stream(file);
    write_kernels(stream, {{"a", 1.25e-9, 1e-9, 2e-9}, {"b", 3e-9, 3e-9, 3e-9}});
  }
  const std::vector<KernelTime> kernels = read_kernels(file);
  REQUIRE(kernels.size() == 2);
  CHECK(kernels[0].name == "a");
  CHECK(kernels[0].seconds == 1.25e-9);
  std::ofstream(file) << "kernel,seconds,low,high\na,x,1,1\n";
  CHECK_THROWS_AS(read_kernels(file), InputError);
  std::ofstream(file) << "kernel,seconds,low,high\na,1e-9 and more,1,1\n";
  CHECK_THROWS_AS(read_kernels(file), InputError);
  // Twice the same kernel: which of its times would be compared with another table's?
  std::ofstream(file) << "kernel,seconds,low,high\na,1e-9,1e-9,1e-9\na,1e300,1e300,1e300\n";
  CHECK_THROWS_WITH(read_kernels(file), Catch::Contains(":3") && Catch::Contains("second time"));
  std::ofstream(file) << "other\n";
  CHECK_THROWS_AS(read_kernels(file), InputError);
  CHECK_THROWS_AS(read_kernels(scratch / "none.csv"), InputError);
}

TEST_CASE("every kernel takes time") {
  const std::vector<KernelTime> kernels = time_kernels(true);
  CHECK(kernels.size() == 11);
  for (const KernelTime& kernel : kernels) {
    INFO(kernel.name);
    CHECK(kernel.seconds > 0.0);
    CHECK(kernel.low <= kernel.seconds);
    CHECK(kernel.seconds <= kernel.high);
  }
}

}  // namespace gridcast::measure::test
