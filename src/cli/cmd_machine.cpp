#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "commands.h"
#include "gridcast/base/error.h"
#include "gridcast/base/json_writer.h"
#include "gridcast/base/readable.h"
#include "gridcast/network/networks.h"
#include "inputs.h"
#include "output.h"
#include "places.h"
#include "run.h"

namespace gridcast::cli {
namespace {

struct ShowOptions {
  MachineOptions machine;
};

struct TimeOptions {
  MachineOptions machine;
  std::int64_t from = 0;
  std::int64_t to = 0;
  double bytes = 0.0;
  std::optional<machine::Grid> grid;
  std::string json;
};

int run_show(const ShowOptions& options) {
  print(wrapped(load_machine(options.machine).tree_text()));
  return done;
}

/// The given grid, else the machine's topology, else a line that just holds both processors.
machine::Grid grid_of_message(const TimeOptions& options, const machine::Cluster& cluster) {
  if (options.grid) {
    return *options.grid;
  }
  if (cluster.topology()) {
    return *cluster.topology();
  }
  const std::array<std::int64_t, 1> line{std::max(options.from, options.to) + 1};
  return machine::Grid(line);
}

void require_processor(const char* option, std::int64_t number, std::int64_t processors,
                       const std::string& of) {
  if (number < 0 || number >= processors) {
    throw InputError(fmt::format("{} {}: there is no such processor", option, number),
                     fmt::format("expected 0 to {}, the processors of {}", processors - 1, of));
  }
}

/// The lowest network above two different processors, found without expanding the cluster.
const machine::Network& network_between(const machine::Cluster& cluster, std::int64_t a,
                                        std::int64_t b) {
  const std::vector<machine::ClusterNode>& nodes = cluster.nodes();
  std::size_t at = cluster.root();
  // What lies in an item, counted from the item's first processor.
  for (bool apart = false; !apart;) {
    apart = true;
    for (const machine::ClusterNode::Item& item : nodes[at].items) {
      const std::int64_t each = nodes[item.node].processors;
      const std::int64_t all = item.count * each;
      if (a < all || b < all) {
        if (a < all && b < all && a / each == b / each) {
          a %= each;
          b %= each;
          at = item.node;
          apart = false;
        }
        break;
      }
      a -= all;
      b -= all;
    }
  }
  return nodes[at].network;
}

/// Seconds of one message on idle networks.
double message_time(const TimeOptions& options, const machine::Cluster& cluster) {
  require_processor("--from", options.from, cluster.processors(), cluster.name());
  require_processor("--to", options.to, cluster.processors(), cluster.name());
  const machine::Grid grid = grid_of_message(options, cluster);
  if (grid.processors() > cluster.processors()) {
    throw InputError(
        fmt::format("grid {} needs {}, cluster {} has {}", grid.text(),
                    counted(grid.processors(), "processor"), cluster.name(), cluster.processors()),
        "expected a smaller grid");
  }
  require_processor("--from", options.from, grid.processors(), "grid " + grid.text());
  require_processor("--to", options.to, grid.processors(), "grid " + grid.text());
  if (options.from == options.to) {
    return 0.0;  // stays in the processor's memory (docs/model.md §4)
  }
  const machine::Network& network = network_between(cluster, options.from, options.to);
  if (network.type == machine::NetworkType::transputer) {
    return network::pipelined_message_time(grid.distance(static_cast<std::uint32_t>(options.from),
                                                         static_cast<std::uint32_t>(options.to)),
                                           options.bytes, network);
  }
  // Two processors on this network alone.
  machine::ProcessorSystem pair{{1.0, 1.0}, {network}, {cluster.root()}, 1, {0, 0}, true, {}, {}};
  pair.networks.front().channels = 1;  // one message takes one
  network::Communication message;
  message.transfers.push_back({0, 1, options.bytes});
  std::array<double, 2> ends{};
  network::Networks(pair).run(message, 0.0, ends);
  return ends.back();
}

int run_time(const TimeOptions& options) {
  Outputs outputs = Places().reads(options.machine.file).writes("--json", options.json).open();
  const double seconds = message_time(options, load_machine(options.machine));
  outputs.write("--json", [&](std::ostream& out) {
    JsonWriter json(out);
    json.begin_object(Layout::compact);
    json.member("seconds", seconds);
    json.end_object();
    out << '\n';
  });
  if (!outputs.any()) {
    print(seconds_text(seconds) + "\n");
  }
  return done;
}

void add_machine_file(CLI::App& command, MachineOptions& options) {
  command.add_option("MACHINE", options.file, "Machine description (.par)")
      ->type_name("")
      ->required();
  add_assignments(command, options.assignments);
}

void add_show(CLI::App& parent, Session& session) {
  auto options = std::make_shared<ShowOptions>();
  CLI::App& command =
      add_command(parent, session, "show", "Print the tree of a machine with its networks",
                  "gridcast machine show cluster.par --set cluster.TStart=2");
  add_machine_file(command, options->machine);
  on_chosen(command, session, options, run_show);
}

void add_time(CLI::App& parent, Session& session) {
  auto options = std::make_shared<TimeOptions>();
  CLI::App& command =
      add_command(parent, session, "time", "Seconds of one message between two processors",
                  "gridcast machine time cluster.par --from 0 --to 64 --bytes 1.5K");
  add_machine_file(command, options->machine);
  command.add_option("--from", options->from, "Sender, counted from 0")->type_name("P")->required();
  command.add_option("--to", options->to, "Receiver, counted from 0")->type_name("Q")->required();
  command
      .add_option_function<std::string>(
          "--bytes", [options](const std::string& text) { options->bytes = parse_bytes(text); },
          "Length of the message; K and KB are 1000 bytes")
      ->type_name("B")
      ->required();
  add_grid(command, options->grid,
           "Grid of links of a transputer network (default: the machine's topology, else a line)");
  add_json(command, options->json);
  on_chosen(command, session, options, run_time);
}

}  // namespace

void add_machine(CLI::App& app, Session& session) {
  CLI::App& group = *app.add_subcommand("machine", "Show a machine, time a message");
  group.footer("Example:\n  gridcast machine show cluster.par");
  group.require_subcommand(1);
  add_show(group, session);
  add_time(group, session);
}

}  // namespace gridcast::cli
