#include "reduction_rounds.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>

namespace gridcast::naive {
namespace {

using Rounds = std::vector<std::vector<RoundMessage>>;

/// Doubling, or with `parts` halving and doubling back: recursively, whatever its parts are.
Rounds pair_up(const std::vector<int>& members, double bytes, bool parts) {
  Rounds rounds;
  const int count = static_cast<int>(members.size());
  int even = 1;
  while (2 * even <= count) {
    even *= 2;
  }
  const int beyond = count - even;
  const auto real = [&](int i) {
    return members[static_cast<std::size_t>(i < beyond ? 2 * i + 1 : i + beyond)];
  };
  std::vector<RoundMessage> messages;
  const auto play = [&] {
    rounds.push_back(messages);
    messages.clear();
  };
  for (int i = 0; i < 2 * beyond; i += 2) {
    messages.push_back(
        {members[static_cast<std::size_t>(i)], members[static_cast<std::size_t>(i + 1)], bytes});
  }
  play();
  // The parts that each has still to do with: a bit per part.
  std::vector<double> size(static_cast<std::size_t>(even), std::floor(bytes / 8.0 / even) * 8.0);
  size.back() = bytes - size.front() * (even - 1);
  const auto owner = [&](int part) {  // who has it alone in the end: bits in reverse
    int i = 0;
    for (int bit = 1, at = even / 2; bit < even; bit *= 2, at /= 2) {
      i |= (part & at) != 0 ? bit : 0;
    }
    return i;
  };
  /// Bytes of the parts whose owners agree with process i in all bits below `mask`.
  const auto held = [&](int i, int mask) {
    double sum = 0.0;
    for (int part = 0; part < even; ++part) {
      sum += (owner(part) & (mask - 1)) == (i & (mask - 1)) ? size[static_cast<std::size_t>(part)]
                                                            : 0.0;
    }
    return sum;
  };
  for (int mask = 1; mask < even; mask *= 2) {
    for (int i = 0; i < even; ++i) {
      // What the partner goes on with.
      messages.push_back({real(i), real(i ^ mask), parts ? held(i ^ mask, 2 * mask) : bytes});
    }
    play();
  }
  for (int mask = even / 2; parts && mask > 0; mask /= 2) {
    for (int i = 0; i < even; ++i) {
      messages.push_back({real(i), real(i ^ mask), held(i, 2 * mask)});
    }
    play();
  }
  for (int i = 0; i < 2 * beyond; i += 2) {
    messages.push_back(
        {members[static_cast<std::size_t>(i + 1)], members[static_cast<std::size_t>(i)], bytes});
  }
  play();
  return rounds;
}

/// Of few processes, as random programs have.
std::string openmpi_choice(std::size_t processes, double bytes, bool all_have_values) {
  const double kilobytes = bytes / 1024.0;
  if (processes > 127) {
    throw std::runtime_error("the choice among so many processes is not here");
  }
  if (processes < 4) {
    return kilobytes < 4 || (kilobytes >= 8 && kilobytes < 16) ? "doubling"
           : kilobytes < 256                                   ? "ring"
                                                               : "rabenseifner";
  }
  const double doubled = processes < 16 ? 8 : processes < 32 ? 4 : processes < 64 ? 0.125 : 256;
  return kilobytes < doubled ? "doubling" : all_have_values ? "rabenseifner" : "linear";
}

}  // namespace

std::string algorithm_of(const std::string& how, const std::string& table, std::size_t processes,
                         double bytes) {
  if (how != "auto") {
    return how;
  }
  std::string rows = table;
  std::replace_if(
      rows.begin(), rows.end(), [](char c) { return c == '{' || c == '}' || c == ','; }, ' ');
  std::istringstream words(rows);
  double most_processes = 0.0;
  double most_bytes = 0.0;
  for (std::string word; words >> most_processes >> most_bytes >> word;) {
    if (static_cast<double>(processes) <= most_processes && bytes <= most_bytes) {
      return word;
    }
  }
  double partners = std::exp2(std::floor(std::log2(static_cast<double>(processes))));
  if (table.find("openmpi") != std::string::npos) {
    return openmpi_choice(processes, bytes, bytes >= 8.0 * partners);
  }
  if (table.find("mpich") == std::string::npos) {
    partners = static_cast<double>(processes);
  }
  return bytes > 2048.0 && bytes >= 8.0 * partners ? "rabenseifner" : "doubling";
}

Rounds reduction_rounds(const std::string& how, const std::vector<int>& members, double bytes) {
  const auto count = static_cast<double>(members.size());
  if (how != "ring") {
    return pair_up(members, bytes, how == "rabenseifner");
  }
  Rounds rounds(2 * (members.size() - 1));
  for (std::vector<RoundMessage>& messages : rounds) {
    for (std::size_t i = 0; i < members.size(); ++i) {
      messages.push_back({members[i], members[(i + 1) % members.size()], bytes / count});
    }
  }
  return rounds;
}

}  // namespace gridcast::naive
