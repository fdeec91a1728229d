/// Ranks that start, with accidents, for tests under mpirun: start_program [key=value...]. `stage`
/// says where rank `victim` has its accident: init, reading, sharing, work or end; `how` is kill,
/// stop or hang. `start` and `peer` are the limits of the watch, rank 0 reads for `read` seconds
/// (`nap`: without using the processor). Each rank that comes through prints what it got.

#include <signal.h>
#include <unistd.h>

#include <boost/mpi/communicator.hpp>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "gridcast/farm/idle.h"
#include "gridcast/farm/ranks.h"
#include "gridcast/farm/shared_bytes.h"

namespace {

using namespace gridcast::sweep;

struct Outcome {
  int exit_code = 0;
  std::string message;
  bool lost_ranks = false;
  bool unreachable_ranks = false;
};

class Values {
public:
  Values(int count, char** words) {
    for (int i = 1; i < count; ++i) {
      const std::string word = words[i];
      values_[word.substr(0, word.find('='))] = word.substr(word.find('=') + 1);
    }
  }
  [[nodiscard]] std::string text(const std::string& key) const {
    const auto found = values_.find(key);
    return found == values_.end() ? "" : found->second;
  }
  [[nodiscard]] double number(const std::string& key, double otherwise) const {
    return text(key).empty() ? otherwise : std::stod(text(key));
  }
  void reach(const std::string& stage) const {
    if (text("stage") != stage || launched_rank() != static_cast<int>(number("victim", 0))) {
      return;
    }
    if (text("how") == "hang") {
      ::pause();
    }
    ::raise(text("how") == "stop" ? SIGSTOP : SIGKILL);
  }

private:
  std::map<std::string, std::string> values_;
};

/// Device and inode of the mapping at this address: equal in processes that share it.
std::string mapping_of(const void* address) {
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    char dash = ' ';
    std::string rights;
    std::string offset;
    std::string device;
    std::string inode;
    std::istringstream(line) >> std::hex >> begin >> dash >> end >> rights >> offset >> device >>
        inode;
    if (begin <= wanted && wanted < end) {
      return device + "/" + inode;
    }
  }
  return "none";
}

void read_inputs(const Values& values) {
  const double end = seconds_now() + values.number("read", 0);
  while (seconds_now() < end) {
    if (values.number("nap", 0) > 0) {
      ::sleep(static_cast<unsigned>(values.number("nap", 0)));
    }
  }
}

Outcome together(const Values& values, const boost::mpi::communicator& world) {
  Watch& watch = *Watch::current();
  watch.begin_reading("reading the inputs");
  values.reach("reading");
  if (world.rank() == 0) {
    read_inputs(values);
  }
  static_cast<void>(code_of_rank_0(world, 0));
  watch.begin("sharing the inputs");
  values.reach("sharing");
  // More than one message from node to node, and a size that is no multiple of 8.
  constexpr std::size_t size = (std::size_t{1} << 25U) + 3;
  std::vector<char> bytes(world.rank() == 0 ? size : 0);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<char>(i % 251);
  }
  const std::string word = "last";
  std::vector<std::span<const std::byte>> blocks;
  if (world.rank() == 0) {
    blocks = {std::as_bytes(std::span(bytes)), std::as_bytes(std::span(word))};
  }
  const SharedBytes shared(world, blocks);
  watch.started();
  std::size_t wrong = shared.block(0).size() == size ? 0 : 1;
  for (std::size_t i = 0; i < shared.block(0).size(); ++i) {
    wrong += shared.block(0)[i] == static_cast<std::byte>(i % 251) ? 0 : 1;
  }
  std::string host(64, '\0');
  ::gethostname(host.data(), host.size() - 1);
  std::printf("rank=%d wrong=%zu last=%s memory=%s host=%s\n", world.rank(), wrong,
              std::string(shared.text(1)).c_str(), mapping_of(shared.block(0).data()).c_str(),
              host.c_str());
  std::fflush(stdout);
  values.reach("work");
  static_cast<void>(code_of_rank_0(world, 0));
  if (values.text("stage") == "work" && world.rank() == 0) {
    ::pause();  // until the watch ends it
  }
  static_cast<void>(code_of_rank_0(world, 0));
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  const Values values(argc, argv);
  values.reach("init");
  const int code = run_program<Outcome>(
      {values.number("start", 60), values.number("peer", 60)}, [] { return Outcome{}; },
      [&](const boost::mpi::communicator& world) { return together(values, world); },
      [](const Outcome& outcome) { return outcome.exit_code; });
  values.reach("end");
  return code;
}
