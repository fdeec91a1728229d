#include "machine.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

namespace gridcast::naive {
namespace {

struct Described {
  std::vector<std::pair<int, std::string>> items;
  double performance = 1.0;
  Kind kind = Kind::channels;
  int channels = 1;
  std::map<double, std::pair<double, double>> costs{{0.0, {0.0, 0.0}}};
  double send = 0.0;
  double receive = 0.0;
  double gap = 0.0;
  double eager = 65536.0, detach = -1.0;
};

struct Description {
  std::string allreduce;
  std::string top;
  std::map<std::string, double> library;  ///< seconds
  std::map<std::string, Described> parts;
};

std::string without_blanks(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c != ' ' && c != '\n') {
      result += c;
    }
  }
  return result;
}

/// "{0(0.4,0.0002),4096(4.3,0.0001)}".
std::map<double, std::pair<double, double>> segments_of(const std::string& list) {
  std::map<double, std::pair<double, double>> costs;
  std::istringstream entries(list.substr(1));
  char mark = ',';
  while (mark == ',') {
    double bytes = 0.0, start = 0.0, byte = 0.0;
    entries >> bytes >> mark >> start >> mark >> byte >> mark >> mark;
    costs[bytes] = {start * 1e-6, byte * 1e-6};
  }
  return costs;
}

void set_network(Described& part, const std::string& attribute, const std::string& value) {
  if (attribute == "TStart" || attribute == "L") {
    part.costs[0.0].first = std::stod(value) * 1e-6;
  } else if (attribute == "TByte" || attribute == "G") {
    part.costs[0.0].second = std::stod(value) * 1e-6;
  } else if (attribute == "Segments") {
    part.costs = segments_of(value);
  } else if (attribute == "TSend" || attribute == "o_s") {
    part.send = std::stod(value) * 1e-6;
  } else if (attribute == "TRecv" || attribute == "o_r") {
    part.receive = std::stod(value) * 1e-6;
  } else if (attribute == "TGap" || attribute == "g") {
    part.gap = std::stod(value) * 1e-6;
  } else if (attribute == "EagerLimit") {
    part.eager = std::stod(value);
  } else if (attribute == "DetachLimit") {
    part.detach = std::stod(value);
  } else if (value == "ports" || value == "loggp") {
    part.kind = Kind::ports;
  } else if (value == "transputer") {
    part.kind = Kind::transputer;
  } else if (value.starts_with("myrinet")) {
    part.channels = std::stoi(value.substr(value.find('(') + 1));
  }
}

/// "3xp,2xq".
std::vector<std::pair<int, std::string>> items_of(const std::string& list) {
  std::vector<std::pair<int, std::string>> items;
  std::istringstream entries(list);
  for (std::string entry; std::getline(entries, entry, ',');) {
    std::size_t digits = 0;
    while (digits < entry.size() && entry[digits] >= '0' && entry[digits] <= '9') {
      ++digits;
    }
    const bool counted = digits > 0 && entry[digits] == 'x';
    items.emplace_back(counted ? std::stoi(entry.substr(0, digits)) : 1,
                       counted ? entry.substr(digits + 1) : entry);
  }
  return items;
}

Description described(const std::string& text) {
  Description result;
  std::istringstream statements(text);
  for (std::string raw; std::getline(statements, raw, ';');) {
    const std::string statement = without_blanks(raw);
    const std::size_t equals = statement.find('=');
    if (equals == std::string::npos) {
      continue;
    }
    const std::string key = statement.substr(0, equals);
    const std::string value = statement.substr(equals + 1);
    const std::size_t dot = key.find('.');
    if (key == "cluster") {
      result.top = value;
    } else if (dot != std::string::npos) {
      const std::string attribute = key.substr(dot + 1);
      if (attribute == "TCollective" || attribute == "TLoad" || attribute == "TPortion" ||
          attribute == "TCopy") {
        result.library[attribute] = std::stod(value) * 1e-6;
      } else if (attribute == "Allreduce") {
        result.allreduce = raw.substr(raw.find('=') + 1);
      } else {
        set_network(result.parts[key.substr(0, dot)], attribute, value);
      }
    } else if (value.front() == '{') {
      result.parts[key].items = items_of(value.substr(1, value.size() - 2));
    } else {
      result.parts[key].performance = std::stod(value);
    }
  }
  return result;
}

void expand(const Description& description, const std::string& name, std::vector<std::size_t>& path,
            std::size_t most, Machine& machine) {
  if (machine.performance.size() == most) {
    return;
  }
  const Described& part = description.parts.at(name);
  if (part.items.empty()) {
    machine.performance.push_back(part.performance);
    machine.above.push_back(path);
    return;
  }
  path.push_back(machine.networks.size());
  Network network;
  network.kind = part.kind;
  network.costs = part.costs;
  network.send = part.send;
  network.receive = part.receive;
  network.gap = part.gap;
  network.eager = part.eager;
  network.detach = part.detach;
  network.depth = path.size();
  network.channels.resize(static_cast<std::size_t>(part.channels));
  machine.networks.push_back(network);
  for (const auto& [count, item] : part.items) {
    for (int i = 0; i < count; ++i) {
      expand(description, item, path, most, machine);
    }
  }
  path.pop_back();
}

/// Whether [begin, begin + length] meets none of the periods, by more than rounding.
bool is_free(const std::vector<std::pair<double, double>>& periods, double begin, double length) {
  for (const auto& [from, to] : periods) {
    if (begin < to && from * (1.0 + 1e-12) < begin + length) {
      return false;
    }
  }
  return true;
}

double time_on_links(const Machine& machine, const Network& network, const Transfers& transfers) {
  int longest = 0;
  double most = 0.0;
  for (const auto& [ends, bytes] : transfers) {
    const int links = machine.distance(ends.first, ends.second);
    if (links > longest) {
      longest = links;
      most = 0.0;
    }
    most = links == longest ? std::max({most, bytes, 1.0}) : most;
  }
  return transputer_time(network.start(most), network.byte(most), longest, most);
}

}  // namespace

std::size_t Machine::between(int a, int b) const {
  const auto& one = above[static_cast<std::size_t>(a)];
  const auto& other = above[static_cast<std::size_t>(b)];
  std::size_t level = 0;
  while (level < one.size() && level < other.size() && one[level] == other[level]) {
    ++level;
  }
  return one[level - 1];
}

int Machine::distance(int a, int b) const {
  int sum = 0;
  for (std::size_t j = shape.size(); j-- > 0;) {
    sum += std::abs(a % shape[j] - b % shape[j]);
    a /= shape[j];
    b /= shape[j];
  }
  return sum;
}

bool Machine::is_flat_transputer() const {
  return networks.size() == 1 && networks.front().kind == Kind::transputer;
}

Machine read_machine(const std::string& text, const std::vector<int>& shape) {
  Machine machine;
  machine.shape = shape;
  std::size_t processors = 1;
  for (const int extent : shape) {
    processors *= static_cast<std::size_t>(extent);
  }
  Description description = described(text);
  machine.collective = description.library["TCollective"];
  machine.load = description.library["TLoad"];
  machine.portion = description.library["TPortion"];
  machine.copy = description.library["TCopy"];
  machine.allreduce = description.allreduce;
  std::vector<std::size_t> path;
  expand(description, description.top, path, processors, machine);
  if (machine.performance.size() != processors) {
    throw std::runtime_error("the machine has too few processors");
  }
  return machine;
}

double transputer_time(double start, double byte, int distance, double bytes) {
  if (distance == 0) {
    return 0.0;
  }
  if (distance == 1) {
    return start + bytes * byte;
  }
  const auto time = [&](double portion) {
    return (distance - 1 + std::ceil(bytes / portion)) * (start + portion * byte);
  };
  // The whole part of the square root, exact where it is a whole number.
  double at = bytes;
  if (byte > 0.0) {
    const double square = bytes * start / ((distance - 1) * byte);
    const double root = std::sqrt(square);
    const double whole = std::round(root);
    at = std::abs(root - whole) <= 1e-9 * whole ? whole : std::floor(root);
  }
  at = std::min(std::max(at, 1.0), bytes);
  for (const double direction : {-1.0, 1.0}) {
    const double next = at + direction;
    const auto better = [&](double than) { return than < time(at) * (1.0 - 1e-14); };
    if (next < 1.0 || next > bytes || !better(time(next))) {
      continue;
    }
    while (at + direction >= 1.0 && at + direction <= bytes && better(time(at + direction))) {
      at += direction;
    }
    break;
  }
  return time(at);
}

double take_channel(Network& network, double ready, double length) {
  if (length == 0.0) {
    return ready;
  }
  double best = 0.0;
  std::vector<std::pair<double, double>>* chosen = nullptr;
  for (auto& channel : network.channels) {
    // The earliest begin is `ready` or the end of a period.
    double begin = is_free(channel, ready, length) ? ready : -1.0;
    for (const auto& [from, to] : channel) {
      if (to >= ready && (begin < 0.0 || to < begin) && is_free(channel, to, length)) {
        begin = to;
      }
    }
    // Begins that differ by rounding only are equal: the channel of the lowest number.
    if (chosen == nullptr || begin < best * (1.0 - 1e-12)) {
      best = begin;
      chosen = &channel;
    }
  }
  chosen->emplace_back(best, best + length);
  return best + length;
}

std::size_t Machine::member(const Network& network, int p) const {
  const auto& own = above[static_cast<std::size_t>(p)];
  return own.size() > network.depth ? performance.size() + own[network.depth]
                                    : static_cast<std::size_t>(p);
}

namespace {

double bytes_of(const std::map<int, double>& bytes, int p) {
  const auto found = bytes.find(p);
  return found == bytes.end() ? 0.0 : found->second;
}

double packing(const Machine& machine, const Transfers& transfers, int p) {
  return bytes_of(transfers.later, p) + machine.copy * bytes_of(transfers.gathered, p);
}

double unpacking(const Machine& machine, const Transfers& transfers, int p) {
  return machine.copy * bytes_of(transfers.spread, p);
}

/// All messages over networks of ports; raises the completion of their processors.
void carry_over_ports(Machine& machine, const Transfers& transfers, double start,
                      std::vector<double>& ends) {
  std::map<int, double> ready;
  std::vector<PortMessage> messages;
  for (const auto& [pair, bytes] : transfers) {
    const Network& network = machine.networks[machine.between(pair.first, pair.second)];
    if (network.kind != Kind::ports) {
      continue;
    }
    double& own = ready.try_emplace(pair.first, start + packing(machine, transfers, pair.first))
                      .first->second;
    own += network.send;
    messages.push_back({pair.first, pair.second, bytes, own});
  }
  pass_ports(machine, messages);
  std::map<int, std::vector<std::pair<double, double>>> arrivals;  // with the time to receive
  for (const PortMessage& message : messages) {
    double& sender = ends[static_cast<std::size_t>(message.from)];
    sender = std::max(sender, message.left);
    arrivals[message.to].emplace_back(
        message.arrived, machine.networks[machine.between(message.from, message.to)].receive);
  }
  for (auto& [p, own] : arrivals) {
    std::stable_sort(own.begin(), own.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    double done = ready.contains(p) ? ready[p] : start + packing(machine, transfers, p);
    for (const auto& [time, receive] : own) {
      done = std::max(done, time) + receive;
    }
    double& receiver = ends[static_cast<std::size_t>(p)];
    receiver = std::max(receiver, done + unpacking(machine, transfers, p));
  }
}

}  // namespace

std::vector<double> busy(const Machine& machine, const Transfers& transfers) {
  std::vector<double> result(machine.performance.size(), 0.0);
  for (const auto& [pair, bytes] : transfers) {
    if (pair.first != pair.second && (bytes > 0.0 || transfers.with_empty)) {
      const Network& network = machine.networks[machine.between(pair.first, pair.second)];
      result[static_cast<std::size_t>(pair.first)] += network.send;
      result[static_cast<std::size_t>(pair.second)] += network.receive;
    }
  }
  for (int p = 0; p < machine.processors(); ++p) {
    result[static_cast<std::size_t>(p)] +=
        packing(machine, transfers, p) + unpacking(machine, transfers, p);
  }
  return result;
}

std::vector<double> carry(Machine& machine, const Transfers& transfers, double start) {
  std::vector<double> ends(machine.performance.size(), start);
  std::map<std::size_t, Transfers> per_network;
  Transfers real = transfers;
  real.clear();
  double longest_packing = 0.0;
  for (const auto& [pair, bytes] : transfers) {
    if (pair.first != pair.second && (bytes > 0.0 || transfers.with_empty)) {
      per_network[machine.between(pair.first, pair.second)][pair] = bytes;
      real[pair] = bytes;
      if (machine.networks[machine.between(pair.first, pair.second)].kind == Kind::transputer) {
        longest_packing = std::max(longest_packing, packing(machine, transfers, pair.first));
      }
    }
  }
  carry_over_ports(machine, real, start, ends);
  for (const auto& [number, own] : per_network) {
    Network& network = machine.networks[number];
    if (network.kind == Kind::ports) {
      continue;
    }
    const bool links = network.kind == Kind::transputer;
    const double together =
        links ? start + longest_packing + time_on_links(machine, network, own) : 0.0;
    for (const auto& [pair, bytes] : own) {
      const double end =
          links ? together
                : take_channel(network, start + packing(machine, transfers, pair.first),
                               network.start(bytes) + bytes * network.byte(bytes));
      double& sent = ends[static_cast<std::size_t>(pair.first)];
      sent = std::max(sent, end);
      double& received = ends[static_cast<std::size_t>(pair.second)];
      received = std::max(received, end + unpacking(machine, transfers, pair.second));
    }
  }
  return ends;
}

}  // namespace gridcast::naive
